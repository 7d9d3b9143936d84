package tabular

import (
	"context"

	"marsgym/internal/core"
)

const (
	// Limits of iterateUnknowns. Chosen: rows of as many unknowns take less time than the
	// searches for fewer, and known games need less than ten passes.
	maxCuts   = 8
	maxPasses = 20
)

// iterateUnknowns evaluates comp by Newton's method for the values of few positions that cut all
// cycles under any choices. In the order of solution one pass finds the best choices of all
// others for the values that the unknowns have, and with them the equations for the unknowns.
// It reports whether the choices are best for the values; its error is that of ctx. Where best
// play has several values, which of them is found depends on the order of improvements, and it does
// nothing.
//
// Source: Puterman and Brumelle, "On the convergence of policy iteration in stationary dynamic
// programming", Mathematics of Operations Research 4(1), 1979.
func (ev *evaluation) iterateUnknowns(ctx context.Context, comp []uint32) (best bool, err error) {
	if !ev.unique || !ev.cut(comp) || !ev.fitsDirect() {
		return false, nil
	}
	ev.equalise(comp)
	ev.makeRows()
	y := &ev.linear
	m := len(y.unknowns)
	for pass := range maxPasses {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		changed := pass == 0
		for _, i := range comp {
			if ev.free(i) {
				c := ev.best(i)
				changed = changed || c != ev.choice[i]
				ev.choice[i] = c
			}
			ev.writeRow(i)
			if y.unknown[ev.local(i)] > 0 {
				continue
			}
			r := ev.row(i)
			for seat := range ev.at(i) {
				v := r[m+1+seat]
				for c, p := range r[:m] {
					v += float64(p * ev.at(y.unknowns[c])[seat])
				}
				ev.at(i)[seat] = v
			}
		}
		if !changed {
			return true, nil
		}
		if ev.eliminate() != nil {
			return false, nil
		}
		ev.solveUnknowns()
	}
	return false, nil
}

// cut makes unknowns of the positions of comp that come after one that leads to them, which cut
// all cycles. It reports whether they are few.
func (ev *evaluation) cut(comp []uint32) bool {
	y := &ev.linear
	y.clear(ev.size())
	for _, i := range comp {
		for _, j := range ev.next(i) {
			if j >= i && ev.has(j) && !ev.skips(j) && y.unknown[ev.local(j)] == 0 {
				if len(y.unknowns) == maxCuts {
					return false
				}
				y.unknowns = append(y.unknowns, j)
				y.unknown[ev.local(j)] = int32(len(y.unknowns))
			}
		}
	}
	return true
}

// clear makes all positions of a component known.
func (y *linearSystem) clear(size int) {
	y.unknowns = y.unknowns[:0]
	y.unknown = core.Resize(y.unknown, size)
	clear(y.unknown)
}
