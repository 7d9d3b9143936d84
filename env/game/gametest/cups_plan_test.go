package gametest_test

import (
	"slices"

	"marsgym/env/game"
)

// plan is the plan of a turn of cups: a roll and a decision. A test may replace every
// method.
type plan struct {
	begin   func(s state) []state
	known   func(dst []float64, s state) ([]float64, bool)
	solve   func(values []float64)
	value   func(dst []float64) []float64
	options func(dst []float64, s state) []float64
}

func (p *plan) Begin(s state) []state                              { return p.begin(s) }
func (p *plan) Known(dst []float64, s state) ([]float64, bool)     { return p.known(dst, s) }
func (p *plan) Value(dst []float64) []float64                      { return p.value(dst) }
func (p *plan) Options(dst []float64, s state) (options []float64) { return p.options(dst, s) }

// newPlan satisfies the contract.
func newPlan(g *cups) *plan {
	var start state
	var ends []state
	var pay []float64
	p := &plan{}
	after := func(s state, a game.Action) state {
		end, _ := g.apply(s, a)
		end, _ = g.canonical(end)
		return end
	}
	value := func(s state, a game.Action) []float64 { return pay[2*slices.Index(ends, after(s, a)):][:2] }
	p.begin = func(s state) []state {
		start, ends = s, nil
		for _, o := range g.outcomes(nil, s) {
			for _, a := range g.legal(nil, o.State) {
				if end := after(o.State, a); !slices.Contains(ends, end) {
					ends = append(ends, end)
				}
			}
		}
		return ends
	}
	p.known = func(dst []float64, s state) ([]float64, bool) {
		if g.currentPlayer(s) != game.Terminal {
			return dst, false
		}
		return g.returns(dst, s), true
	}
	p.solve = func(values []float64) { pay = slices.Clone(values) }
	options := func(dst []float64, s state) []float64 {
		for _, a := range g.legal(nil, s) {
			dst = append(dst, value(s, a)[g.currentPlayer(s)])
		}
		return dst
	}
	p.options = options
	p.value = func(dst []float64) []float64 {
		var sum [2]float64
		for _, o := range g.outcomes(nil, start) {
			values := options(nil, o.State)
			best := g.legal(nil, o.State)[slices.Index(values, slices.Max(values))]
			for j, v := range value(o.State, best) {
				sum[j] += o.Prob * v
			}
		}
		return append(dst, sum[:]...)
	}
	return p
}
