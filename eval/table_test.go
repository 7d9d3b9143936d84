package eval_test

import (
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/eval"
)

// TestTable: the agents are ordered by exploitability, and the figures are those of
// the other methods.
func TestTable(t *testing.T) {
	for players := 2; players <= 3; players++ {
		r := reduced(t, players)
		entrants := []*agents.Agent{r.random, r.exact, r.greedy}
		table, err := r.evaluator.Table(t.Context(), entrants)
		if err != nil {
			t.Fatal(err)
		}
		if table.Agents[0] != "exact" || !slices.IsSorted(table.Exploitability) || table.Rating[0] != 0 || table.Method != "exact" {
			t.Errorf("for %d players: %+v", players, table)
		}
		if entrants[0] != r.random {
			t.Error("the list of the caller was sorted")
		}
		for i, name := range table.Agents {
			a := map[string]*agents.Agent{"exact": r.exact, "greedy": r.greedy, "random": r.random}[name]
			x, err := r.evaluator.Exploitability(t.Context(), a)
			if err != nil || table.Exploitability[i] != x {
				t.Errorf("%s: exploitability %g, %v; want %g", name, table.Exploitability[i], err, x)
			}
			entrants[i] = a
		}
		win, err := r.evaluator.Matrix(t.Context(), entrants)
		if err != nil || !slices.EqualFunc(win, table.Win, slices.Equal[[]float64]) {
			t.Errorf("the win shares are %v, %v; want %v", table.Win, err, win)
		}
	}
}

func TestMatrix(t *testing.T) {
	for players := 2; players <= most(4, 3); players++ {
		r := reduced(t, players)
		entrants := []*agents.Agent{r.exact, r.greedy, r.random}
		evaluations := 0
		r.evaluator.Report = func(step string) {
			if strings.HasPrefix(step, "evaluating") {
				evaluations++
			}
		}
		win, err := r.evaluator.Matrix(t.Context(), entrants)
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{6, 18, 24}[players-2]; evaluations != want {
			t.Errorf("%d evaluations for %d players, want %d", evaluations, players, want)
		}
		for i, a := range entrants {
			for k, b := range entrants {
				seats := append([]*agents.Agent{a}, slices.Repeat([]*agents.Agent{b}, players-1)...)
				rotations, err := r.evaluator.Rotations(t.Context(), seats)
				if err != nil {
					t.Fatal(err)
				}
				near(t, a.Name+" among "+b.Name, win[i][k], sum(rotations[0])/float64(players), 1e-12)
			}
		}
		if _, err := eval.Ratings(win, players); err != nil {
			t.Error(err)
		}
	}
}
