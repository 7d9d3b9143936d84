package pig

import (
	"context"
	"fmt"
	"math"

	"marsgym/env/game"
	"marsgym/env/tabular"
)

// maxStates is the number of positions up to which Pig is solved. Chosen: the
// published game has two million, and takes seconds.
const maxStates = 5_000_000

// Solve implements [game.Solver], by the table of all positions: those of two
// players to any target up to 135, of three up to 35. With 100 points and best
// play the first of two wins with probability 0.530592725.
func (r *Rules) Solve(ctx context.Context, progress func(done float64)) (game.Solution[State], error) {
	// A seat to move, with its score and turn total below the target together,
	// and the scores of the others; each position with the die in hand and in
	// the air.
	p, t := float64(r.cfg.Players), float64(r.cfg.Target)
	if n := p * math.Pow(t, p+1); n > maxStates {
		return nil, fmt.Errorf("pig for %d players to %d points has about %.1e positions, over %.0e: %w",
			r.cfg.Players, r.cfg.Target, n, float64(maxStates), game.ErrNoSolution)
	}
	sol, err := tabular.Solve(ctx, r, tabular.Options{MaxStates: maxStates, Progress: progress})
	if err != nil {
		return nil, fmt.Errorf("pig: %w", err)
	}
	return &Solution{sol, r}, nil
}

// BotNames implements [game.Bots].
func (r *Rules) BotNames() []string { return []string{"greedy"} }

// Bot implements [game.Bots].
func (r *Rules) Bot(name string) (game.Policy[State], error) {
	if name != "greedy" {
		return nil, fmt.Errorf("pig has no player %q", name)
	}
	return greedy{}, nil
}

// holdAt is the turn total at which greedy holds: a roll gains 20/6 points on
// average and risks a sixth of the total, so that above 20 it costs points.
//
// Source: R. Knizia, "Dice Games Properly Explained", 1999, after Neller and
// Presser.
const holdAt = 20

// greedy maximises the expected score of each turn, blind to the scores.
type greedy struct{}

// Probs implements [game.Policy].
func (greedy) Probs(dst []float64, states []State) error {
	clear(dst)
	for i, s := range states {
		a := Roll
		if s.Total >= holdAt {
			a = Hold
		}
		dst[i*int(actions)+int(a)] = 1
	}
	return nil
}
