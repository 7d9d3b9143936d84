package expert_test

import (
	"math/rand/v2"
	"testing"

	"marsgym/env/catalog"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train/expert"
)

// BenchmarkExpert searches with values that are linear in the observation, whose cost
// is negligible.
func BenchmarkExpert(b *testing.B) {
	for _, depth := range depths {
		if depth == expert.Search { // in BenchmarkSimulations
			continue
		}
		b.Run(string(depth), func(b *testing.B) {
			g := catalog.NewGame(testgames.NewMartianDice(b, 2, 13, 25))
			e := newExpert(b, g, expert.Config{Depth: depth, Starts: expert.Starts{Sample: 0.7}, Turns: 2, Decisions: 1, Outcomes: 64, ExplorationFraction: 1. / 3, ExplorationRate: 0.15}, 16, 0)
			weight := make([]float32, g.Spec().ObsLen())
			noise := rand.New(rand.NewPCG(1, 1))
			for i := range weight {
				weight[i] = noise.Float32() - 0.5
			}
			value := func(_, dst, obs []float32) {
				for i := 0; i < len(dst); i += 2 {
					sum := float32(0)
					for k, x := range obs[i/2*len(weight):][:len(weight)] {
						sum += x * weight[k]
					}
					dst[i], dst[i+1] = sum, -sum
				}
			}
			e.Reset(1)
			var targets denseTargets
			decisions, rows := 0, 0
			for b.Loop() {
				e.Search(b.Context(), &targets, expert.Options{}, func(_, dst, obs []float32) {
					rows += len(dst) / 2
					value(nil, dst, obs)
				})
				decisions += targets.Decisions
			}
			b.ReportMetric(float64(decisions)/b.Elapsed().Seconds(), "decisions/s")
			b.ReportMetric(float64(rows)/float64(decisions), "values/decision")
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
			spec := g.Spec()
			mlp, err := models.NewMLP(models.Shape{
				Obs: spec.ObsLen(), Hidden: []int{128, 128}, Head: models.Logits, Values: models.ValueShares, Actions: spec.Actions, Players: spec.Players,
			}, rand.NewPCG(1, 1))
			if err != nil {
				b.Fatal(err)
			}
			cfg := expert.Config{Depth: expert.Search, Turns: 1, Decisions: 16, Tree: expert.Tree{Simulations: 100, FastSimulations: 16, FullFraction: 0.25, Candidates: 16}}
			e := newExpert(b, g, cfg, 32, 0)
			e.Reset(1)
			var targets denseTargets
			decisions, rows, calls := 0, 0, 0
			for b.Loop() {
				err := e.Search(b.Context(), &targets, expert.Options{Lambda: 0.95, Temperature: 0.01}, func(policy, values, obs []float32) {
					rows += len(values) / spec.Players
					calls++
					mlp.Forward(policy, values, obs)
					models.SharesToReturns(values, spec.Players, spec.Return)
				})
				if err != nil {
					b.Fatal(err)
				}
				decisions += targets.Decisions
			}
			b.ReportMetric(float64(decisions)/b.Elapsed().Seconds(), "decisions/s")
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "evaluations/s")
			b.ReportMetric(float64(rows)/float64(calls), "evaluations/call")
		})
	}
}
