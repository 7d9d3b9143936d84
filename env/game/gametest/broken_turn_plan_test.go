package gametest_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/gametest"
	"marsgym/internal/test/fulltest"
)

// changePlans changes the plans of g.
func changePlans(g *cups, change func(p *plan)) {
	g.newPlan = func() game.Plan[state] {
		p := newPlan(g)
		change(p)
		return p
	}
}

// brokenTurns break a clause about turns or their plans.
var brokenTurns = []breach{
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
	{"a turn of the seat starts in TurnOf", func(g *cups) { g.turnOf = func(s state) state { return s } }},
	{"the ends from TurnOf are those of the turn", func(g *cups) {
		start := g.turnOf
		g.turnOf = func(s state) state {
			s = start(s)
			s.Score[s.Turns%2]++
			return s
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
	{"SolveAll solves each as if it were alone", func(g *cups) {
		all := g.solveAll
		g.solveAll = func(plans []game.Plan[state], values [][]float64) {
			last := slices.Clone(values[len(values)-1])
			for j := range last {
				last[j] /= float64(len(values))
			}
			all(plans, append(values[:len(values)-1:len(values)-1], last))
		}
	}},
	{"SampleStart is a function of the generator", func(g *cups) {
		sample, own := g.sampleStart, rand.NewPCG(1, 1)
		g.sampleStart = func(*rand.PCG) state { return sample(own) }
	}},
	{"SampleStart samples a start of a turn", func(g *cups) {
		sample := g.sampleStart
		g.sampleStart = func(r *rand.PCG) state {
			s := sample(r)
			s.Rolling = s.Turns != 3
			return s
		}
	}},
	{"SampleStart may return every start of a turn", func(g *cups) {
		sample := g.sampleStart
		g.sampleStart = func(r *rand.PCG) state {
			s := sample(r)
			s.Score[1] = min(s.Score[1], 1)
			return s
		}
	}},
	{"SampleStart does not panic", func(g *cups) { g.sampleStart = func(*rand.PCG) state { panic("oh") } }},
	{"Parse reads what Format wrote", func(g *cups) { // sampled states are checked like visited ones
		sample := g.sampleStart
		g.sampleStart = func(r *rand.PCG) state {
			s := sample(r)
			if r.Uint64()%2 == 0 {
				s.Cup[0] = -1
			}
			return s
		}
	}},
	{"Plan does not panic", func(g *cups) { changePlans(g, func(p *plan) { p.solve = func([]float64) { panic("oh") } }) }},
	{"Begin returns each end once", func(g *cups) {
		changePlans(g, func(p *plan) {
			begin := p.begin
			p.begin = func(s state) []state {
				ends := begin(s)
				return append(ends, ends[0])
			}
		})
	}},
	{"Begin returns every end", func(g *cups) {
		changePlans(g, func(p *plan) {
			begin := p.begin
			p.begin = func(s state) []state { return begin(s)[1:] }
		})
	}},
	{"Begin returns every end", func(g *cups) { // right in the first turn only
		changePlans(g, func(p *plan) {
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
		changePlans(g, func(p *plan) {
			begin := p.begin
			p.begin = func(s state) []state {
				ends := begin(s)
				s.Score[0] += 3
				return append(ends, s)
			}
		})
	}},
	{"the next turn starts in an end, or it is Known", func(g *cups) {
		changePlans(g, func(p *plan) {
			p.known = func(dst []float64, _ state) ([]float64, bool) { return dst, false }
		})
	}},
	{"Known appends nothing if it returns false", func(g *cups) {
		changePlans(g, func(p *plan) {
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
		changePlans(g, func(p *plan) {
			known := p.known
			p.known = func(dst []float64, s state) ([]float64, bool) { return known(dst[:0], s) }
		})
	}},
	{"Known returns false where a seat has a choice", func(g *cups) {
		changePlans(g, func(p *plan) {
			p.known = func(dst []float64, s state) ([]float64, bool) { return g.returns(dst, s), true }
		})
	}},
	{"Known appends the expected returns", func(g *cups) {
		changePlans(g, func(p *plan) {
			known := p.known
			p.known = func(dst []float64, s state) ([]float64, bool) {
				n := len(dst)
				dst, ok := known(dst, s)
				slices.Reverse(dst[n:])
				return dst, ok
			}
		})
	}},
	{"SolveAll leaves the values unchanged", func(g *cups) {
		changePlans(g, func(p *plan) {
			solve := p.solve
			p.solve = func(values []float64) {
				solve(values)
				values[0]++
			}
		})
	}},
	{"Value appends its numbers", func(g *cups) {
		changePlans(g, func(p *plan) {
			value := p.value
			p.value = func(dst []float64) []float64 { return value(dst[:0]) }
		})
	}},
	{"Value is that of backward induction", func(g *cups) {
		changePlans(g, func(p *plan) {
			value := p.value
			p.value = func(dst []float64) []float64 {
				n := len(dst)
				dst = value(dst)
				dst[n] += 1e-8
				return dst
			}
		})
	}},
	{"backward induction", func(g *cups) { // right for the first values only
		changePlans(g, func(p *plan) {
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
		changePlans(g, func(p *plan) {
			options := p.options
			p.options = func(dst []float64, s state) []float64 { return append(options(dst, s), 0) }
		})
	}},
	{"Options are those of backward induction", func(g *cups) {
		changePlans(g, func(p *plan) {
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

// manyOutcomes returns cups whose roll has too many outcomes for backward induction over
// a turn. The content of a cup counts as at most 1.
func manyOutcomes() *cups {
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
	sample, apply := g.sampleStart, g.apply
	g.sampleStart = func(r *rand.PCG) state {
		s := sample(r)
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

func TestLongTurns(t *testing.T) {
	fulltest.Gate(t)
	tried := map[string]bool{}
	for _, b := range append([]breach{{"", func(*cups) {}}}, brokenTurns...) {
		switch b.clause {
		case "", "Begin returns every end", "Options appends its numbers",
			"Value is that of backward induction", "Options are those of backward induction":
		default:
			continue // the clause does not depend on the length of the turn
		}
		if tried[b.clause] && !fulltest.On() {
			continue // TestBroken has it in short turns
		}
		tried[b.clause] = true
		g := manyOutcomes()
		b.commit(g)
		err := gametest.Check(struct {
			game.Rules[state]
			game.TurnPlanner[state]
		}{g, g}, gametest.Games(1))
		if b.clause == "" && err != nil || b.clause != "" && (err == nil || !strings.Contains(err.Error(), b.clause)) {
			t.Errorf("got error %v, want %q", err, b.clause)
		}
	}
}
