package eval_test

import (
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/eval"
	"marsgym/internal/test/testgames"
)

// TestExploitable: an agent has a strength in games for two with a winner.
func TestExploitable(t *testing.T) {
	for players, want := range map[int]bool{1: false, 2: true, 3: false} {
		if got := eval.Exploitable(testgames.Open(t, "martian-dice", players, "{}").Spec()); got != want {
			t.Errorf("Martian Dice for %d: %v; want %v", players, got, want)
		}
	}
}

// TestStrengthSteps: best play is tabulated for the first agent only, and other agents each time.
func TestStrengthSteps(t *testing.T) {
	r := reduced(t, 2)
	var steps []string
	r.evaluator.Report = func(step string) { steps = append(steps, step) }
	once := []string{"tabulating greedy", "evaluating greedy, exact", "evaluating exact, greedy", "best response to greedy in seat 0", "best response to greedy in seat 1"}
	for range 2 {
		if _, err := r.evaluator.Strength(t.Context(), r.greedy); err != nil {
			t.Fatal(err)
		}
	}
	want := slices.Concat(slices.Insert(slices.Clone(once), 1, "tabulating exact"), once)
	if !slices.Equal(steps, want) {
		t.Errorf("the steps are %q; want %q", steps, want)
	}
}

// TestTableFair: a table names the share of equal agents, which is on its diagonal.
func TestTableFair(t *testing.T) {
	three := reduced(t, 3)
	table, err := three.evaluator.Table(t.Context(), []*agents.Agent{three.greedy, three.random, three.exact})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the fair share", table.Fair, 1.0/3, 1e-15)
	for i := range table.Win {
		near(t, "the share among equals", table.Win[i][i], 1.0/3, 1e-15)
	}
	if _, err := three.evaluator.Pair(t.Context(), three.greedy, three.random); err == nil || !strings.Contains(err.Error(), "a pair of agents needs a game for 2 players") {
		t.Errorf("a pair among three: %v", err)
	}
}
