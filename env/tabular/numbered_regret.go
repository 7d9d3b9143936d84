package tabular

import (
	"context"
	"fmt"
	"slices"

	"marsgym/env/game"
)

// Regrets implements [game.Solution], by the seat with role 0 and then by number.
func (sol *NumberedSolution[S]) Regrets(ctx context.Context, p game.Policy[S], seat game.Player, yield func(game.Regret[S]) error) error {
	if err := sol.checkSeat(seat); err != nil {
		return err
	}
	table, err := sol.Tabulate(ctx, p)
	if err != nil {
		return err
	}
	return sol.starts(func(prob float64, start uint32, first game.Player) error {
		v := numberedVisits[S]{
			NumberedSolution: sol, policy: table.(*tabularPolicy).byFirst[first], role: int(seat ^ first),
			pending: make([]float64, sol.values.Len()), visits: make([]float64, sol.values.Len()),
		}
		v.pending[start] = prob
		if err := v.run(ctx); err != nil {
			return err
		}
		return v.yieldAll(ctx, first, yield)
	})
}

// numberedVisits computes the expected number of visits per game to each position where
// one role plays a policy and the other best play.
type numberedVisits[S comparable] struct {
	*NumberedSolution[S]
	policy *numberedPolicy
	role   int // of the policy
	// visits [positions] are the expected visits that have been passed on to
	// successors, and pending those that have not.
	pending, visits []float64
}

// visitTolerance is the sum of pending visits in a part below which the sweeps over it
// end. Chosen: far below the rounding error of the sum.
const visitTolerance = 1e-18

// run computes the visits, from the first layer of a game to the last, in the reverse
// order of [shares.part].
func (v *numberedVisits[S]) run(ctx context.Context) error {
	var n Node
	var p Part
	for layer, parts := range slices.Backward(v.values.Layers()) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for part := range parts {
			v.values.Part(&p, layer, part)
			for i, list := range slices.Backward(p.Lists) {
				for k := 0; v.sweep(&n, list) > visitTolerance && p.Cyclic && i == len(p.Lists)-1; k++ {
					if k == maxPartSweeps {
						return fmt.Errorf("visits to %d positions do not converge in %d sweeps", len(list), maxPartSweeps)
					}
				}
			}
		}
	}
	return nil
}

// sweep passes on the pending visits of positions, the last first, and returns their sum.
func (v *numberedVisits[S]) sweep(n *Node, list []uint32) (moved float64) {
	for _, at := range slices.Backward(list) {
		times := v.pending[at]
		if times == 0 {
			continue
		}
		v.values.Node(n, at)
		v.pending[at] = 0
		if n.Over {
			continue
		}
		v.visits[at] += times
		moved += times
		switch {
		case len(n.Moves) == 1:
			v.follow(n.Moves[0], times)
		case n.Role != v.role:
			v.follow(n.Moves[v.choice(n)], times)
		default:
			for k, prob := range v.policy.probsAt(at, n) {
				if prob > 0 {
					v.follow(n.Moves[k], float64(times*prob))
				}
			}
		}
	}
	return moved
}

// follow adds visits to those pending after a move.
func (v *numberedVisits[S]) follow(m Move, times float64) {
	switch {
	case m.To == Ended:
	case m.Prob == 1:
		v.pending[m.To] += times
	default:
		v.pending[m.To] += float64(times * m.Prob)
		v.pending[m.Else] += float64(times * (1 - m.Prob))
	}
}

// yieldAll calls yield with each regret of the policy, by position.
func (v *numberedVisits[S]) yieldAll(ctx context.Context, first game.Player, yield func(game.Regret[S]) error) error {
	var n Node
	var losses []float64
	for i, reach := range v.visits {
		if reach == 0 {
			continue
		}
		at := uint32(i)
		if v.values.Node(&n, at); n.Role != v.role || len(n.Moves) == 1 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		losses = v.values.losses(losses[:0], &n)
		for k := range losses {
			losses[k] *= v.returnSpan()
		}
		best := slices.IndexFunc(losses, func(x float64) bool { return x <= game.Tie })
		state := func() S { return v.values.State(at, first) }
		if err := v.yieldRegrets(state, reach, best, v.policy.probsAt(at, &n), losses, yield); err != nil {
			return err
		}
	}
	return nil
}
