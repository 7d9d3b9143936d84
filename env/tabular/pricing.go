package tabular

import (
	"context"
	"fmt"
	"math"
	"slices"

	"marsgym/env/game"
)

// pricing values every position when some seats play given strategies and the
// others, those that are free, maximise their own return.
type pricing struct {
	*graph
	seats   [][]float64 // [P] probabilities of moves; nil for a free seat
	reached []bool      // positions that can occur; nil for all
	value   []float64   // [positions, P]
	choice  []int32     // which of its moves a free seat makes
	entry   int32       // position by which the component at hand was entered

	place []int32 // 1 + index in the component at hand, else 0
	sys   system
}

func newPricing(g *graph, seats [][]float64) *pricing {
	n := len(g.nodes)
	p := &pricing{
		graph:  g,
		seats:  seats,
		value:  make([]float64, n*g.players),
		place:  make([]int32, n),
		choice: make([]int32, n),
	}
	if slices.ContainsFunc(seats, func(w []float64) bool { return w != nil }) {
		p.reach()
	}
	return p
}

// reach marks the positions that can occur: what the given strategies never
// play into cannot matter, nor be held against them.
func (p *pricing) reach() {
	p.reached = make([]bool, len(p.nodes))
	p.reached[0] = true
	for todo := []int32{0}; len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		w := p.weights(i)
		for k, j := range p.next(i) {
			if !p.reached[j] && (w == nil || w[k] > 0) {
				p.reached[j] = true
				todo = append(todo, j)
			}
		}
	}
}

// weights are the probabilities of next(i); nil where a free seat moves.
func (p *pricing) weights(i int32) []float64 {
	x := p.nodes[i]
	switch {
	case x.turn == game.Chance:
		return p.probs[x.first : x.first+x.n]
	case x.turn < 0 || p.seats[x.turn] == nil:
		return nil
	}
	return p.seats[x.turn][x.first : x.first+x.n]
}

func (p *pricing) free(i int32) bool {
	turn := p.nodes[i].turn
	return turn >= 0 && p.seats[turn] == nil
}

var certain = []float64{1}

// edges are where position i leads under the present choices, with
// probabilities, some of which may be zero.
func (p *pricing) edges(i int32) ([]int32, []float64) {
	next := p.next(i)
	if p.free(i) {
		c := p.choice[i]
		return next[c : c+1], certain
	}
	return next, p.weights(i)
}

// at is the value of position i by seat.
func (p *pricing) at(i int32) []float64 {
	k := int(i) * p.players
	return p.value[k : k+p.players]
}

// run values the components in order.
func (p *pricing) run(ctx context.Context, c components, progress func(float64)) error {
	const pause = 1 << 14 // positions between looks at ctx
	for k, next := 0, 0; k < c.len(); k++ {
		comp := c.at(k)
		if done := int(c.bounds[k]); done >= next {
			if err := ctx.Err(); err != nil {
				return err
			}
			if progress != nil {
				progress(float64(done) / float64(len(p.nodes)))
			}
			next = done + pause
		}
		p.entry = comp[len(comp)-1]
		if err := p.component(ctx, comp); err != nil {
			return err
		}
	}
	if progress != nil {
		progress(1)
	}
	return nil
}

func (p *pricing) component(ctx context.Context, comp []int32) error {
	if p.reached != nil {
		// Those that cannot occur are set aside. comp is shared: it is copied.
		if !slices.ContainsFunc(comp, func(i int32) bool { return p.reached[i] }) {
			return nil
		}
		if len(comp) > 1 {
			comp = slices.DeleteFunc(slices.Clone(comp), func(i int32) bool { return !p.reached[i] })
		}
	}
	if len(comp) > 1 || slices.Contains(p.next(comp[0]), comp[0]) {
		return p.cycle(ctx, comp)
	}
	if i := comp[0]; p.nodes[i].turn == game.Terminal {
		k := int(p.nodes[i].first) * p.players
		copy(p.at(i), p.returns[k:k+p.players])
	} else {
		if p.free(i) {
			p.choice[i] = p.best(i)
		}
		p.lookAhead(i)
	}
	return nil
}

// best is the move that the seat to move in i likes best, ties to the lowest.
func (p *pricing) best(i int32) int32 {
	turn := p.nodes[i].turn
	most := math.Inf(-1)
	for _, j := range p.next(i) {
		most = max(most, p.at(j)[turn])
	}
	for k, j := range p.next(i) {
		if p.at(j)[turn] >= most-game.Tie {
			return int32(k)
		}
	}
	return 0 // the values are not numbers
}

// lookAhead sets the value of i to that of where it leads, and returns by how
// much it changed: in absolute terms near zero, relative beyond 1.
func (p *pricing) lookAhead(i int32) (change float64) {
	to, w := p.edges(i)
	for seat, old := range p.at(i) {
		v := 0.0
		for k, j := range to {
			v += w[k] * p.value[int(j)*p.players+seat]
		}
		p.at(i)[seat] = v
		change = max(change, math.Abs(v-old)/max(1, math.Abs(v)))
	}
	return change
}

const (
	// rounds of improvement, and sweeps of value iteration, after which a
	// component is given up. Chosen: known games need less than ten rounds, and
	// a thousandth of the sweeps.
	rounds = 100
	sweeps = 100_000

	// settled is the change in one sweep, as of lookAhead, below which values are
	// taken to stand still: a few times their rounding error.
	settled = 1e-15
)

// cycle values a component in which positions can recur.
func (p *pricing) cycle(ctx context.Context, comp []int32) error {
	for k, i := range comp {
		p.place[i] = int32(k) + 1
	}
	defer func() {
		for _, i := range comp {
			p.place[i] = 0
		}
	}()
	if !slices.ContainsFunc(comp, p.free) {
		return p.solve(ctx, comp)
	}
	for _, i := range comp {
		for seat := range p.at(i) {
			p.at(i)[seat] = p.share
		}
	}

	solved, swept := false, false
	last := make([]int32, len(comp)) // choices that the values belong to
	for round := 0; ; round++ {
		for k, i := range comp {
			last[k] = p.choice[i]
			if p.free(i) {
				p.choice[i] = p.best(i)
			}
		}
		if solved && p.unchanged(comp, last) {
			return nil
		}
		err := p.solve(ctx, comp)
		if err == errEndless { // as it is, never wrapped, within this package
			p.leave(comp)
			if solved && p.unchanged(comp, last) {
				return nil
			}
			err = p.solve(ctx, comp)
		}
		solved = err == nil
		if err != nil && err != errEndless {
			return err
		}
		if err == nil && round%rounds < rounds-1 {
			continue
		}
		// Improvement failed: the choices go round, or never end. Value iteration
		// settles where there is one value.
		if swept {
			if err == nil {
				return fmt.Errorf("%w: in a cycle of %d positions the choices do not settle", game.ErrNoSolution, len(comp))
			}
			return err
		}
		swept, solved = true, false
		if err := p.iterate(ctx, comp); err != nil {
			return err
		}
	}
}

func (p *pricing) unchanged(comp, last []int32) bool {
	for k, i := range comp {
		if p.choice[i] != last[k] {
			return false
		}
	}
	return true
}

// iterate sweeps over comp, the free seats choosing as they go, from equal
// shares until the values stand still.
func (p *pricing) iterate(ctx context.Context, comp []int32) error {
	for _, i := range comp {
		for seat := range p.at(i) {
			p.at(i)[seat] = p.share
		}
	}
	for range sweeps {
		if err := ctx.Err(); err != nil {
			return err
		}
		change := 0.0
		for _, i := range comp {
			if p.free(i) {
				p.choice[i] = p.best(i)
			}
			change = max(change, p.lookAhead(i))
		}
		if change <= settled {
			break
		}
	}
	return nil
}

// leave changes choices that would never leave comp, where another move is
// worth the same and does.
func (p *pricing) leave(comp []int32) {
	out := make([]bool, len(comp)) // known to leave
	leads := func(j int32) bool { return p.place[j] == 0 || out[p.place[j]-1] }
	for again := true; again; {
		again = false
		for k, i := range comp {
			if out[k] {
				continue
			}
			to, w := p.edges(i)
			for e, j := range to {
				out[k] = out[k] || w[e] > 0 && leads(j)
			}
			again = again || out[k]
		}
		if again {
			continue
		}
		for k, i := range comp {
			if out[k] || !p.free(i) {
				continue
			}
			turn := p.nodes[i].turn
			most := p.at(p.next(i)[p.best(i)])[turn]
			for e, j := range p.next(i) {
				if leads(j) && p.at(j)[turn] >= most-game.Tie {
					p.choice[i], out[k], again = int32(e), true, true
					break
				}
			}
			if again {
				break // others may now leave with the choices they have
			}
		}
	}
}
