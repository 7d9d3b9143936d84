package eval

import (
	"context"

	"marsgym/agents"
	"marsgym/env/game/chart"
)

// Charts shows where an agent loses against best play, in pictures. The error
// wraps [game.ErrNoCharts] where the game has none.
func (j *ExactEvaluator) Charts(ctx context.Context, a *agents.Agent) ([]chart.Chart, error) {
	e, err := j.expand(ctx, a)
	if err != nil {
		return nil, err
	}
	return j.solution.PolicyCharts(e.TabularPolicy, a.Name)
}
