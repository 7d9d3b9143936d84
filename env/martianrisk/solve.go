package martianrisk

import (
	"context"
	"fmt"

	"marsgym/env/game"
	"marsgym/env/game/chart"
	"marsgym/env/tabular"
)

// Limits of what is solved. Chosen: five million positions take 10 s and 3.3 GB;
// more regions are refused before they are tried.
const (
	maxSolved = 5
	maxStates = 5_000_000
)

// Solve implements [game.Solver], by the table of all positions, on the smallest
// maps. TinyConfig has two million.
func (r *Rules) Solve(ctx context.Context, progress func(done float64)) (game.Solution[State], error) {
	switch {
	case r.n > maxSolved:
		return nil, fmt.Errorf("martian-risk on %d regions, more than %d: %w", r.n, maxSolved, game.ErrNoSolution)
	case r.cfg.MaxRounds == 0:
		return nil, fmt.Errorf("martian-risk without a limit of rounds: %w", game.ErrNoSolution)
	}
	sol, err := tabular.Solve(ctx, r, tabular.Options{MaxStates: maxStates, Progress: progress})
	if err != nil {
		return nil, fmt.Errorf("martian-risk: %w", err)
	}
	return &Solution{sol, r}, nil
}

// Solution is the table of all positions, with the odds of battles.
type Solution struct {
	*tabular.Solution[State]
	r *Rules
}

// Facts implements [game.Reporter].
func (s *Solution) Facts() []game.Fact {
	conquest := func(a, d int) float64 { return NewConquest(a, d, 0).Odds }
	return []game.Fact{
		{Name: "positions", Value: float64(s.Len())},
		{Name: "battle_won_at_equal_towers", Value: BattleOdds(0)},
		{Name: "battle_won_a_piece_higher", Value: BattleOdds(1)},
		{Name: "conquest_of_1_by_2", Value: conquest(2, 1)},
		{Name: "conquest_of_1_by_3", Value: conquest(3, 1)},
		{Name: "conquest_of_2_by_4", Value: conquest(4, 2)},
	}
}

// PolicyCharts implements [game.Reporter]: there are none.
func (s *Solution) PolicyCharts(_ game.TabularPolicy, name string) ([]chart.Chart, error) {
	return nil, fmt.Errorf("martian-risk: what %s loses: %w", name, game.ErrNoCharts)
}

// Charts implements [game.Reporter]: how likely an attack is to conquer.
func (s *Solution) Charts() ([]chart.Chart, error) {
	const most = 12 // armies of a side, chosen to be read with ease
	c := chart.Chart{
		Name:    "conquest",
		Title:   "Martian Risk: how likely an attack is to conquer",
		Caption: "An attack fought to its end, by the armies of both sides as it begins, one of the attackers staying behind. Even chances at the black line.",
	}
	for _, higher := range []int{-1, 0, 1} {
		m := &chart.Map{Label: "probability of conquest (%)", Diverging: true}
		for e := range 11 {
			m.Edges = append(m.Edges, float64(10*e))
		}
		for d := 1; d <= most; d++ {
			m.Y = append(m.Y, float64(d))
			var row []float64
			for a := 2; a <= most; a++ {
				row = append(row, 100*NewConquest(a, d, higher).Odds)
			}
			m.Z = append(m.Z, row)
		}
		for a := 2; a <= most; a++ {
			m.X = append(m.X, float64(a))
		}
		title := fmt.Sprintf("Attacker's tower a piece %s", map[int]string{-1: "lower", 1: "higher"}[higher])
		if higher == 0 {
			title = "Equal towers"
		}
		c.Panels = append(c.Panels, chart.Panel{Title: title, X: chart.Axis{Label: "attackers (armies)"}, Y: chart.Axis{Label: "defenders (armies)"}, Map: m})
	}
	return []chart.Chart{c}, nil
}
