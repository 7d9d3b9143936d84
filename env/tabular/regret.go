package tabular

import (
	"context"
	"fmt"
	"slices"

	"marsgym/env/game"
)

// Regrets implements [game.Solution]. It yields the regrets in the order in which the
// positions were enumerated. States and actions are those of representatives.
func (sol *Solution[S]) Regrets(ctx context.Context, p game.Policy[S], seat game.Player, yield func(game.Regret[S]) error) error {
	if err := sol.checkSeat(seat); err != nil {
		return err
	}
	policy, err := sol.Tabulate(ctx, p)
	if err != nil {
		return err
	}
	best := make([]float64, len(sol.moves))
	for i, x := range sol.nodes {
		if x.mover >= 0 {
			best[x.first+sol.choice[i]] = 1
		}
	}
	seats := make([][]float64, sol.players)
	for i := range seats {
		seats[i] = best
	}
	probs := policy.(*tabularPolicy).probs
	seats[seat] = probs
	visits, err := newEvaluation(&sol.graph, seats).visits(ctx, sol.components)
	if err != nil {
		return fmt.Errorf("tabular: %w", err)
	}
	var losses []float64
	for i, x := range sol.nodes {
		if x.mover != seat || visits[i] == 0 {
			continue
		}
		next := sol.next(int32(i))
		losses = losses[:0]
		for _, j := range next {
			losses = append(losses, sol.at(next[sol.choice[i]])[seat]-sol.at(j)[seat])
		}
		if err := sol.yieldRegrets(func() S { return sol.states[i] }, visits[i], int(sol.choice[i]), probs[x.first:][:x.n], losses, yield); err != nil {
			return err
		}
	}
	return nil
}

// visits returns the expected number of visits to each position in a game, where no seat
// is free. It goes from the initial position to the ends.
func (ev *evaluation) visits(ctx context.Context, c components) ([]float64, error) {
	x := make([]float64, len(ev.nodes))
	x[0] = 1
	for k := c.len() - 1; k >= 0; k-- {
		if k%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		comp := c.at(k)
		if len(comp) > 1 {
			comp = slices.DeleteFunc(slices.Clone(comp), func(i int32) bool { return !ev.reached[i] })
		}
		if len(comp) == 0 || !ev.reached[comp[0]] {
			continue
		}
		for k, i := range comp {
			ev.local[i] = int32(k) + 1
		}
		if len(comp) > 1 || slices.Contains(ev.next(comp[0]), comp[0]) {
			if err := ev.visitCycle(ctx, x, comp); err != nil {
				return nil, err
			}
		}
		for _, i := range comp {
			to, w := ev.successors(i)
			for e, j := range to {
				if ev.local[j] == 0 {
					x[j] += float64(x[i] * w[e])
				}
			}
		}
		for _, i := range comp {
			ev.local[i] = 0
		}
	}
	return x, nil
}

// visitCycle replaces x, the expected number of times that comp is entered at each
// position, by the expected number of visits. Its matrix is the transpose of that of
// solveLinear, with the same elimination.
func (ev *evaluation) visitCycle(ctx context.Context, x []float64, comp []int32) error {
	y := &ev.linear
	ev.chooseUnknowns(comp)
	if !ev.fitsDirect(comp) {
		return ev.visitCycleBySweeps(ctx, x, comp)
	}
	ev.writeRows(comp)
	// A game that enters at another position reaches an unknown, or leaves.
	m := len(y.unknowns)
	in := make([]float64, m)
	for _, i := range comp {
		if k := y.unknown[ev.local[i]-1]; k > 0 {
			in[k-1] += x[i]
			continue
		}
		for c, v := range ev.row(i)[:m] {
			in[c] += float64(x[i] * v)
		}
	}
	if err := ev.eliminate(); err != nil {
		return err
	}
	for k := m - 1; k >= 0; k-- { // a game that enters at k reaches one before it, or leaves
		for c, v := range ev.row(y.unknowns[k])[:k] {
			in[c] += float64(in[k] * v)
		}
	}
	for k, i := range y.unknowns {
		for c, j := range y.unknowns[:k] {
			in[k] += float64(in[c] * ev.row(j)[k])
		}
		in[k] /= ev.row(i)[k]
	}
	for k, i := range y.unknowns {
		x[i] = in[k]
	}
	for _, i := range slices.Backward(y.postorder) { // the other positions follow from the unknowns
		to, w := ev.successors(i)
		for e, j := range to {
			if ev.local[j] > 0 && y.unknown[ev.local[j]-1] == 0 {
				x[j] += float64(x[i] * w[e])
			}
		}
	}
	return nil
}

// visitCycleBySweeps is visitCycle for components too large to be solved directly.
func (ev *evaluation) visitCycleBySweeps(ctx context.Context, x []float64, comp []int32) error {
	if !ev.canLeave(comp) {
		return errEndless
	}
	rest := make([]float64, len(comp)) // visits not yet propagated
	for k, i := range comp {
		rest[k], x[i] = x[i], 0
	}
	sum, err := sweeps(ctx, func() (sum float64) {
		for _, i := range slices.Backward(ev.linear.postorder) {
			k := ev.local[i] - 1
			r := rest[k]
			rest[k] = 0
			x[i] += r
			to, w := ev.successors(i)
			for e, j := range to {
				if ev.local[j] > 0 {
					rest[ev.local[j]-1] += float64(r * w[e])
				}
			}
		}
		for _, r := range rest {
			sum += r
		}
		return sum
	})
	if err != nil || sum <= converged {
		return err
	}
	return fmt.Errorf("in a cycle of %d positions a game has not ended with probability %.3g after %d sweeps", len(comp), sum, maxSweeps)
}
