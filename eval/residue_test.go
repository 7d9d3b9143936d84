package eval_test

import (
	"testing"

	"marsgym/agents"
	"marsgym/eval"
	"marsgym/internal/test/testgames"
)

// TestExploitabilityOfBestPlay: it is 0, and no rounding error.
func TestExploitabilityOfBestPlay(t *testing.T) {
	for _, tt := range []struct {
		game, config string
		players      int
	}{{"pig", `{"target": 25}`, 2}, {"martian-dice", `{"dice": 5, "target": 10}`, 2}, {"martian-dice", `{"dice": 5, "target": 10}`, 3}} {
		g := testgames.Open(t, tt.game, tt.players, tt.config)
		s, err := g.Solve(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		e, err := eval.NewExactEvaluator(g, s)
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.Exploitability(t.Context(), &agents.Agent{Name: agents.Exact, Policy: s.Policy()})
		if err != nil {
			t.Fatal(err)
		}
		if x != 0 {
			t.Errorf("%s for %d: best play can be exploited by %v", tt.game, tt.players, x)
		}
	}
}
