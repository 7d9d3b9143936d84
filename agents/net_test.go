package agents_test

import (
	"math"
	"slices"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/test/testgames"
	"marsgym/models"
)

// TestNet compares the policies of networks with both heads with the outputs of one
// forward pass for each position.
func TestNet(t *testing.T) {
	for _, id := range []string{"martian-dice", "pig"} {
		t.Run(id, func(t *testing.T) { checkNet(t, testgames.Open(t, id, 0, "{}")) })
	}
}

// checkNet is TestNet for a game.
func checkNet(t *testing.T, g env.Game) {
	spec := g.Spec()
	for _, head := range []models.Head{models.Logits, models.Score} {
		mlp := network(t, spec, head)
		for _, sample := range []bool{false, true} {
			policy := agents.NewNet(spec, mlp, sample)
			if _, ok := policy.(env.AfterstateScorer); ok != (head == models.Score) {
				t.Errorf("%s: implements AfterstateScorer: %t", head, ok)
			}
			b := g.NewBatch(600, 0) // in several parts
			b.Reset(1)
			for range 3 {
				d := b.Decisions(nil)
				probs := make([]float64, d.Len()*spec.Actions)
				if err := policy.Probs(probs, d); err != nil {
					t.Fatal(err)
				}
				for i := range d.Len() {
					row := probs[i*spec.Actions:][:spec.Actions]
					check(t, row, d.Mask()[i*spec.Actions:][:spec.Actions], outputs(mlp, d, i, spec), sample)
					b.Buffers().Action[i] = env.SampleAction(row, &b.Buffers().Noise[i])
				}
				if t.Failed() {
					t.Fatalf("head %s, sample %t", head, sample)
				}
				if err := b.Step(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// outputs returns the output of the network for each legal action of a decision.
func outputs(mlp *models.MLP, d env.Decisions, i int, spec game.Spec) []float64 {
	n, out := spec.ObsLen(), make([]float32, mlp.Shape().PolicyWidth())
	var list []float64
	if mlp.Shape().Head == models.Score {
		after := d.Afterstates()
		for k := after.Start[i]; k < after.Start[i+1]; k++ {
			mlp.Forward(out, nil, after.Obs[k*n:][:n])
			list = append(list, float64(out[0]))
		}
		return list
	}
	mlp.Forward(out, nil, d.Obs()[i*n:][:n])
	for a, legal := range d.Mask()[i*spec.Actions:][:spec.Actions] {
		if legal {
			list = append(list, float64(out[a]))
		}
	}
	return list
}

// check checks a row of probabilities against the outputs for its legal actions.
func check(t *testing.T, row []float64, mask []bool, outputs []float64, sample bool) {
	t.Helper()
	if !(math.Abs(sum(row)-1) <= 1e-12) {
		t.Errorf("%v sum to %g", row, sum(row))
	}
	best, total := slices.Max(outputs), 0.0
	for _, x := range outputs {
		total += math.Exp(x)
	}
	for a, p := range row {
		if !mask[a] {
			if p != 0 {
				t.Errorf("the illegal action %d has probability %g", a, p)
			}
			continue
		}
		x := outputs[0]
		outputs = outputs[1:]
		switch {
		case sample && !(math.Abs(p-math.Exp(x)/total) <= 1e-6):
			t.Errorf("action %d has probability %g; its output %g gives %g", a, p, x, math.Exp(x)/total)
		case !sample && p == 1 && !(x >= best-1e-5), !sample && p != 0 && p != 1:
			t.Errorf("action %d has probability %g, its output is %g and the best %g", a, p, x, best)
		}
	}
}

// TestRelabels: in positions that differ in the names of the earthling types only, the
// actions have the same probabilities up to these names.
func TestRelabels(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, "{}")
	const humans, cows, chickens = 1, 2, 3
	for _, head := range []models.Head{models.Logits, models.Score} {
		policy := agents.NewNet(g.Spec(), network(t, g.Spec(), head), true)
		probs := func(text string) []float64 {
			p, err := g.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			row, err := env.ActionProbabilities(t.Context(), policy, p, g.Spec().Actions)
			if err != nil {
				t.Fatal(err)
			}
			return row
		}
		a, b := probs("3-5@0 aside T2 roll R2H1C5K3"), probs("3-5@0 aside T2 roll R2H5C3K1")
		if a[humans] != b[chickens] || a[cows] != b[humans] || a[chickens] != b[cows] || a[humans] == a[cows] {
			t.Errorf("%s: %v and %v", head, a, b)
		}
	}
}
