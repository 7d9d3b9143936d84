package tablegame

import (
	"context"
	"fmt"

	"marsgym/env/game"
	"marsgym/env/tabular"
)

// Solve implements [game.Solver] by package tabular. A table of any size is solved: it takes about 8
// bytes for each state and seat, 20 for each state, and as many for each seat's policy.
func (r *Rules) Solve(ctx context.Context, progress func(done float64)) (game.Solution[State], error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if progress != nil {
		progress(0)
	}
	sol, err := tabular.SolveGraph(ctx, r, &r.t.Graph, numbers{len(r.t.Mover)}, progress)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.spec.ID, err)
	}
	return sol, nil
}

// numbers numbers the states of a table.
type numbers struct{ n int }

// Number implements [tabular.Numbers].
func (n numbers) Number(s State) (uint32, error) {
	if int(s.At) >= n.n {
		return 0, fmt.Errorf("the last state is s%d", n.n-1)
	}
	return s.At, nil
}

// State implements [tabular.Numbers].
func (numbers) State(at uint32) State { return State{at} }
