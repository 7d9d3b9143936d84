package marsisours

import (
	"context"
	"fmt"
	"slices"

	"marsgym/env/game"
	"marsgym/env/tabular"
)

// Limits of the solver. Chosen: the codes of 14 cells take 19 MB, and the values of
// 1<<27 positions 1 GB.
const (
	maxFastCells     = 14
	maxFastPositions = 1 << 27
)

// Solve implements [game.Solver] for the quick game. The published one takes three
// seconds on one core and 110 MB.
func (r *Rules) Solve(ctx context.Context, progress func(float64)) (game.Solution[State], error) {
	return r.SolveFrom(ctx, new(game.SolverState), progress)
}

// SolveFrom implements [game.ResumableSolver] by package tabular.
func (r *Rules) SolveFrom(ctx context.Context, work *game.SolverState, progress func(float64)) (game.VerifiableSolution[State], error) {
	if _, _, err := r.StateSize(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x, err := newFastIndex(r)
	if err != nil {
		return nil, fmt.Errorf("mars-is-ours: %w", err)
	}
	sol, err := tabular.SolveNumbered(ctx, r, x, work, progress)
	if err != nil {
		return nil, fmt.Errorf("mars-is-ours: %w", err)
	}
	return &fastSolution{sol, x, work}, nil
}

// StateSize implements [game.ResumableSolver].
func (r *Rules) StateSize() (values int, steps int64, err error) {
	if !r.fast {
		return 0, 0, fmt.Errorf("mars-is-ours: only the quick game is solved: %w", game.ErrNoSolution)
	}
	k, cells := newFastReserves(r.cfg), len(r.board.free)
	if cells > maxFastCells {
		return 0, 0, fmt.Errorf("mars-is-ours: the map has %d cells to stand on, more than %d: %w", cells, maxFastCells, game.ErrNoSolution)
	}
	n := k.positions(r)
	if n > maxFastPositions {
		return 0, 0, fmt.Errorf("mars-is-ours: with these robots there are %.0f positions, more than %d: %w", n, maxFastPositions, game.ErrNoSolution)
	}
	for robots := range 2*k.robots + 1 {
		for junk := range 2*k.junk + 1 {
			steps += int64(max(0, min(cells, robots-junk)+1)) // see layers
		}
	}
	return int(n), steps, nil
}

// Estimate implements [game.ResumableSolver].
func (r *Rules) Estimate() game.Estimate {
	const perPosition = 4e-7 // seconds; chosen: measured
	if !r.fast {
		return game.Estimate{}
	}
	n := newFastReserves(r.cfg).positions(r)
	return game.Estimate{Positions: int64(n), Bytes: int64(9 * n), CoreSeconds: n * perPosition}
}

// fastSolution is the solution of package tabular with facts.
type fastSolution struct {
	*tabular.NumberedSolution[State]
	x    *fastIndex
	work *game.SolverState
}

// Facts implements [game.Reporter]: the starter's value, and a bound on the error of
// any value, both as shares of the win.
//
// A game passes through sets of positions that can recur through attacks. It leaves
// each set for ever when a robot is placed, lost or taken from the junkyard, or a
// seat passes. In each set a contraction by w adds at most (residual + rounding)/(1-w)
// to the error.
func (s *fastSolution) Facts() []game.Fact {
	const rounding = 1e-15 // of one lookAhead: about five operations on shares
	x := s.x
	sets := 2*x.robots + 2*x.junk + len(x.cells) + 3
	bound := (s.work.Residual + rounding) * float64(sets) / (1 - slices.Max(x.win[:]))
	var state State
	x.r.startGame(&state, 0)
	start, _, _ := x.Number(state) // without an error: the robots are those of the config
	return []game.Fact{
		{Name: "starter_wins", Value: s.work.Values[start]},
		{Name: "error_bound", Value: bound},
	}
}
