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
func (r *Rules) NewPlan() game.Plan[State] {
	return &plan{t: r.t, chance: chance{t: r.t, index: map[uint32]int32{}}, index: map[uint32]int32{}}
}

// SolveAll implements [game.TurnPlanner].
func (r *Rules) SolveAll(plans []game.Plan[State], values [][]float64) {
	for i, p := range plans {
		p.(*plan).solve(values[i])
	}
}

// plan is the plan of one decision.
type plan struct {
	t       *Table
	chance  chance
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
		for _, x := range p.chance.follow(to) {
			end, ok := p.index[x.at]
			if !ok {
				end = int32(len(p.ends))
				p.index[x.at], p.ends = end, append(p.ends, State{x.at})
			}
			p.paths = append(p.paths, path{end, x.prob})
		}
	}
	p.first = append(p.first, len(p.paths))
	return p.ends
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
	list := p.chance.follow(s.At)
	for _, x := range list {
		if p.t.Mover[x.at] >= 0 {
			return dst, false
		}
	}
	for seat := range p.t.Players {
		v := 0.0
		for _, x := range list {
			v += float64(x.prob * p.t.row(x.at)[seat])
		}
		dst = append(dst, v)
	}
	return dst, true
}

// Value implements [game.Plan].
func (p *plan) Value(dst []float64) []float64 { return append(dst, p.value...) }

// Options implements [game.Plan].
func (p *plan) Options(dst []float64, _ State) []float64 { return append(dst, p.options...) }

// chance finds what follows a state once no chance is left.
type chance struct {
	t     *Table
	index map[uint32]int32 // of met, by state
	met   []met
	ready []int32 // in met: those whose probability is known
	ends  []met
}

// met is a state that chance may lead to, with a probability.
type met struct {
	at   uint32
	open int32 // transitions to it that are not in prob yet
	prob float64
}

// follow returns the decisions and ends that follow a state after chance, each once, or the state
// itself where chance is not to move. They are valid until the next call. Chance does not recur (see
// checkChance): each chance state passes its probability on once, after all that lead to it.
func (c *chance) follow(at uint32) []met {
	c.ends = append(c.ends[:0], met{at: at, prob: 1})
	if c.t.Mover[at] != game.Chance {
		return c.ends
	}
	clear(c.index)
	c.index[at] = 0
	c.met, c.ready, c.ends = append(c.met[:0], c.ends...), append(c.ready[:0], 0), c.ends[:0]
	for i := 0; i < len(c.met); i++ {
		if at := c.met[i].at; c.t.Mover[at] == game.Chance {
			for _, to := range c.t.Successors(at) {
				k, ok := c.index[to]
				if !ok {
					k = int32(len(c.met))
					c.index[to], c.met = k, append(c.met, met{at: to})
				}
				c.met[k].open++
			}
		}
	}
	for i := 0; i < len(c.ready); i++ {
		x := c.met[c.ready[i]]
		if c.t.Mover[x.at] != game.Chance {
			c.ends = append(c.ends, x)
			continue
		}
		first := uint(c.t.First[x.at])
		for n, to := range c.t.Successors(x.at) {
			k := c.index[to]
			next := &c.met[k]
			next.prob += float64(x.prob * c.t.Probability[first+uint(n)])
			if next.open--; next.open == 0 {
				c.ready = append(c.ready, k)
			}
		}
	}
	return c.ends
}
