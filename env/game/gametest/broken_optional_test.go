package gametest_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"

	"marsgym/env/game"
	"marsgym/env/game/message"
)

// brokenOptional break a clause of an optional interface.
var brokenOptional = []breach{
	{"Sample follows Outcomes", func(g *cups) {
		sample := g.sample
		g.sample = func(s state, r *rand.PCG) state {
			if rand.New(r).IntN(50) == 0 { // a bias too small to show in one state
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
	{"Sample returns a listed outcome", func(g *cups) {
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
	{"Parse reads what Format wrote", func(g *cups) {
		format := g.format
		g.format = func(s state) string {
			s.Score[1] = 0
			return format(s)
		}
	}},
	{"Parse refuses text that is not a position", func(g *cups) {
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
		parse, turn := g.parse, g.currentPlayer
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
		g.currentPlayer = func(s state) game.Player {
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
	{"DescribeAction is not empty", func(g *cups) {
		g.describeAction = func(state, game.Action) message.Message { return message.Message{} }
	}},
	{"OutcomeName is one word", func(g *cups) { g.outcomeName = func(s, next state) string { return g.format(next) } }},
	{"OutcomeName is one word", func(g *cups) { g.outcomeName = func(_, _ state) string { return "" } }},
	{"OutcomeName differs between outcomes", func(g *cups) { g.outcomeName = func(_, _ state) string { return "5" } }},
	{"OutcomeName does not panic", func(g *cups) { g.outcomeName = func(_, _ state) string { panic("oh") } }},
	{"AskRoll is one line", func(g *cups) { g.askRoll = func(state) message.Message { return message.New("both\ncups") } }},
	{"ReadRoll reads what DrawRoll draws", func(g *cups) { g.readRoll = func(s state, _ string) (state, error) { return s, errors.New("no") } }},
	{"ReadRoll refuses text that is no roll", func(g *cups) {
		read := g.readRoll
		g.readRoll = func(s state, roll string) (state, error) {
			if roll == "99" {
				return s, nil
			}
			return read(s, roll)
		}
	}},
	{"DrawRoll draws from its generator alone", func(g *cups) {
		draw, calls := g.drawRoll, 0
		g.drawRoll = func(s, next state, dice *rand.PCG) string {
			calls++
			return draw(s, next, dice) + strings.Repeat(" ", calls%2)
		}
	}},
	{"Dice does not panic", func(g *cups) { g.askRoll = func(state) message.Message { panic("oh") } }},
	{"Narrate appends", func(g *cups) {
		g.narrate = func([]message.Message, state, state, game.Action, string) []message.Message {
			return []message.Message{message.New("a roll")}
		}
	}},
	{"Narrate appends lines", func(g *cups) {
		g.narrate = func(dst []message.Message, _, _ state, _ game.Action, _ string) []message.Message {
			return append(dst, message.New("a\nroll"))
		}
	}},
	{"Narrate tells what chance did", func(g *cups) {
		g.narrate = func(dst []message.Message, _, _ state, _ game.Action, _ string) []message.Message { return dst }
	}},
	{"Narrate is a function of its arguments", func(g *cups) {
		calls := 0
		g.narrate = func(dst []message.Message, _, _ state, _ game.Action, _ string) []message.Message {
			calls++
			return append(dst, message.New(strings.Repeat("x", calls%2+1)))
		}
	}},
	{"Kind is a label of one line", func(g *cups) { g.kind = func(state, game.Action, game.Action) string { return "" } }},
	{"Kind has few labels", func(g *cups) {
		g.kind = func(s state, _, _ game.Action) string { return g.format(s) }
	}},
	{"Situation is a label of one line", func(g *cups) { g.situation = func(state) string { return "late\n" } }},
	{"Situation is a function of its arguments", func(g *cups) {
		calls := 0
		g.situation = func(state) string {
			calls++
			return []string{"early", "late"}[calls%2]
		}
	}},
	{"Situation has few labels", func(g *cups) { g.situation = func(s state) string { return g.format(s) } }},
	{"MistakeLabeler does not panic", func(g *cups) { g.situation = func(state) string { panic("oh") } }},
	{"OddsTables refuses an unknown question", func(g *cups) {
		g.odds = func(string) ([]game.Table, error) { return []game.Table{{}}, nil }
	}},
	{"OddsTables answers AllOdds", func(g *cups) {
		g.odds = func(string) ([]game.Table, error) { return nil, errors.New("no") }
	}},
	{"OddsTables have a cell for each column", func(g *cups) {
		odds := g.odds
		g.odds = func(question string) ([]game.Table, error) {
			t, err := odds(question)
			if err == nil {
				t[0].Rows[1] = []any{1}
			}
			return t, err
		}
	}},
	{"cells of OddsTables are strings and finite numbers", func(g *cups) {
		odds := g.odds
		g.odds = func(question string) ([]game.Table, error) {
			t, err := odds(question)
			if err == nil {
				t[0].Rows[1][1] = math.NaN()
			}
			return t, err
		}
	}},
	{"Canonical of a representative is itself", func(g *cups) {
		g.canonical = func(s state) (state, []game.Action) {
			s.Cup[0], s.Cup[1] = s.Cup[1], s.Cup[0]
			return s, swap
		}
	}},
	{"Canonical keeps the current player", func(g *cups) {
		g.canonical = func(s state) (state, []game.Action) {
			s.Turns &= 4
			return s, nil
		}
	}},
	{"Canonical preserves the returns", func(g *cups) {
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
		// Neither cup is empty, so that any labels are legal.
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
	{"Expand lists branches with their moves and leaves", func(g *cups) {
		expand := g.expand
		g.expand = func(dst *game.Expansion[state], s state) bool {
			expand(dst, s)
			dst.Move = append(dst.Move, 0)
			return true
		}
	}},
	{"Expand lists branches with their moves and leaves", func(g *cups) {
		expand := g.expand
		g.expand = func(dst *game.Expansion[state], s state) bool {
			expand(dst, s)
			dst.Move[0] = int32(len(dst.Leaf))
			return true
		}
	}},
	{"Expand lists branches with their moves and leaves", func(g *cups) {
		expand := g.expand
		g.expand = func(dst *game.Expansion[state], s state) bool {
			expand(dst, s)
			dst.Mover = dst.Mover[1:]
			return true
		}
	}},
	{"Expand lists each leaf once, for one seat", func(g *cups) {
		expand := g.expand
		g.expand = func(dst *game.Expansion[state], s state) bool {
			expand(dst, s)
			dst.Mover[0] ^= 1
			return true
		}
	}},
	{"Expand lists each leaf once, for one seat", func(g *cups) {
		expand := g.expand
		g.expand = func(dst *game.Expansion[state], s state) bool {
			expand(dst, s)
			dst.Leaf, dst.Mover = append(dst.Leaf, dst.Leaf[0]), append(dst.Mover, dst.Mover[0])
			dst.Move[0] = int32(len(dst.Leaf) - 1)
			dst.Move = append(dst.Move, 0)
			dst.Branch = append(dst.Branch, game.Branch{Mover: dst.Branch[0].Mover, Moves: 1})
			return true
		}
	}},
	{"Expand lists each leaf once, for one seat", func(g *cups) {
		expand := g.expand
		g.expand = func(dst *game.Expansion[state], s state) bool {
			expand(dst, s)
			for i := range dst.Leaf {
				x := &dst.Leaf[i]
				x.Cup[0], x.Cup[1] = x.Cup[1], x.Cup[0]
			}
			return true
		}
	}},
	{"Expand follows Outcomes", func(g *cups) {
		expand := g.expand
		g.expand = func(dst *game.Expansion[state], s state) bool {
			expand(dst, s)
			dst.Branch[len(dst.Branch)-1].Prob += dst.Branch[0].Prob
			dst.Branch[0].Prob = 0
			return true
		}
	}},
	{"Expand follows Outcomes", func(g *cups) {
		expand := g.expand
		g.expand = func(dst *game.Expansion[state], s state) bool {
			expand(dst, s)
			dst.Branch[0].Mover ^= 1
			return dst.Branch[0].Mover >= 0
		}
	}},
	{"Probs are probabilities, zero where illegal", func(g *cups) {
		g.bot = func(name string) (game.Policy[state], error) {
			return probsFunc(func(dst []float64, states []state) error {
				for i := range dst {
					dst[i] = 1.0 / 3
				}
				return nil
			}), nil
		}
	}},
	{"Probs sum to 1", func(g *cups) {
		g.bot = func(name string) (game.Policy[state], error) {
			return probsFunc(func(dst []float64, states []state) error {
				clear(dst)
				return nil
			}), nil
		}
	}},
	{"Probs answers for every decision", func(g *cups) {
		g.bot = func(name string) (game.Policy[state], error) {
			return probsFunc(func(dst []float64, states []state) error { return errors.New("oh") }), nil
		}
	}},
	{"Bot knows the names of BotNames", func(g *cups) { g.botNames = func() []string { return []string{"first", "second"} } }},
	{"BotNames are distinct", func(g *cups) { g.botNames = func() []string { return []string{"first", "first"} } }},
}
