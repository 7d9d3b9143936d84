package martianrisk

import (
	"context"
	"fmt"

	"marsgym/env/game"
	"marsgym/env/tabular"
)

const maxStates = 8_000_000

// Solve keeps [game.Solver].
func (r *Rules) Solve(ctx context.Context, progress func(done float64)) (game.Solution[State], error) {
	sol, err := tabular.Solve(ctx, r, tabular.Options{MaxStates: maxStates, Progress: progress})
	if err != nil {
		return nil, fmt.Errorf("martian-risk: %w", err)
	}
	return sol, nil
}
