package tablegame

import (
	"math/rand/v2"

	"marsgym/env/game"
	"marsgym/internal/random"
)

// TurnStart implements [game.TurnPlanner]. A turn is one decision: a table does not say which decisions
// of a seat belong together.
func (r *Rules) TurnStart(s State) (mover game.Player, ok bool) {
	mover = r.t.Mover[s.At]
	return max(mover, 0), mover >= 0
}

// TurnOf implements [game.TurnPlanner].
func (r *Rules) TurnOf(s State) State { return s }

// SampleStart implements [game.TurnPlanner]: all decisions that can be reached are as likely.
func (r *Rules) SampleStart(dice *rand.PCG) State {
	list := r.decisions()
	return State{list[random.Below(dice, len(list))]}
}

// NewPlan implements [game.TurnPlanner].
func (r *Rules) NewPlan() game.Plan[State] { return &plan{t: r.t, index: map[uint32]int32{}} }

// SolveAll implements [game.TurnPlanner].
func (r *Rules) SolveAll(plans []game.Plan[State], values [][]float64) {
	for i, p := range plans {
		p.(*plan).solve(values[i])
	}
}

// plan is the plan of one decision.
type plan struct {
	t       *Table
	mover   game.Player
	ends    []State
	index   map[uint32]int32 // of ends, by state
	first   []int            // by action, and one more: where its paths begin
	paths   []path
	options []float64 // by action
	value   []float64 // [P]
}

// path leads to an end with a probability.
type path struct {
	end  int32
	prob float64
}

// Begin implements [game.Plan].
func (p *plan) Begin(s State) []State {
	p.mover, p.ends, p.first, p.paths = p.t.Mover[s.At], p.ends[:0], p.first[:0], p.paths[:0]
	clear(p.index)
	for _, to := range p.t.Successors(s.At) {
		p.first = append(p.first, len(p.paths))
		p.lead(to, 1)
	}
	p.first = append(p.first, len(p.paths))
	return p.ends
}

// lead adds the paths to what follows a state after chance.
func (p *plan) lead(at uint32, prob float64) {
	if p.t.Mover[at] == game.Chance {
		first := uint(p.t.First[at])
		for k, to := range p.t.Successors(at) {
			p.lead(to, prob*p.t.Probability[first+uint(k)])
		}
		return
	}
	end, ok := p.index[at]
	if !ok {
		end = int32(len(p.ends))
		p.index[at], p.ends = end, append(p.ends, State{at})
	}
	p.paths = append(p.paths, path{end, prob})
}

// solve computes the values of the actions from those of the ends [n, P].
func (p *plan) solve(values []float64) {
	players := p.t.Players
	p.options, p.value = p.options[:0], append(p.value[:0], make([]float64, players)...)
	for a := range len(p.first) - 1 {
		v := 0.0
		for _, x := range p.paths[p.first[a]:p.first[a+1]] {
			v += float64(x.prob * values[int(x.end)*players+int(p.mover)])
		}
		p.options = append(p.options, v)
	}
	best := max(0, game.BestOption(p.options))
	for _, x := range p.paths[p.first[best]:p.first[best+1]] {
		for seat := range p.value {
			p.value[seat] += float64(x.prob * values[int(x.end)*players+seat])
		}
	}
}

// Known implements [game.Plan].
func (p *plan) Known(dst []float64, s State) ([]float64, bool) {
	n := len(dst)
	for range p.t.Players {
		dst = append(dst, 0)
	}
	if p.known(dst[n:], s.At, 1) {
		return dst, true
	}
	return dst[:n], false
}

// known adds the returns that follow a state to sum [P], and reports whether no seat has a decision
// left.
func (p *plan) known(sum []float64, at uint32, prob float64) bool {
	switch mover := p.t.Mover[at]; {
	case mover >= 0:
		return false
	case mover == game.Terminal:
		for seat, v := range p.t.row(at) {
			sum[seat] += float64(prob * v)
		}
		return true
	}
	first := uint(p.t.First[at])
	for k, to := range p.t.Successors(at) {
		if !p.known(sum, to, prob*p.t.Probability[first+uint(k)]) {
			return false
		}
	}
	return true
}

// Value implements [game.Plan].
func (p *plan) Value(dst []float64) []float64 { return append(dst, p.value...) }

// Options implements [game.Plan].
func (p *plan) Options(dst []float64, _ State) []float64 { return append(dst, p.options...) }
