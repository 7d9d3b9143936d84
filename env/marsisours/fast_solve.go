package marsisours

import (
	"context"
	"fmt"
	"math"
	"sync"

	"marsgym/env/game"
	"marsgym/internal/parallel"
)

// fastClass is the part of a position that changes only by a failed attack, or by a
// successful one that takes a robot from the junkyard.
type fastClass struct {
	robots, junk [2]int // of each role: in the game, and of these in the junkyard
}

// junkyards returns the robots in the junkyards.
func (c fastClass) junkyards() [2]uint8 { return [2]uint8{uint8(c.junk[0]), uint8(c.junk[1])} }

// fastLayer is a set of components, each a class with a group of patterns. Within a
// layer no component leads to another.
type fastLayer struct {
	classes []fastClass
	groups  [][]uint32
}

// layers lists the layers, each before those that lead to it: lost robots never
// return, the number of robots in the junkyards never rises, and that on the map
// never falls.
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

// classPosition returns the position of a class with a pattern, if there is one.
func (x *fastIndex) classPosition(c fastClass, pattern uint32) (p fastPos, ok bool) {
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

// fastEvaluator computes the values of positions where each role plays its policy,
// or best play if that is nil.
type fastEvaluator struct {
	*fastIndex
	value    []float64 // role 0's expected share of the win
	policies [2]*fastPolicy
}

// run solves the layers one after the other, each on all cores. No goroutine reads
// what another writes in the same layer, so that the bits do not depend on the number
// of goroutines.
func (p *fastEvaluator) run(ctx context.Context, work *game.SolverState, progress func(float64)) error {
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
		residual, err := p.solveLayer(ctx, l)
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

// solveLayer solves the components of a layer and returns their largest residual.
func (p *fastEvaluator) solveLayer(ctx context.Context, l fastLayer) (residual float64, err error) {
	const size = 16   // components; chosen: most are small
	var mu sync.Mutex // of residual
	err = parallel.ForContext(ctx, len(l.classes)*len(l.groups), size, func(from, to int) error {
		most := 0.0
		for i := from; i < to; i++ {
			r, err := p.solveComponent(l.classes[i%len(l.classes)], l.groups[i/len(l.classes)])
			if err != nil {
				return err
			}
			most = max(most, r)
		}
		mu.Lock()
		defer mu.Unlock()
		residual = max(residual, most)
		return nil
	})
	return residual, err
}

const (
	// fastTolerance is the largest change of a value in a sweep that counts as
	// converged: half the distance of two float64 just below 1.
	fastTolerance = 1.2e-16

	// fastMaxSweeps is the number of sweeps over a component after which it counts as
	// not converging. About forty are needed: an attack fails with a probability of
	// an eighth or more, and then leaves the component.
	fastMaxSweeps = 2000
)

// solveComponent solves the positions of a class with the patterns of a group, and
// returns the residual.
//
// After a role has passed, the other's number of robots on the map only rises. While
// both may act the same holds of one role if the attacks of the other empty its
// junkyard. In these cases one sweep in that order is exact; otherwise sweeps are
// repeated until the values converge.
func (p *fastEvaluator) solveComponent(c fastClass, group []uint32) (residual float64, err error) {
	p.sweep(c, group, false, 2)
	p.sweep(c, group, true, 3)
	stays := p.canRecur(0, c.junkyards())
	if !stays || !p.canRecur(1, c.junkyards()) {
		p.sweep(c, group, !stays, 0, 1)
		return 0, nil
	}
	for range fastMaxSweeps {
		if p.sweep(c, group, false, 0, 1) <= fastTolerance {
			return p.violation(c, group), nil
		}
	}
	return 0, fmt.Errorf("mars-is-ours: the values of %d patterns do not converge in %d sweeps: %w", len(group), fastMaxSweeps, game.ErrNoSolution)
}

// sweep updates the values of the positions of some turns by lookAhead, in order of
// falling robots of role 0 on the map (backward: rising), and returns the largest
// change.
func (p *fastEvaluator) sweep(c fastClass, group []uint32, backward bool, turns ...uint8) (change float64) {
	for i := range group {
		if backward {
			i = len(group) - 1 - i
		}
		pos, ok := p.classPosition(c, group[i])
		if !ok {
			continue
		}
		for _, pos.turn = range turns {
			at := p.indexOf(pos)
			if !p.reachable(at) {
				continue
			}
			v := p.lookAhead(pos, at)
			change = max(change, math.Abs(v-p.value[at]))
			p.value[at] = v
		}
	}
	return change
}

// violation returns the largest difference between a value and its lookAhead.
func (p *fastEvaluator) violation(c fastClass, group []uint32) (most float64) {
	for _, pattern := range group {
		if pos, ok := p.classPosition(c, pattern); ok {
			for pos.turn = range uint8(2) {
				if at := p.indexOf(pos); p.reachable(at) {
					most = max(most, math.Abs(p.lookAhead(pos, at)-p.value[at]))
				}
			}
		}
	}
	return most
}

// reachable reports whether a position can come up under the policies.
func (p *fastEvaluator) reachable(at uint32) bool {
	for role, policy := range p.policies {
		if policy != nil && !policy.reached[role].has(at) {
			return false
		}
	}
	return true
}

// lookAhead computes the value of a position from those of its successors.
func (p *fastEvaluator) lookAhead(pos fastPos, at uint32) float64 {
	if p.over(pos) {
		return p.payoff(pos)
	}
	a, l, moves := pos.mover(), p.successors(pos), p.legal(pos)
	best := p.passValue(pos, &l)
	if len(moves) == 0 {
		return best
	}
	lost := p.value[l.lost]
	if policy := p.policies[a]; policy != nil {
		sum := 0.0
		for choice, prob := range policy.choicesAt(at) {
			v := best
			if choice < len(moves) {
				v = p.moveValue(moves[choice], &l, lost)
			}
			sum += float64(prob * v)
		}
		return sum
	}
	if a == 0 {
		for i := range moves {
			best = max(best, p.moveValue(moves[i], &l, lost))
		}
		return best
	}
	for i := range moves {
		best = min(best, p.moveValue(moves[i], &l, lost))
	}
	return best
}

// passValue returns the value after a pass.
func (p *fastEvaluator) passValue(pos fastPos, l *fastSuccessors) float64 {
	if l.ends {
		return p.payoff(pos)
	}
	return p.value[l.pass]
}

// moveValue returns the value of a move; lost is the value after a failed attack.
func (p *fastEvaluator) moveValue(m fastMove, l *fastSuccessors, lost float64) float64 {
	if m.robots == 0 {
		return p.value[p.base[m.to]+l.placed]
	}
	w := p.win[m.robots]
	return float64(w*p.value[p.base[m.to]+l.won]) + float64((1-w)*lost)
}
