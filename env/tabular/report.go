package tabular

import (
	"fmt"

	"marsgym/env/game"
	"marsgym/env/game/chart"
)

// Facts implements [game.Solution]: the number of positions.
func (sol *Solution[S]) Facts() []game.Fact {
	return []game.Fact{{Name: "positions", Value: float64(sol.Len())}}
}

// Charts implements [game.Solution]. There are none.
func (sol *Solution[S]) Charts() ([]chart.Chart, error) {
	return nil, fmt.Errorf("%s: %w", sol.rules.Spec().ID, game.ErrNoCharts)
}

// PolicyCharts implements [game.Solution]. There are none.
func (sol *Solution[S]) PolicyCharts(_ game.TabularPolicy, name string) ([]chart.Chart, error) {
	return nil, fmt.Errorf("%s: the loss of %s: %w", sol.rules.Spec().ID, name, game.ErrNoCharts)
}
