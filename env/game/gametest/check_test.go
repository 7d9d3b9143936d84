package gametest_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/gametest"
)

func TestHealthy(t *testing.T) {
	if err := gametest.Check(healthy()); err != nil {
		t.Error(err)
	}
}

// bare hides all abilities.
type bare struct{ game.Rules[state] }

func TestHealthyWithoutAbilities(t *testing.T) {
	if err := gametest.Check(bare{healthy()}, gametest.Games(20), gametest.Seed(9), gametest.Length(20)); err != nil {
		t.Error(err)
	}
}

// spec changes the Spec of g.
func spec(g *cups, change func(*game.Spec)) {
	s := g.spec()
	change(&s)
	g.spec = func() game.Spec { return s }
}

var broken = []struct {
	clause string // that the error must name
	breach func(g *cups)
}{
	{"Spec.ID is one lower-case word", func(g *cups) { spec(g, func(s *game.Spec) { s.ID = "Two Cups" }) }},
	{"Spec.Title is not empty", func(g *cups) { spec(g, func(s *game.Spec) { s.Title = "" }) }},
	{"Spec.Version is at least 1", func(g *cups) { spec(g, func(s *game.Spec) { s.Version = 0 }) }},
	{"Spec.Players is at least 1", func(g *cups) { spec(g, func(s *game.Spec) { s.Players = 0 }) }},
	{"Spec.Actions is at least 1", func(g *cups) { spec(g, func(s *game.Spec) { s.Actions = 0 }) }},
	{"Spec.Observation has fields of length 1 or more", func(g *cups) { spec(g, func(s *game.Spec) { s.Observation[1].Len = 0 }) }},
	{"Spec.Observation has names that differ", func(g *cups) { spec(g, func(s *game.Spec) { s.Observation[1].Name = "cups" }) }},
	{"Spec.Observation is not empty", func(g *cups) { spec(g, func(s *game.Spec) { s.Observation = nil }) }},
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
	{"Turn is a seat, Chance or Nobody", func(g *cups) {
		turn := g.turn
		g.turn = func(s state) game.Player {
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
			if g.turn(s) >= 0 {
				dst = append(dst, dst[len(dst)-1])
			}
			return dst
		}
	}},
	{"Legal is within range", func(g *cups) {
		legal := g.legal
		g.legal = func(dst []game.Action, s state) []game.Action {
			dst = legal(dst, s)
			if g.turn(s) >= 0 {
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
			if calls++; calls%7 == 0 && g.turn(s) >= 0 {
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
	{"Sample follows Outcomes", func(g *cups) {
		sample := g.sample
		g.sample = func(s state, r *rand.PCG) state {
			if rand.New(r).IntN(50) == 0 { // too small for a single state
				return g.outcomes(nil, s)[0].State
			}
			return sample(s, r)
		}
	}},
	{"Sample follows Outcomes: in state", func(g *cups) {
		sample := g.sample
		g.sample = func(s state, r *rand.PCG) state {
			if rand.New(r).IntN(4) == 0 {
				return g.outcomes(nil, s)[0].State
			}
			return sample(s, r)
		}
	}},
	{"Sample draws what Outcomes lists", func(g *cups) {
		sample := g.sample
		g.sample = func(s state, r *rand.PCG) state {
			next := sample(s, r)
			next.Cup[0]++
			return next
		}
	}},
	{"Sample is a function of the state and the generator", func(g *cups) {
		r := rand.NewPCG(1, 1)
		sample := g.sample
		g.sample = func(s state, _ *rand.PCG) state { return sample(s, r) }
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
	{"Parse reads what Format wrote", func(g *cups) {
		format := g.format
		g.format = func(s state) string {
			s.Score[1] = 0
			return format(s)
		}
	}},
	{"Parse refuses what is no position", func(g *cups) {
		parse := g.parse
		g.parse = func(text string) (state, error) {
			if s, err := parse(text); err == nil {
				return s, nil
			}
			return state{}, nil
		}
	}},
	{"Parse does not panic", func(g *cups) {
		parse := g.parse
		g.parse = func(text string) (state, error) {
			_ = text[0]
			return parse(text)
		}
	}},
	{"Parse does not panic", func(g *cups) {
		parse := g.parse
		g.parse = func(text string) (state, error) {
			s, err := parse(text)
			if err != nil && strings.HasPrefix(text, "0-0 cups") {
				panic("oh")
			}
			return s, err
		}
	}},
	{"Parse gives a position that can be played", func(g *cups) {
		parse, turn := g.parse, g.turn
		g.parse = func(text string) (state, error) {
			if s, err := parse(text + "0"); err == nil {
				return s, nil // a lost digit
			}
			s, err := parse(text)
			if err != nil && strings.HasSuffix(text, "-") {
				return state{Turns: 7}, nil
			}
			return s, err
		}
		g.format = func(s state) string {
			if s.Turns == 7 {
				return "-"
			}
			return healthy().format(s)
		}
		g.turn = func(s state) game.Player {
			if s.Turns == 7 {
				return 7
			}
			return turn(s)
		}
	}},
	{"Parse gives a position that can be written", func(g *cups) {
		parse := g.parse
		g.parse = func(text string) (state, error) {
			s, err := parse(text)
			if err != nil && strings.HasSuffix(text, "-") {
				return state{Turns: -1}, nil
			}
			return s, err
		}
	}},
	{"ActionName is one lower-case word", func(g *cups) {
		name := g.name
		g.name = func(a game.Action) string { return "take " + name(a) }
	}},
	{"ActionName differs between actions", func(g *cups) {
		g.name = func(game.Action) string { return "take" }
	}},
	{"Picture is not empty", func(g *cups) { g.picture = func(state) string { return "\n" } }},
	{"Explain is not empty", func(g *cups) { g.explain = func(state, game.Action) string { return "" } }},
	{"Canonical of a representative is itself", func(g *cups) {
		g.canonical = func(s state) (state, []game.Action) {
			s.Cup[0], s.Cup[1] = s.Cup[1], s.Cup[0]
			return s, swap
		}
	}},
	{"Canonical keeps the turn", func(g *cups) {
		g.canonical = func(s state) (state, []game.Action) {
			s.Turns &= 4
			return s, nil
		}
	}},
	{"Canonical keeps the returns", func(g *cups) {
		g.canonical = func(s state) (state, []game.Action) {
			if s.Turns == 6 {
				s.Score = [2]int8{}
			}
			return s, nil
		}
	}},
	{"Canonical relabels every action", func(g *cups) {
		canonical := g.canonical
		g.canonical = func(s state) (state, []game.Action) {
			c, relabel := canonical(s)
			return c, relabel[:len(relabel)/2]
		}
	}},
	{"Canonical relabels legal actions one to one", func(g *cups) {
		canonical := g.canonical
		g.canonical = func(s state) (state, []game.Action) {
			c, relabel := canonical(s)
			if relabel != nil {
				relabel = []game.Action{right, right, pass}
			}
			return c, relabel
		}
	}},
	{"Canonical commutes with Apply", func(g *cups) {
		// Both cups hold something, so that any labels are legal.
		g.outcomes = func(dst []outcome, s state) []outcome {
			if !s.Rolling {
				return dst
			}
			s.Rolling = false
			s.Cup = [2]int8{1, 2}
			dst = append(dst, outcome{State: s, Prob: 0.5})
			s.Cup = [2]int8{2, 1}
			return append(dst, outcome{State: s, Prob: 0.5})
		}
		canonical := g.canonical
		g.canonical = func(s state) (state, []game.Action) {
			c, _ := canonical(s)
			return c, nil
		}
	}},
	{"Canonical commutes with Outcomes", func(g *cups) {
		outcomes := g.outcomes
		g.outcomes = func(dst []outcome, s state) []outcome {
			if dst = outcomes(dst, s); s.Rolling && s.Cup[0] > s.Cup[1] {
				last := dst[len(dst)-3:]
				last[0].Prob, last[1].Prob = last[1].Prob, last[0].Prob
			}
			return dst
		}
	}},
	{"Probs are probabilities, zero where illegal", func(g *cups) {
		g.player = func(name string) (game.Policy[state], error) {
			return probsFunc(func(dst []float64, states []state) error {
				for i := range dst {
					dst[i] = 1.0 / 3
				}
				return nil
			}), nil
		}
	}},
	{"Probs sum to 1", func(g *cups) {
		g.player = func(name string) (game.Policy[state], error) {
			return probsFunc(func(dst []float64, states []state) error {
				clear(dst)
				return nil
			}), nil
		}
	}},
	{"Probs answers for every decision", func(g *cups) {
		g.player = func(name string) (game.Policy[state], error) {
			return probsFunc(func(dst []float64, states []state) error { return errors.New("oh") }), nil
		}
	}},
	{"Player refuses a name it does not list", func(g *cups) {
		player := g.player
		g.player = func(name string) (game.Policy[state], error) { return player("first") }
	}},
	{"Player knows the names it lists", func(g *cups) { g.names = func() []string { return []string{"first", "second"} } }},
	{"PlayerNames are distinct", func(g *cups) { g.names = func() []string { return []string{"first", "first"} } }},
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

func TestBroken(t *testing.T) {
	for i, b := range broken {
		t.Run(fmt.Sprintf("%d %s", i, b.clause), func(t *testing.T) {
			t.Parallel()
			g := healthy()
			b.breach(g)
			err := gametest.Check(g, gametest.Games(50))
			if err == nil || !strings.Contains(err.Error(), b.clause) {
				t.Errorf("got error %v, want one that names %q", err, b.clause)
			}
		})
	}
}

// Memory of the rules' own may show only when the games are played again.
func TestReplay(t *testing.T) {
	g := healthy()
	outcomes, returns := g.outcomes, g.returns
	var visits atomic.Int64
	g.returns = func(dst []float64, s state) []float64 {
		visits.Add(1)
		return returns(dst, s)
	}
	g.outcomes = func(dst []outcome, s state) []outcome {
		n := len(dst)
		if dst = outcomes(dst, s); visits.Load() > 300 {
			slices.Reverse(dst[n:])
		}
		return dst
	}
	err := gametest.Check(bare{g})
	if want := "the same seed replays identically"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want one that names %q", err, want)
	}
}

// A state that holds a pointer is not a value.
type pointing struct {
	state
	p *int
}

type pointingRules struct{ *cups }

func (r pointingRules) Initial() pointing                               { return pointing{state: r.initial()} }
func (r pointingRules) Turn(s pointing) game.Player                     { return r.turn(s.state) }
func (r pointingRules) Legal(d []game.Action, s pointing) []game.Action { return r.legal(d, s.state) }
func (r pointingRules) Outcomes(d []game.Outcome[pointing], s pointing) []game.Outcome[pointing] {
	for _, o := range r.outcomes(nil, s.state) {
		d = append(d, game.Outcome[pointing]{State: pointing{state: o.State}, Prob: o.Prob})
	}
	return d
}
func (r pointingRules) Apply(s pointing, a game.Action) (pointing, error) {
	next, err := r.apply(s.state, a)
	return pointing{state: next}, err
}
func (r pointingRules) Returns(d []float64, s pointing) []float64     { return r.returns(d, s.state) }
func (r pointingRules) Encode(d []float32, s pointing, p game.Player) { r.encode(d, s.state, p) }

func TestPointers(t *testing.T) {
	err := gametest.Check(pointingRules{healthy()})
	if want := "a state holds no pointers: S.p is a *int"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want one that names %q", err, want)
	}
}
