package tabular

import (
	"context"
	"errors"

	"marsgym/env/game"
)

// tabulateLookahead fills policy.probs with the choices of a policy that looks ahead:
// it asks for the values of all decisions once and backs them up, one ply after the other.
func (sol *Solution[S]) tabulateLookahead(ctx context.Context, policy *tabularPolicy, p game.Lookahead[S]) error {
	ev := newEvaluation(&sol.graph, make([][]float64, sol.players))
	if err := sol.askValues(ctx, ev, p); err != nil {
		return err
	}
	ev.orderChance()
	next := make([]float64, len(ev.value)) // of decisions, one ply further
	for k := 0; ; k++ {
		if err := ev.expect(ctx); err != nil {
			return err
		}
		last := k == p.Plies()
		for i, x := range sol.nodes {
			if x.mover < 0 {
				continue
			}
			best := ev.best(int32(i))
			if last {
				clear(sol.probsOf(policy, int32(i)))
				sol.probsOf(policy, int32(i))[best] = 1
			}
			copy(next[i*sol.players:], ev.at(sol.next(int32(i))[best]))
		}
		if last {
			return nil
		}
		for i, x := range sol.nodes {
			if x.mover >= 0 {
				copy(ev.at(int32(i)), next[i*sol.players:][:sol.players])
			}
		}
	}
}

// askValues sets the values of decisions to those of p, and those of ends to the returns.
func (sol *Solution[S]) askValues(ctx context.Context, ev *evaluation, p game.Lookahead[S]) error {
	var open []int32
	for i, x := range sol.nodes {
		switch {
		case x.mover >= 0:
			open = append(open, int32(i))
		case x.mover == game.Terminal:
			ev.end(int32(i))
		}
	}
	dst := make([]float64, batchSize*sol.players)
	return batches(ctx, open, sol.state, func(part []int32, states []S) error {
		err := p.Values(ctx, dst[:len(part)*sol.players], states)
		for k, i := range part {
			copy(ev.at(i), dst[k*sol.players:])
		}
		return err
	})
}

// orderChance fills postorder and unknowns (see chooseUnknowns) for the chance positions.
func (ev *evaluation) orderChance() {
	var chance []int32
	for i, x := range ev.nodes {
		if x.mover == game.Chance {
			chance = append(chance, int32(i))
			ev.local[i] = int32(len(chance))
		}
	}
	ev.chooseUnknowns(chance)
}

// expect computes the values of chance positions from those of the others, after
// orderChance. Where chance leads back to a position without a decision, it sweeps until
// the values converge.
func (ev *evaluation) expect(ctx context.Context) error {
	for _, i := range ev.linear.postorder {
		clear(ev.at(i))
	}
	if len(ev.linear.unknowns) == 0 {
		ev.sweep()
		return ctx.Err()
	}
	change, err := sweeps(ctx, ev.sweep)
	if err != nil || change <= converged {
		return err
	}
	return errors.New("chance hardly ever leads to a decision")
}
