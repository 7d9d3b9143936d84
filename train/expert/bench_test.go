package expert_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train/expert"
)

// benchmarkSearch searches in rows, with a network of the given hidden layers.
func benchmarkSearch(b *testing.B, g env.Game, cfg expert.Config, rows int, opt expert.Options, head models.Head, hidden ...int) {
	spec := g.Spec()
	mlp, err := models.NewMLP(models.Shape{
		Obs: spec.ObsLen(), Hidden: hidden, Head: head, Values: models.ValueShares, Actions: spec.Actions, Players: spec.Players,
	}, rand.NewPCG(1, 1))
	if err != nil {
		b.Fatal(err)
	}
	e := newExpert(b, g, cfg, rows, 0)
	e.Reset(1)
	var evaluations, calls atomic.Int64
	decisions := 0
	for b.Loop() {
		err := e.Expert.Search(b.Context(), e.pieces, opt, func(policy, values []float32, obs *models.Observations) {
			evaluations.Add(int64(obs.Len()))
			calls.Add(1)
			mlp.ForwardObservations(policy, values, obs, 0, obs.Len())
			models.SharesToReturns(values, spec.Players, spec.Return)
		})
		if err != nil {
			b.Fatal(err)
		}
		for _, p := range e.pieces {
			decisions += p.Decisions
		}
	}
	n := float64(evaluations.Load())
	b.ReportMetric(float64(decisions)/b.Elapsed().Seconds(), "decisions/s")
	b.ReportMetric(n/float64(decisions), "evaluations/decision")
	b.ReportMetric(n/b.Elapsed().Seconds(), "evaluations/s")
	b.ReportMetric(n/float64(calls.Load()), "evaluations/call")
}

// BenchmarkExpert searches Martian Dice with a network of eight hidden units, whose cost is small.
func BenchmarkExpert(b *testing.B) {
	for _, depth := range depths {
		if depth == expert.Search { // in BenchmarkSimulations
			continue
		}
		b.Run(string(depth), func(b *testing.B) {
			g := expert.NewGame(testgames.NewMartianDice(b, 2, 13, 25))
			cfg := expert.Config{Depth: depth, Starts: expert.Starts{Sample: 0.7}, Turns: 2, Decisions: 1, Outcomes: 64, ExplorationFraction: 1. / 3, ExplorationRate: 0.15}
			benchmarkSearch(b, g, cfg, 16, expert.Options{}, models.Score, 8)
		})
	}
}

// BenchmarkSimulations searches the full game of Mars is Ours! for two and the small
// Martian Risk with networks of two hidden layers of 128.
func BenchmarkSimulations(b *testing.B) {
	for _, id := range []string{"mars-is-ours", "martian-risk-small"} {
		b.Run(id, func(b *testing.B) {
			g, err := catalog.Open(id, 0, nil)
			if err != nil {
				b.Fatal(err)
			}
			cfg := expert.Config{Depth: expert.Search, Turns: 1, Decisions: 16, Tree: expert.Tree{Simulations: 100, FastSimulations: 16, FullFraction: 0.25, Candidates: 16}}
			benchmarkSearch(b, g, cfg, 32, expert.Options{Lambda: 0.95, Temperature: 0.01}, models.Logits, 128, 128)
		})
	}
}
