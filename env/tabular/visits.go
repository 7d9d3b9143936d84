package tabular

import (
	"context"
	"fmt"
	"slices"
)

// visits computes the expected number of visits per game to each position where the roles play
// policies or, without one, best play.
type visits[S comparable] struct {
	*Solution[S]
	policies []*policyTable // by role
	// visits [positions] are the expected visits that have been passed on to
	// successors, and pending those that have not.
	pending, visits []float64
	node            Node
	ev              *evaluation // of a list, else nil
}

// visitTolerance is the sum of pending visits in a part below which the sweeps over it
// end. Chosen: far below the rounding error of the sum.
const visitTolerance = 1e-18

// newVisits returns the visits in the games from a start.
func (sol *Solution[S]) newVisits(ctx context.Context, policies []*policyTable, from start) (*visits[S], error) {
	v := &visits[S]{Solution: sol, policies: policies, pending: make([]float64, sol.x.Len()), visits: make([]float64, sol.x.Len())}
	if sol.graph != nil {
		v.ev = &evaluation{graph: sol.graph, policies: policies, value: sol.value, choice: sol.choice, local: make([]int32, sol.x.Len())}
	}
	v.pending[from.at] = from.prob
	return v, v.run(ctx)
}

// run goes from the first layer of a game to the last, in the reverse order of solving.
func (v *visits[S]) run(ctx context.Context) error {
	var p Part
	for layer, parts := range slices.Backward(v.x.Layers()) {
		for part := parts - 1; part >= 0; part-- {
			if part%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			v.x.Part(&p, layer, part)
			for i, list := range slices.Backward(p.Lists) {
				if !p.Cyclic || i < len(p.Lists)-1 {
					v.sweep(list)
				} else if err := v.cycle(ctx, list); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// sweep passes on the pending visits of positions, the last first, and returns their sum.
func (v *visits[S]) sweep(list []uint32) (moved float64) {
	n := &v.node
	for _, at := range slices.Backward(list) {
		times := v.pending[at]
		if times == 0 {
			continue
		}
		v.x.Node(n, at)
		v.pending[at] = 0
		if len(n.Moves) == 0 {
			continue
		}
		v.visits[at] += times
		moved += times
		probs := n.under(v.policies, at)
		if probs == nil {
			v.follow(n.Moves[v.best(at, n)], times)
			continue
		}
		for k, prob := range probs {
			if prob > 0 {
				v.follow(n.Moves[k], float64(times*prob))
			}
		}
	}
	return moved
}

// follow adds visits to those pending after a move.
func (v *visits[S]) follow(m Move, times float64) {
	m.each(func(to uint32, prob float64) { v.pending[to] += float64(times * prob) })
}

// cycle passes on the pending visits of positions that can recur: by a linear system where the
// game is listed and they are few, else by sweeps.
func (v *visits[S]) cycle(ctx context.Context, list []uint32) error {
	if v.ev != nil {
		v.ev.enter(list)
		defer v.ev.leave(list)
		if done, err := v.solve(list); done || err != nil {
			return err
		}
	}
	for range maxSweeps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if v.sweep(list) <= visitTolerance {
			return nil
		}
	}
	return fmt.Errorf("visits to %d positions do not converge in %d sweeps", len(list), maxSweeps)
}

// solve is cycle by a linear system, whose matrix is the transpose of that of solveLinear, with
// the same elimination. It reports whether comp is small enough.
func (v *visits[S]) solve(comp []uint32) (done bool, err error) {
	ev, x := v.ev, v.pending
	y := &ev.linear
	ev.chooseUnknowns(slices.DeleteFunc(slices.Clone(comp), func(i uint32) bool { return x[i] == 0 }), len(comp))
	if !ev.fitsDirect(len(comp)) {
		if !ev.canLeave(len(comp)) {
			return false, errEndless
		}
		return false, nil
	}
	ev.writeRows(len(comp))
	// A game that enters at another position reaches an unknown, or leaves.
	m := len(y.unknowns)
	in := make([]float64, m)
	for _, i := range y.postorder {
		if k := y.unknown[ev.local[i]-1]; k > 0 {
			in[k-1] += x[i]
			continue
		}
		for c, p := range ev.row(i)[:m] {
			in[c] += float64(x[i] * p)
		}
	}
	if err := ev.eliminate(); err != nil {
		return false, err
	}
	for k := m - 1; k >= 0; k-- { // a game that enters at k reaches one before it, or leaves
		for c, p := range ev.row(y.unknowns[k])[:k] {
			in[c] += float64(in[k] * p)
		}
	}
	for k, i := range y.unknowns {
		for c, j := range y.unknowns[:k] {
			in[k] += float64(in[c] * ev.row(j)[k])
		}
		in[k] /= ev.row(i)[k]
		x[i] = in[k]
	}
	for _, i := range slices.Backward(y.postorder) { // the visits to others follow from the unknowns
		times := x[i]
		x[i] = 0
		v.visits[i] += times
		to, w := ev.successors(i)
		for e, j := range to {
			if k := ev.local[j]; k == 0 || y.unknown[k-1] == 0 {
				x[j] += float64(times * w[e])
			}
		}
	}
	return true, nil
}
