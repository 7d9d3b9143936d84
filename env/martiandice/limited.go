package martiandice

import (
	"context"
	"fmt"

	"marsgym/env/game"
	"marsgym/env/tabular"
	"marsgym/internal/kernel/elementary"
)

// solveLimited solves a game limited by rounds position by position. The round is part of a
// position: the same scores have other values in another round.
func (r *Rules) solveLimited(ctx context.Context, progress func(float64)) (game.Solution[State], error) {
	if n := r.limitedPositions(); n > tabular.MaxStates {
		return nil, fmt.Errorf("martian-dice for %d players to %d points with %d dice and max_rounds %d has more than %.0e positions; fewer of any of these, or max_rounds 0: %w",
			r.cfg.Players, r.cfg.Target, r.cfg.Dice, r.cfg.MaxRounds, float64(tabular.MaxStates), game.ErrNoSolution)
	}
	sol, err := tabular.Solve(ctx, r, tabular.Options{Progress: progress})
	if err != nil {
		return nil, fmt.Errorf("martian-dice: %w", err)
	}
	return sol, nil
}

// estimateLimited is Estimate for a game limited by rounds. Positions is a bound.
func (r *Rules) estimateLimited() game.Estimate {
	const bytes, seconds = 400, 2.5e-6 // of a position; measured
	n := min(r.limitedPositions(), 1e15)
	return game.Estimate{Positions: int64(n), Bytes: int64(bytes * n), CoreSeconds: seconds * n}
}

// limitedPositions returns a bound on the number of positions of a game limited by rounds,
// symmetric ones counted once: those of a turn from each of its starts and, at each score
// after a round, an end or a roll-off for each set of seats. The sum stops where it is too
// large for the solver.
func (r *Rules) limitedPositions() float64 {
	p := r.cfg.Players
	turn, over := float64(r.firstSeats()*r.turnPositions()), float64(int(1)<<p)
	sum := 1.0
	for round := range r.cfg.MaxRounds {
		before, after := min(round*r.cfg.maxPoints(), r.cfg.Target-1)+1, min((round+1)*r.cfg.maxPoints(), r.cfg.maxScore())+1
		for m := range p + 1 { // places that have moved in this round
			scores := elementary.Pow(float64(after), float64(m)) * elementary.Pow(float64(before), float64(p-m))
			if m < p {
				sum += float64(turn * scores)
			} else {
				sum += float64(over * scores)
			}
		}
		if sum > tabular.MaxStates {
			break
		}
	}
	return sum
}

// turnPositions returns the number of positions of a turn, symmetric ones counted once.
func (r *Rules) turnPositions() int {
	start := r.TurnOf(r.Initial())
	seen, found := map[State]bool{start: true}, []State{start}
	add := func(s State) {
		if s, _ = r.Canonical(s); r.TurnOf(s) == start && !seen[s] {
			seen[s] = true
			found = append(found, s)
		}
	}
	var outcomes []game.Outcome[State]
	var legal []game.Action
	for i := 0; i < len(found); i++ {
		s := found[i]
		outcomes = r.Outcomes(outcomes[:0], s)
		for _, o := range outcomes {
			add(o.State)
		}
		legal = r.Legal(legal[:0], s)
		for _, a := range legal {
			if next, err := r.Apply(s, a); err == nil {
				add(next)
			}
		}
	}
	return len(found)
}
