package eval_test

import (
	"math/rand/v2"
	"testing"

	"marsgym/agents"
	"marsgym/env/catalog"
	"marsgym/eval"
	"marsgym/models"
)

// BenchmarkStrength measures one exact evaluation of a network with two layers of 128
// for each head: both seats against optimal play, and the best response to it in
// both.
func BenchmarkStrength(b *testing.B) {
	g, err := catalog.Open("martian-dice", 2, nil)
	if err != nil {
		b.Fatal(err)
	}
	s, err := g.Solve(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	e, err := eval.NewExactEvaluator(g, s)
	if err != nil {
		b.Fatal(err)
	}
	for _, head := range []models.Head{models.Score, models.Logits} {
		if testing.Short() && head != models.Score {
			continue // takes long
		}
		b.Run(string(head), func(b *testing.B) {
			shape := agents.MetaOf(g.Spec()).Net
			shape.Hidden, shape.Head = []int{128, 128}, head
			mlp, err := models.NewMLP(shape, rand.NewPCG(1, 0))
			if err != nil {
				b.Fatal(err)
			}
			a := &agents.Agent{Name: "network", Policy: agents.NewNet(g.Spec(), mlp, false)}
			rows := 0
			for b.Loop() {
				p, err := e.Strength(b.Context(), a)
				if err != nil {
					b.Fatal(err)
				}
				rows = p.Cost.Rows
			}
			b.ReportMetric(float64(rows), "rows")
		})
	}
}
