package gametest_test

import (
	"errors"
	"math"
	"slices"

	"marsgym/env/game"
)

// spec changes the Spec of g.
func spec(g *cups, change func(*game.Spec)) {
	s := g.spec()
	change(&s)
	g.spec = func() game.Spec { return s }
}

// brokenRules break a clause of Rules.
var brokenRules = []breach{
	{"Spec.ID is one lower-case word", func(g *cups) { spec(g, func(s *game.Spec) { s.ID = "Two Cups" }) }},
	{"Spec.Title is not empty", func(g *cups) { spec(g, func(s *game.Spec) { s.Title = "" }) }},
	{"Spec.Version is at least 1", func(g *cups) { spec(g, func(s *game.Spec) { s.Version = 0 }) }},
	{"Spec.Players is at least 1", func(g *cups) { spec(g, func(s *game.Spec) { s.Players = 0 }) }},
	{"Spec.Actions is at least 1", func(g *cups) { spec(g, func(s *game.Spec) { s.Actions = 0 }) }},
	{"Spec.Observation has fields of length 1 or more", func(g *cups) { spec(g, func(s *game.Spec) { s.Observation[1].Len = 0 }) }},
	{"Spec.Observation has names that differ", func(g *cups) { spec(g, func(s *game.Spec) { s.Observation[1].Name = "cups" }) }},
	{"Spec.Observation has scales of 0 or more that divide a field evenly", func(g *cups) { spec(g, func(s *game.Spec) { s.Observation[1].Scales = []int{1, 1, 1} }) }},
	{"Spec.Observation has scales of 0 or more that divide a field evenly", func(g *cups) { spec(g, func(s *game.Spec) { s.Observation[1].Scales = []int{-1} }) }},
	{"Encode divides counts by their scales", func(g *cups) { // instead of multiplying
		encode := g.encode
		g.encode = func(dst []float32, s state, p game.Player) {
			encode(dst, s, p)
			sixth := float32(1) / 6
			dst[4] = float32(s.Turns) * sixth
		}
	}},
	{"Encode divides counts by their scales", func(g *cups) { spec(g, func(s *game.Spec) { s.Observation[2].Scales = nil }) }},
	{"Spec.Observation is not empty", func(g *cups) { spec(g, func(s *game.Spec) { s.Observation = nil }) }},
	{"Spec.Players is from MinPlayers to MaxPlayers", func(g *cups) { spec(g, func(s *game.Spec) { s.MaxPlayers = 1 }) }},
	{"Spec.Information is perfect or imperfect", func(g *cups) { spec(g, func(s *game.Spec) { s.Information = "" }) }},
	{"Spec.Chance is deterministic or explicit_stochastic", func(g *cups) { spec(g, func(s *game.Spec) { s.Chance = "dice" }) }},
	{"a deterministic game has no chance states", func(g *cups) { spec(g, func(s *game.Spec) { s.Chance = game.Deterministic }) }},
	{"a stochastic game has chance states", func(g *cups) {
		turn := g.currentPlayer
		g.currentPlayer = func(s state) game.Player {
			if who := turn(s); who != game.Chance {
				return who
			}
			return game.Terminal
		}
	}},
	{"Spec.MoveLimit is not negative", func(g *cups) { spec(g, func(s *game.Spec) { s.MoveLimit = -1 }) }},
	{"Spec.Win is not below Spec.Loss", func(g *cups) { spec(g, func(s *game.Spec) { s.Win, s.Loss = -1, 1 }) }},
	{"Spec.Win and Spec.Loss differ or are both 0", func(g *cups) { spec(g, func(s *game.Spec) { s.Win, s.Loss = 1, 1 }) }},
	{"Spec.Unit names what returns count", func(g *cups) { spec(g, func(s *game.Spec) { s.Win, s.Loss = 0, 0 }) }},
	{"Spec.Config can be written as JSON", func(g *cups) { spec(g, func(s *game.Spec) { s.Config = math.NaN() }) }},
	{"Spec never changes", func(g *cups) {
		calls, healthy := 0, g.spec
		g.spec = func() game.Spec {
			calls++
			s := healthy()
			s.Config = calls
			return s
		}
	}},
	{"Spec does not panic", func(g *cups) { g.spec = func() game.Spec { panic("oh") } }},
	{"Initial never changes", func(g *cups) {
		var calls int8
		g.initial = func() state {
			calls++
			return state{Rolling: true, Score: [2]int8{calls}}
		}
	}},
	{"CurrentPlayer is a seat, Chance or Terminal", func(g *cups) {
		turn := g.currentPlayer
		g.currentPlayer = func(s state) game.Player {
			if s.Turns == 3 {
				return 2
			}
			return turn(s)
		}
	}},
	{"Legal is ascending", func(g *cups) {
		legal := g.legal
		g.legal = func(dst []game.Action, s state) []game.Action {
			n := len(dst)
			dst = legal(dst, s)
			slices.Reverse(dst[n:])
			return dst
		}
	}},
	{"Legal is ascending, without duplicates", func(g *cups) {
		legal := g.legal
		g.legal = func(dst []game.Action, s state) []game.Action {
			dst = legal(dst, s)
			if g.currentPlayer(s) >= 0 {
				dst = append(dst, dst[len(dst)-1])
			}
			return dst
		}
	}},
	{"Legal is within range", func(g *cups) {
		legal := g.legal
		g.legal = func(dst []game.Action, s state) []game.Action {
			dst = legal(dst, s)
			if g.currentPlayer(s) >= 0 {
				dst = append(dst, 3)
			}
			return dst
		}
	}},
	{"Legal is never empty for a mover", func(g *cups) {
		legal := g.legal
		g.legal = func(dst []game.Action, s state) []game.Action {
			if s.Turns == 3 {
				return dst
			}
			return legal(dst, s)
		}
	}},
	{"Legal is empty where no seat moves", func(g *cups) {
		legal := g.legal
		g.legal = func(dst []game.Action, s state) []game.Action {
			if s.Rolling {
				return append(dst, pass)
			}
			return legal(dst, s)
		}
	}},
	{"Legal appends", func(g *cups) {
		legal := g.legal
		g.legal = func(dst []game.Action, s state) []game.Action { return legal(dst[:0], s) }
	}},
	{"Legal is a function of the state", func(g *cups) {
		calls, legal := 0, g.legal
		g.legal = func(dst []game.Action, s state) []game.Action {
			if calls++; calls%7 == 0 && g.currentPlayer(s) >= 0 {
				return append(dst, pass)
			}
			return legal(dst, s)
		}
	}},
	{"Apply refuses what is not legal", func(g *cups) {
		legal := g.legal
		g.legal = func(dst []game.Action, s state) []game.Action {
			n := len(dst)
			if dst = legal(dst, s); len(dst) > n+1 {
				dst = dst[:n+1]
			}
			return dst
		}
	}},
	{"Apply accepts what is legal", func(g *cups) {
		apply := g.apply
		g.apply = func(s state, a game.Action) (state, error) {
			if a == pass && s.Turns < 6 {
				return s, game.ErrIllegalAction
			}
			return apply(s, a)
		}
	}},
	{"Apply gives ErrIllegalAction", func(g *cups) {
		apply := g.apply
		g.apply = func(s state, a game.Action) (state, error) {
			next, err := apply(s, a)
			if errors.Is(err, game.ErrIllegalAction) {
				err = errors.New("no")
			}
			return next, err
		}
	}},
	{"Apply refuses what is not legal", func(g *cups) { // at chance states
		apply := g.apply
		g.apply = func(s state, a game.Action) (state, error) {
			if s.Rolling {
				s.Rolling = false
				return s, nil
			}
			return apply(s, a)
		}
	}},
	{"Apply after the end gives ErrGameOver", func(g *cups) {
		apply := g.apply
		g.apply = func(s state, a game.Action) (state, error) {
			if s.Turns == 6 {
				return s, game.ErrIllegalAction
			}
			return apply(s, a)
		}
	}},
	{"Apply is a function of the state", func(g *cups) {
		var calls int8
		apply := g.apply
		g.apply = func(s state, a game.Action) (state, error) {
			next, err := apply(s, a)
			if err == nil {
				calls++
				next.Score[0] += calls % 2
			}
			return next, err
		}
	}},
	{"Apply does not panic", func(g *cups) {
		apply := g.apply
		g.apply = func(s state, a game.Action) (state, error) {
			_ = s.Cup[max(0, int(a)-1)]
			return apply(s, a)
		}
	}},
	{"Outcomes have probabilities above 0", func(g *cups) {
		outcomes := g.outcomes
		g.outcomes = func(dst []outcome, s state) []outcome {
			dst = outcomes(dst, s)
			if s.Rolling {
				s.Rolling, s.Score[0] = false, 99
				dst = append(dst, outcome{State: s})
			}
			return dst
		}
	}},
	{"Outcomes have probabilities that sum to 1", func(g *cups) {
		outcomes := g.outcomes
		g.outcomes = func(dst []outcome, s state) []outcome {
			if dst = outcomes(dst, s); s.Rolling {
				dst[len(dst)-1].Prob += 1e-9
			}
			return dst
		}
	}},
	{"Outcomes have probabilities that sum to 1", func(g *cups) {
		outcomes := g.outcomes
		g.outcomes = func(dst []outcome, s state) []outcome {
			if dst = outcomes(dst, s); s.Rolling {
				dst[len(dst)-1].Prob = math.Inf(1)
			}
			return dst
		}
	}},
	{"Outcomes are distinct", func(g *cups) {
		outcomes := g.outcomes
		g.outcomes = func(dst []outcome, s state) []outcome {
			if dst = outcomes(dst, s); s.Rolling {
				dst[len(dst)-1].Prob /= 2
				dst = append(dst, dst[len(dst)-1])
			}
			return dst
		}
	}},
	{"Outcomes is empty where chance does not move", func(g *cups) {
		outcomes := g.outcomes
		g.outcomes = func(dst []outcome, s state) []outcome {
			if s.Turns == 6 {
				return append(dst, outcome{State: s, Prob: 1})
			}
			return outcomes(dst, s)
		}
	}},
	{"Outcomes is never empty at a chance state", func(g *cups) {
		g.outcomes = func(dst []outcome, s state) []outcome { return dst }
	}},
	{"Outcomes appends", func(g *cups) {
		outcomes := g.outcomes
		g.outcomes = func(dst []outcome, s state) []outcome { return outcomes(nil, s) }
	}},
	{"Returns are zeros before the end", func(g *cups) {
		returns := g.returns
		g.returns = func(dst []float64, s state) []float64 {
			if s.Turns == 5 {
				return append(dst, 1, -1)
			}
			return returns(dst, s)
		}
	}},
	{"Returns appends one number for each seat", func(g *cups) {
		returns := g.returns
		g.returns = func(dst []float64, s state) []float64 { return append(returns(dst, s), 0) }
	}},
	{"Returns sum to one win and P-1 losses", func(g *cups) {
		returns := g.returns
		g.returns = func(dst []float64, s state) []float64 {
			if s.Turns == 6 {
				return append(dst, 1, 1)
			}
			return returns(dst, s)
		}
	}},
	{"Returns lie between Loss and Win", func(g *cups) {
		returns := g.returns
		g.returns = func(dst []float64, s state) []float64 {
			if s.Turns == 6 {
				return append(dst, 2, -2)
			}
			return returns(dst, s)
		}
	}},
	{"Returns are finite", func(g *cups) {
		returns := g.returns
		g.returns = func(dst []float64, s state) []float64 {
			if s.Turns == 6 {
				return append(dst, math.NaN(), 0)
			}
			return returns(dst, s)
		}
	}},
	{"Encode writes every element", func(g *cups) {
		encode := g.encode
		g.encode = func(dst []float32, s state, p game.Player) {
			last := dst[5]
			if encode(dst, s, p); s.Turns == 6 {
				dst[5] = last
			}
		}
	}},
	{"Encode stays within its slice", func(g *cups) {
		encode := g.encode
		g.encode = func(dst []float32, s state, p game.Player) {
			encode(dst, s, p)
			if s.Rolling && cap(dst) > 6 {
				dst[:7][6] = 0
			}
		}
	}},
	{"Encode writes finite numbers", func(g *cups) {
		encode := g.encode
		g.encode = func(dst []float32, s state, p game.Player) {
			encode(dst, s, p)
			dst[4] = 1 / dst[4]
		}
	}},
	{"EncodeSparse appends the numbers of Encode that are not 0", func(g *cups) {
		sparse := g.encodeSparse
		g.encodeSparse = func(dst []game.Element, s state, p game.Player) []game.Element {
			if n := len(dst); s.Turns == 6 {
				dst = sparse(dst, s, p)
				slices.Reverse(dst[n:])
				return dst
			}
			return sparse(dst, s, p)
		}
	}},
	{"Encode is a function of the state", func(g *cups) {
		calls, encode := 0, g.encode
		g.encode = func(dst []float32, s state, p game.Player) {
			calls++
			encode(dst, s, p)
			dst[4] = float32(calls)
		}
	}},
	{"Encode does not panic", func(g *cups) {
		encode := g.encode
		g.encode = func(dst []float32, s state, p game.Player) {
			if encode(dst, s, p); s.Turns == 6 {
				_ = dst[s.Turns]
			}
		}
	}},
	{"Encode tells apart states with different legal actions", func(g *cups) {
		encode := g.encode
		g.encode = func(dst []float32, s state, p game.Player) {
			encode(dst, s, p)
			dst[2] = 0 // the own score decides whether pass is legal
		}
	}},
	{"chance leads to a decision or the end", func(g *cups) {
		outcomes := g.outcomes
		g.outcomes = func(dst []outcome, s state) []outcome {
			if s.Rolling && s.Turns == 3 {
				s.Score[0] ^= 1
				return append(dst, outcome{State: s, Prob: 1})
			}
			return outcomes(dst, s)
		}
	}},
	{"games end", func(g *cups) {
		apply := g.apply
		g.apply = func(s state, a game.Action) (state, error) {
			next, err := apply(s, a)
			if next.Turns == 6 {
				next.Turns, next.Rolling, next.Score = 0, true, [2]int8{}
			}
			return next, err
		}
	}},
}
