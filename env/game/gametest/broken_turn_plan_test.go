package gametest_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/gametest"
)

// replan changes the plans of g.
func replan(g *cups, change func(p *plan)) {
	g.newPlan = func() game.Plan[state] {
		p := newPlan(g)
		change(p)
		return p
	}
}

// brokenPlanners break a clause about plans.
var brokenPlanners = []breach{
	{"TurnStart returns a seat", func(g *cups) { g.turnStart = func(state) game.Player { return 2 } }},
	{"TurnStart returns the seat that decides", func(g *cups) { g.turnStart = func(s state) game.Player { return 0 } }},
	{"TurnStart is that of the representative", func(g *cups) {
		mover := g.turnStart
		g.turnStart = func(s state) game.Player {
			if s.Cup[0] > s.Cup[1] {
				return -1
			}
			return mover(s)
		}
	}},
	{"every decision lies in a turn of its seat", func(g *cups) {
		mover := g.turnStart
		g.turnStart = func(s state) game.Player {
			if s.Turns == 3 {
				return -1
			}
			return mover(s)
		}
	}},
	{"SolveAll is Solve of each", func(g *cups) {
		all := g.solveAll
		g.solveAll = func(plans []game.Plan[state], values [][]float64) {
			for j := range values[len(values)-1] {
				values[len(values)-1][j] /= 2
			}
			all(plans, values)
		}
	}},
	{"SampleStart is a function of the generator", func(g *cups) {
		draw, own := g.sampleStart, rand.NewPCG(1, 1)
		g.sampleStart = func(*rand.PCG) state { return draw(own) }
	}},
	{"SampleStart samples a start of a turn", func(g *cups) {
		draw := g.sampleStart
		g.sampleStart = func(r *rand.PCG) state {
			s := draw(r)
			s.Rolling = s.Turns != 3
			return s
		}
	}},
	{"SampleStart may return every start of a turn", func(g *cups) {
		draw := g.sampleStart
		g.sampleStart = func(r *rand.PCG) state {
			s := draw(r)
			s.Score[1] = min(s.Score[1], 1)
			return s
		}
	}},
	{"SampleStart does not panic", func(g *cups) { g.sampleStart = func(*rand.PCG) state { panic("oh") } }},
	{"Parse reads what Format wrote", func(g *cups) { // what is drawn is looked at as what is met
		draw := g.sampleStart
		g.sampleStart = func(r *rand.PCG) state {
			s := draw(r)
			if r.Uint64()%2 == 0 {
				s.Cup[0] = -1
			}
			return s
		}
	}},
	{"Plan does not panic", func(g *cups) { replan(g, func(p *plan) { p.solve = func([]float64) { panic("oh") } }) }},
	{"Begin returns each end once", func(g *cups) {
		replan(g, func(p *plan) {
			begin := p.begin
			p.begin = func(s state) []state {
				ends := begin(s)
				return append(ends, ends[0])
			}
		})
	}},
	{"Begin returns every end", func(g *cups) {
		replan(g, func(p *plan) {
			begin := p.begin
			p.begin = func(s state) []state { return begin(s)[1:] }
		})
	}},
	{"Begin returns every end", func(g *cups) { // but those of the first turn
		replan(g, func(p *plan) {
			var ends []state
			begin := p.begin
			p.begin = func(s state) []state {
				if ends == nil {
					ends = begin(s)
				}
				return ends
			}
		})
	}},
	{"Begin returns no state that cannot end the turn", func(g *cups) {
		replan(g, func(p *plan) {
			begin := p.begin
			p.begin = func(s state) []state {
				ends := begin(s)
				s.Score[0] += 3
				return append(ends, s)
			}
		})
	}},
	{"the next turn starts in an end, or it is Known", func(g *cups) {
		replan(g, func(p *plan) {
			p.known = func(dst []float64, _ state) ([]float64, bool) { return dst, false }
		})
	}},
	{"Known appends nothing to what is not known", func(g *cups) {
		replan(g, func(p *plan) {
			known := p.known
			p.known = func(dst []float64, s state) ([]float64, bool) {
				if dst, ok := known(dst, s); ok {
					return dst, true
				}
				return append(dst, 0, 0), false
			}
		})
	}},
	{"Known appends one number for each seat", func(g *cups) {
		replan(g, func(p *plan) {
			known := p.known
			p.known = func(dst []float64, s state) ([]float64, bool) { return known(dst[:0], s) }
		})
	}},
	{"Known is where nothing is left to decide", func(g *cups) {
		replan(g, func(p *plan) {
			p.known = func(dst []float64, s state) ([]float64, bool) { return g.returns(dst, s), true }
		})
	}},
	{"Known is what the rest of the game pays", func(g *cups) {
		replan(g, func(p *plan) {
			known := p.known
			p.known = func(dst []float64, s state) ([]float64, bool) {
				n := len(dst)
				dst, ok := known(dst, s)
				slices.Reverse(dst[n:])
				return dst, ok
			}
		})
	}},
	{"Solve leaves the values as they are", func(g *cups) {
		replan(g, func(p *plan) {
			solve := p.solve
			p.solve = func(values []float64) {
				solve(values)
				values[0]++
			}
		})
	}},
	{"Value appends its numbers", func(g *cups) {
		replan(g, func(p *plan) {
			value := p.value
			p.value = func(dst []float64) []float64 { return value(dst[:0]) }
		})
	}},
	{"Value is that of backward induction", func(g *cups) {
		replan(g, func(p *plan) {
			value := p.value
			p.value = func(dst []float64) []float64 {
				n := len(dst)
				dst = value(dst)
				dst[n] += 1e-8
				return dst
			}
		})
	}},
	{"backward induction", func(g *cups) { // but for the first values
		replan(g, func(p *plan) {
			solve, first := p.solve, true
			p.solve = func(values []float64) {
				if first {
					solve(values)
				}
				first = false
			}
			begin := p.begin
			p.begin = func(s state) []state {
				first = true
				return begin(s)
			}
		})
	}},
	{"Options appends its numbers", func(g *cups) {
		replan(g, func(p *plan) {
			options := p.options
			p.options = func(dst []float64, s state) []float64 { return append(options(dst, s), 0) }
		})
	}},
	{"Options are those of backward induction", func(g *cups) {
		replan(g, func(p *plan) {
			options := p.options
			p.options = func(dst []float64, s state) []float64 {
				n := len(dst)
				dst = options(dst, s)
				slices.Sort(dst[n:])
				return dst
			}
		})
	}},
}

// wide are cups of which the roll has too many outcomes for a turn to be listed.
// What is in a cup counts as one at most.
func wide() *cups {
	g := healthy()
	g.canonical = func(s state) (state, []game.Action) { return s, nil }
	g.outcomes = func(dst []outcome, s state) []outcome {
		if !s.Rolling {
			return dst
		}
		s.Rolling = false
		dst = slices.Grow(dst, 71*71)
		for i := range 71 * 71 {
			s.Cup = [2]int8{int8(i / 71), int8(i % 71)}
			dst = append(dst, outcome{State: s, Prob: 1. / (71 * 71)})
		}
		return dst
	}
	draw, apply := g.sampleStart, g.apply
	g.sampleStart = func(r *rand.PCG) state {
		s := draw(r)
		if s.Cup = [2]int8{min(s.Cup[0], 1), min(s.Cup[1], 1)}; r.Uint64()%2 == 0 {
			s.Cup[0], s.Cup[1] = s.Cup[1], s.Cup[0]
		}
		return s
	}
	g.apply = func(s state, a game.Action) (state, error) {
		for i, n := range s.Cup {
			s.Cup[i] = min(n, 1)
		}
		return apply(s, a)
	}
	return g
}

// turns is all that rules can offer about turns.
type turns interface {
	game.StartSampler[state]
	game.BatchTurnPlanner[state]
}

func TestLongTurns(t *testing.T) {
	for _, b := range append([]breach{{"", func(*cups) {}}}, brokenPlanners...) {
		switch b.clause {
		case "", "Begin returns every end", "Options appends its numbers",
			"Value is that of backward induction", "Options are those of backward induction":
		default:
			continue // the length of the turn is nothing to it
		}
		g := wide()
		b.commit(g)
		err := gametest.Check(struct {
			game.Rules[state]
			turns
		}{g, g}, gametest.Games(2))
		if b.clause == "" && err != nil || b.clause != "" && (err == nil || !strings.Contains(err.Error(), b.clause)) {
			t.Errorf("got error %v, want %q", err, b.clause)
		}
	}
}
