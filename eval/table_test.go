package eval_test

import (
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/eval"
)

// TestTable holds a table of different agents to matches of the same.
func TestTable(t *testing.T) {
	for players := 2; players <= 4; players++ {
		r := reduced(t, players)
		who := []*agents.Agent{r.greedy, r.random, r.exact, r.exact}[:players]
		table, err := r.judge.Multiplayer(t.Context(), who)
		if err != nil {
			t.Fatal(err)
		}
		m, err := eval.PlayDuplicate(t.Context(), r.game, who, 10_000, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !(m.Low[0] <= table.Mean && table.Mean <= m.High[0]) {
			t.Errorf("at a table of %d %s wins %g exactly, and in a match %g to %g", players, table.Seats, table.Mean, m.Low[0], m.High[0])
		}
		seats, err := r.judge.WinShares(t.Context(), who)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(table.Win, seats) || table.WinBySeat[0] != seats[0] || len(table.WinBySeat) != players {
			t.Errorf("%+v; in this order the seats win %v", table, seats)
		}
		exploit, err := r.judge.Exploitability(t.Context(), r.greedy)
		if err != nil || table.Exploitability != exploit || table.Cost.Decisions == 0 || table.Method != "exact" {
			t.Errorf("%+v; the exploitability is %g, %v", table, exploit, err)
		}
		near(t, "a fair share", table.Fair, 1/float64(players), 1e-15)
		near(t, "the mean", table.Mean*float64(players), sum(table.WinBySeat), 1e-12)
	}
}

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

// TestJudgeRotate: the agents keep their order round the table, which matters to an
// agent between two others.
func TestJudgeRotate(t *testing.T) {
	r := reduced(t, 3)
	win, err := r.judge.Rotations(t.Context(), []*agents.Agent{r.random, r.exact, r.greedy})
	if err != nil {
		t.Fatal(err)
	}
	for turn, seats := range [][]*agents.Agent{
		{r.random, r.exact, r.greedy}, {r.greedy, r.random, r.exact}, {r.exact, r.greedy, r.random},
	} {
		want, err := r.judge.WinShares(t.Context(), seats)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if seat := (i + turn) % 3; win[i][seat] != want[seat] {
				t.Errorf("turned by %d, agent %d wins %g; want %g", turn, i, win[i][seat], want[seat])
			}
		}
	}
}

func TestMatrix(t *testing.T) {
	for players := 2; players <= 4; players++ {
		r := reduced(t, players)
		who := []*agents.Agent{r.exact, r.greedy, r.random}
		tables := 0
		r.judge.Report = func(step string) {
			if strings.HasPrefix(step, "a table") {
				tables++
			}
		}
		win, err := r.judge.Matrix(t.Context(), who)
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{6, 18, 24}[players-2]; tables != want {
			t.Errorf("%d tables of %d, want %d", tables, players, want)
		}
		for i, a := range who {
			for k, b := range who {
				seats := append([]*agents.Agent{a}, slices.Repeat([]*agents.Agent{b}, players-1)...)
				turned, err := r.judge.Rotations(t.Context(), seats)
				if err != nil {
					t.Fatal(err)
				}
				near(t, a.Name+" among "+b.Name, win[i][k], sum(turned[0])/float64(players), 1e-12)
			}
		}
		if _, err := eval.Ratings(win, players); err != nil {
			t.Error(err)
		}
	}
}

// TestReport counts the steps of an evaluation.
func TestReport(t *testing.T) {
	r := reduced(t, 3)
	var steps []string
	r.judge.Report = func(step string) { steps = append(steps, step) }
	if _, err := r.judge.Multiplayer(t.Context(), []*agents.Agent{r.greedy, r.random, r.random}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"asking greedy about every position", "asking random about every position",
		"a table of greedy, random, random", "a table of random, greedy, random", "a table of random, random, greedy",
		"a best response to greedy in seat 0", "a best response to greedy in seat 1", "a best response to greedy in seat 2",
	}
	if !slices.Equal(steps, want) {
		t.Errorf("the steps are %q", steps)
	}
}

func TestTableRefuses(t *testing.T) {
	r := reduced(t, 3)
	for _, who := range [][]*agents.Agent{nil, {r.exact}, {r.exact, r.greedy}} {
		if _, err := r.judge.Multiplayer(t.Context(), who); err == nil || !strings.Contains(err.Error(), "for a table of 3") {
			t.Errorf("%d agents for three seats: %v", len(who), err)
		}
	}
}
