package eval_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/eval"
	"marsgym/models"
)

func mistakes(t *testing.T, r testGame, a *agents.Agent, n int) eval.MistakeReport {
	t.Helper()
	b, err := r.evaluator.Mistakes(t.Context(), a, n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sampler is a random network that samples from its scores.
func sampler(t *testing.T, g env.Game) *agents.Agent {
	t.Helper()
	shape := agents.MetaOf(g.Spec()).Net
	shape.Hidden, shape.Head = []int{8}, models.Score
	mlp, err := models.NewMLP(shape, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	return &agents.Agent{Name: "network", Policy: agents.NewNet(g.Spec(), mlp, true)}
}

// TestMistakes: the costs of all mistakes add up to the loss of an agent against
// optimal play, and so do those of all kinds and of all situations.
func TestMistakes(t *testing.T) {
	for _, r := range []testGame{reduced(t, 2), reduced(t, 3), newTestGame(t, "pig", 2, reducedPig)} {
		players := r.game.Spec().Players
		best, err := r.evaluator.WinShares(t.Context(), slices.Repeat([]*agents.Agent{r.exact}, players))
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []*agents.Agent{r.greedy, r.random, sampler(t, r.game)} {
			b, all := mistakes(t, r, a, 7), mistakes(t, r, a, 100)
			mean := 0.0
			for seat := range players {
				seats := slices.Repeat([]*agents.Agent{r.exact}, players)
				seats[seat] = a
				win, err := r.evaluator.WinShares(t.Context(), seats)
				if err != nil {
					t.Fatal(err)
				}
				near(t, a.Name+": loss of a seat", b.LossBySeat[seat], best[seat]-win[seat], 1e-12)
				mean += (best[seat] - win[seat]) / float64(players)
			}
			near(t, a.Name+": loss", b.Loss, mean, 1e-12)
			for _, list := range [][]eval.MistakeGroup{b.Kinds, b.Situations} {
				var sum eval.MistakeGroup
				for _, x := range list {
					sum.Cost, sum.Times = sum.Cost+x.Cost, sum.Times+x.Times
				}
				near(t, a.Name+": the sum of costs", sum.Cost, b.Loss, 1e-12)
				near(t, a.Name+": the sum of times", sum.Times, b.Mistakes, 1e-12)
			}
			if !(b.LargeMistakes <= b.Mistakes && b.Mistakes > 0 && b.Loss > 0) || len(b.Worst) != 7 {
				t.Errorf("%s: %+v", a.Name, b)
			}
			if !slices.Equal(b.Worst, all.Worst[:min(7, len(all.Worst))]) {
				t.Errorf("%s: the worst are %+v", a.Name, b.Worst)
			}
			for _, x := range all.Worst {
				near(t, x.Position, x.Cost, x.Reach*x.Prob*x.Regret, 1e-15)
			}
			if !slices.IsSortedFunc(all.Worst, func(a, b eval.Mistake) int { return cmp.Compare(b.Cost, a.Cost) }) {
				t.Errorf("%s: the worst are not sorted by cost", a.Name)
			}
		}
		if b := mistakes(t, r, r.exact, 7); b.Loss != 0 || len(b.Worst) > 0 {
			t.Errorf("best play: %+v", b)
		}
	}
}

// TestMistakePositions: the regret of a mistake is that of the solution in its
// position.
func TestMistakePositions(t *testing.T) {
	r := reduced(t, 2)
	solution, err := r.game.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	spec := r.game.Spec()
	worst := mistakes(t, r, r.random, 50).Worst
	if len(worst) != 50 {
		t.Fatalf("%d mistakes of random play; want 50", len(worst))
	}
	for _, b := range worst {
		p, err := r.game.Parse(b.Position)
		if err != nil {
			t.Fatal(err)
		}
		values, err := solution.Options(p)
		if err != nil {
			t.Fatal(err)
		}
		value := map[string]float64{}
		for i, a := range p.Legal() {
			value[r.game.ActionName(a)] = spec.WinShare(values[i])
		}
		near(t, b.Position+" "+b.Best, value[b.Best], spec.WinShare(slices.Max(values)), 1e-12)
		near(t, b.Position+" "+b.Action, value[b.Best]-value[b.Action], b.Regret, 1e-12)
		if stop := b.Action == "stop"; stop != strings.HasPrefix(b.Kind, "stopped") || b.Situation == "" {
			t.Errorf("%+v", b)
		}
	}
}
