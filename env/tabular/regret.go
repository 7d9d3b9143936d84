package tabular

import (
	"context"
	"fmt"

	"marsgym/env/game"
)

// Regrets implements [game.Solution], by start of the game and then by number. States and
// actions are those of representatives.
func (sol *Solution[S]) Regrets(ctx context.Context, p game.Policy[S], seat game.Player, yield func(game.Regret[S]) error) error {
	if err := sol.CheckSeat(seat); err != nil {
		return err
	}
	table, err := sol.tabulate(ctx, p)
	if err != nil {
		return fmt.Errorf("tabular: %w", err)
	}
	for i, start := range sol.starts {
		policies := make([]*policyTable, sol.spec.Players)
		policies[start.role(seat)] = table.byStart[i]
		v, err := sol.newVisits(ctx, policies, start)
		if err != nil {
			return fmt.Errorf("tabular: %w", err)
		}
		if err := v.yieldRegrets(ctx, start.first, yield); err != nil {
			return err
		}
	}
	return nil
}

// yieldRegrets calls yield with each regret of the policies, by number.
func (v *visits[S]) yieldRegrets(ctx context.Context, first game.Player, yield func(game.Regret[S]) error) error {
	var n Node
	var options []float64
	for i, reach := range v.visits {
		at := uint32(i)
		if reach == 0 {
			continue
		}
		if v.x.Node(&n, at); n.Mover < 0 || v.policies[n.Mover] == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		options = v.options(options[:0], &n)
		best := v.best(at, &n)
		var s S
		var legal []game.Action // of s, once there is a regret
		for k, prob := range n.under(v.policies, at) {
			loss := options[best] - options[k]
			if prob == 0 || loss <= game.Tie {
				continue
			}
			if legal == nil {
				s = v.x.State(at, first)
				legal = v.rules.Legal(nil, s)
			}
			if err := yield(game.Regret[S]{State: s, Action: legal[k], Best: legal[best], Reach: reach, Prob: prob, Loss: loss}); err != nil {
				return err
			}
		}
	}
	return nil
}
