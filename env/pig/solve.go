package pig

import (
	"context"
	"fmt"

	"marsgym/env/game"
	"marsgym/env/tabular"
	"marsgym/internal/kernel/elementary"
)

// Solve implements [game.Solver] by package tabular: for two players to any target up to
// 135, for three up to 35. With two players, 100 points and best play the first player
// wins with probability 0.530592725.
func (r *Rules) Solve(ctx context.Context, progress func(done float64)) (game.Solution[State], error) {
	// A bound: the seat to move, all scores and the turn total. The mover's score and its
	// turn total sum to less than the target, which halves the number, and each position
	// comes up before and during a roll, which doubles it.
	p, t := float64(r.cfg.Players), float64(r.cfg.Target)
	if n := p * elementary.Pow(t, p+1); n > tabular.MaxStates {
		return nil, fmt.Errorf("pig for %d players to %d points has about %.1e positions, over %.0e: %w",
			r.cfg.Players, r.cfg.Target, n, float64(tabular.MaxStates), game.ErrNoSolution)
	}
	sol, err := tabular.Solve(ctx, r, tabular.Options{Progress: progress})
	if err != nil {
		return nil, fmt.Errorf("pig: %w", err)
	}
	return &Solution{sol, r}, nil
}

// Solution is the table of all positions, with charts of it.
type Solution struct {
	*tabular.Solution[State]
	r *Rules
}
