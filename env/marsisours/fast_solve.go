package marsisours

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"marsgym/env/game"
)

// fastClass is what no move of the map changes but a lost attack, or one that
// takes a robot from the junkyard.
type fastClass struct {
	robots, junk [2]int // of each role: in the game, and of these in the junkyard
}

// left is what is in the junkyards.
func (c fastClass) left() [2]uint8 { return [2]uint8{uint8(c.junk[0]), uint8(c.junk[1])} }

// fastLayer are positions that lead to each other only within a group of
// patterns and a class.
type fastLayer struct {
	classes []fastClass
	groups  [][]uint32
}

// layers lists the layers, each before those that lead to it: robots are lost
// for good, junkyards only empty, and the map only fills.
func (x *fastIndex) layers() (list []fastLayer) {
	for robots := range 2*x.robots + 1 {
		for junk := range 2*x.junk + 1 {
			var classes []fastClass
			for r0 := max(0, robots-x.robots); r0 <= min(x.robots, robots); r0++ {
				for j0 := max(0, junk-x.junk); j0 <= min(x.junk, junk); j0++ {
					c := fastClass{[2]int{r0, robots - r0}, [2]int{j0, junk - j0}}
					if c.junk[0] <= c.robots[0] && c.junk[1] <= c.robots[1] {
						classes = append(classes, c)
					}
				}
			}
			for size := min(len(x.cells), robots-junk); size >= 0; size-- {
				list = append(list, fastLayer{classes, x.groups[size]})
			}
		}
	}
	return list
}

// of is the position of a class with a pattern, if there is one.
func (x *fastIndex) of(c fastClass, pattern uint32) (p fastPos, ok bool) {
	p.pattern = pattern
	for role, m := range x.onMap[pattern] {
		hand := c.robots[role] - c.junk[role] - int(m)
		if hand < 0 {
			return p, false
		}
		p.junk[role], p.hand[role] = uint8(c.junk[role]), uint8(hand)
	}
	return p, true
}

// fastPricing values positions when each role plays as given, or, where that is
// nil, whatever is best for it.
type fastPricing struct {
	*fastIndex
	value []float64 // role 0's expected share of the win
	play  [2]*fastPlay
}

// run values the layers one after the other, each on all cores. No position is
// valued by two goroutines, and none waits for another, so that the bits do not
// depend on their number.
func (p *fastPricing) run(ctx context.Context, work *game.SolverState, progress func(float64)) error {
	layers := p.layers()
	total, done := 0, 0
	for _, l := range layers {
		total += len(l.classes) * len(l.groups)
	}
	for i, l := range layers {
		done += len(l.classes) * len(l.groups)
		if int64(i) < work.Next {
			continue
		}
		residual, err := p.layer(ctx, l)
		if err != nil {
			return err
		}
		work.Residual = max(work.Residual, residual)
		work.Next, work.Done = int64(i)+1, float64(done)/float64(total)
		if progress != nil {
			progress(work.Done)
		}
	}
	work.Done = 1
	return nil
}

// layer values a layer and returns its residual.
func (p *fastPricing) layer(ctx context.Context, l fastLayer) (float64, error) {
	n := len(l.classes) * len(l.groups)
	workers := max(1, min(runtime.GOMAXPROCS(0), n))
	residual, errs := make([]float64, workers), make([]error, workers)
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[w] = ctx.Err(); errs[w] != nil {
					return
				}
				var r float64
				r, errs[w] = p.component(l.classes[i%len(l.classes)], l.groups[i/len(l.classes)])
				residual[w] = max(residual[w], r)
			}
		})
	}
	wg.Wait()
	worst := 0.0
	for _, r := range residual {
		worst = max(worst, r)
	}
	return worst, errors.Join(errs...)
}

const (
	// fastSettled is the change of values in a sweep at which they stand still:
	// half the distance of doubles near one.
	fastSettled = 1.2e-16

	// fastSweeps is the number of sweeps after which a component is given up. One
	// takes some forty, for each attack fails with a probability of an eighth or
	// more and then leaves it.
	fastSweeps = 2000
)

// component values the positions of a class with the patterns of a group, and
// returns its residual.
//
// Once a role has passed, the other's robots on the map only become more. While
// both may act, so they do if the attacks of one empty its junkyard; else sweeps
// follow each other until the values stand still.
func (p *fastPricing) component(c fastClass, group []uint32) (residual float64, err error) {
	p.sweep(c, group, false, 2)
	p.sweep(c, group, true, 3)
	stays := p.stays(0, c.left())
	if !stays || !p.stays(1, c.left()) {
		p.sweep(c, group, !stays, 0, 1)
		return 0, nil
	}
	for range fastSweeps {
		if p.sweep(c, group, false, 0, 1) <= fastSettled {
			return p.violation(c, group), nil
		}
	}
	return 0, fmt.Errorf("mars-is-ours: values of %d patterns do not settle: %w", len(group), game.ErrNoSolution)
}

// sweep looks ahead from the positions of some turns, most robots of role 0 or,
// backward, of role 1 first, and returns the largest change of a value.
func (p *fastPricing) sweep(c fastClass, group []uint32, backward bool, turns ...uint8) (change float64) {
	for i := range group {
		if backward {
			i = len(group) - 1 - i
		}
		pos, ok := p.of(c, group[i])
		if !ok {
			continue
		}
		for _, pos.turn = range turns {
			at := p.at(pos)
			if !p.matters(at) {
				continue
			}
			v := p.look(pos, at)
			change = max(change, math.Abs(v-p.value[at]))
			p.value[at] = v
		}
	}
	return change
}

// violation is how far values are from what a look ahead gives.
func (p *fastPricing) violation(c fastClass, group []uint32) (most float64) {
	for _, pattern := range group {
		if pos, ok := p.of(c, pattern); ok {
			for pos.turn = range uint8(2) {
				if at := p.at(pos); p.matters(at) {
					most = max(most, math.Abs(p.look(pos, at)-p.value[at]))
				}
			}
		}
	}
	return most
}

// matters reports whether a position can come up under the strategies given.
func (p *fastPricing) matters(at uint32) bool {
	for role, y := range p.play {
		if y != nil && !y.reached[role].has(at) {
			return false
		}
	}
	return true
}

// look is the value of a position by those that it leads to.
func (p *fastPricing) look(pos fastPos, at uint32) float64 {
	if p.over(pos) {
		return p.payoff(pos)
	}
	a, l, moves := pos.mover(), p.leads(pos), p.legal(pos)
	best := p.passed(pos, &l)
	if len(moves) == 0 {
		return best
	}
	lost := p.value[l.lost]
	if y := p.play[a]; y != nil {
		sum := 0.0
		for choice, prob := range y.choicesAt(at) {
			v := best
			if choice < len(moves) {
				v = p.worth(moves[choice], &l, lost)
			}
			sum += prob * v
		}
		return sum
	}
	if a == 0 {
		for i := range moves {
			best = max(best, p.worth(moves[i], &l, lost))
		}
		return best
	}
	for i := range moves {
		best = min(best, p.worth(moves[i], &l, lost))
	}
	return best
}

// passed is the value once the mover has passed.
func (p *fastPricing) passed(pos fastPos, l *fastLeads) float64 {
	if l.ends {
		return p.payoff(pos)
	}
	return p.value[l.pass]
}

// worth is the value of a move.
func (p *fastPricing) worth(m fastMove, l *fastLeads, lost float64) float64 {
	if m.robots == 0 {
		return p.value[p.base[m.to]+l.placed]
	}
	w := p.win[m.robots]
	return w*p.value[p.base[m.to]+l.won] + (1-w)*lost
}
