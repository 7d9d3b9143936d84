package analysis_test

import (
	"testing"

	"marsgym/env"
	"marsgym/eval/analysis"
	"marsgym/internal/test/testgames"
)

// TestRolloutLimit: games of three decisions, which seat 0 then has won, count as drawn where the
// limit is two decisions, and not where it is three or four.
func TestRolloutLimit(t *testing.T) {
	for limit, want := range map[int]float64{2: 0.5, 3: 1, 4: 1} {
		g := env.NewGame(testgames.March{Length: 3, Moves: limit})
		bot, err := g.Bot("random")
		if err != nil {
			t.Fatal(err)
		}
		v := &analysis.Rollouts{Game: g, Agent: bot, Name: "random", Number: 2, Seed: 1}
		values, err := v.Values(t.Context(), []env.Position{g.Initial()})
		if err != nil {
			t.Fatal(err)
		}
		if got := values[0].Mean; got[0] != want || got[1] != 1-want {
			t.Errorf("with a limit of %d decisions the shares of the win are %v; want %v and %v", limit, got, want, 1-want)
		}
	}
}
