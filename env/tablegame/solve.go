package tablegame

import (
	"context"
	"fmt"

	"marsgym/env/game"
	"marsgym/env/tabular"
)

// Solve implements [game.Solver] by package tabular, for a table of any size. It lists the states that
// a game can reach.
func (r *Rules) Solve(ctx context.Context, progress func(done float64)) (game.Solution[State], error) {
	sol, err := tabular.Solve(ctx, r, tabular.Options{MaxStates: len(r.t.Mover), Progress: progress})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.spec.ID, err)
	}
	return sol, nil
}
