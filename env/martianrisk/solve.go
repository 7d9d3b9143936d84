package martianrisk

import (
	"context"
	"fmt"

	"marsgym/env/game"
	"marsgym/env/game/chart"
	"marsgym/env/tabular"
	"marsgym/internal/kernel/elementary"
)

// positions estimates the number of positions: the owners and armies of all regions at the
// start of each seat's turn in each round, times the positions of a turn. There are about 35
// of these for each trio of towers, and two without towers: 0.5 to 50 on strips of two to
// four regions for two to four players, counted by package tabular.
func (r *Rules) positions() float64 {
	p := float64(r.cfg.Players)
	turn := 2.0
	if r.cfg.Trios > 0 {
		turn = 35 * float64(r.cfg.Trios)
	}
	return elementary.Pow(p*float64(r.cfg.ArmyCap), float64(r.n)) * p * float64(r.cfg.MaxRounds) * turn
}

// Solve implements [game.Solver] for the smallest maps, by package tabular. TinyConfig
// has two million positions.
func (r *Rules) Solve(ctx context.Context, progress func(done float64)) (game.Solution[State], error) {
	if r.cfg.MaxRounds == 0 {
		return nil, fmt.Errorf("martian-risk without a limit of rounds: %w", game.ErrNoSolution)
	}
	if n := r.positions(); n > tabular.MaxStates {
		return nil, fmt.Errorf("martian-risk for %d players on %d regions has about %.0e positions, over %.0e: %w",
			r.cfg.Players, r.n, n, float64(tabular.MaxStates), game.ErrNoSolution)
	}
	sol, err := tabular.Solve(ctx, r, tabular.Options{Progress: progress})
	if err != nil {
		return nil, fmt.Errorf("martian-risk: %w", err)
	}
	return &solution{sol, r}, nil
}

// solution is the solution of package tabular with facts and charts.
type solution struct {
	*tabular.Solution[State]
	r *Rules
}

// Facts implements [game.Solution].
func (s *solution) Facts() []game.Fact {
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

// Charts implements [game.Solution]: the probability of conquest.
func (s *solution) Charts() ([]chart.Chart, error) {
	const most = 12 // armies of a side; chosen for readability
	c := chart.Chart{
		Name:    "conquest",
		Title:   "Martian Risk: probability of conquest",
		Caption: "An attack fought to its end, by the armies of both sides at its start. One attacking army stays behind. The black line is at even chances.",
	}
	for _, higher := range []int{-1, 0, 1} {
		m := chart.Percent("probability of conquest (%)")
		m.Fill([2]int{2, most}, [2]int{1, most}, func(a, d int) float64 { return 100 * NewConquest(a, d, higher).Odds })
		title := fmt.Sprintf("Attacker's tower a piece %s", map[int]string{-1: "lower", 1: "higher"}[higher])
		if higher == 0 {
			title = "Equal towers"
		}
		c.Panels = append(c.Panels, chart.Panel{Title: title, X: chart.Axis{Label: "attackers (armies)"}, Y: chart.Axis{Label: "defenders (armies)"}, Map: m})
	}
	return []chart.Chart{c}, nil
}
