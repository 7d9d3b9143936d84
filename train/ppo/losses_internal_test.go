// In package ppo for the counts behind the means of the losses, which a run does
// not report.
package ppo

import (
	"testing"

	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/models/gorgonia"
)

// TestSmallMinibatch has minibatches that leave most shards without rows: each
// decision counts once in the losses for each epoch, and none of another minibatch
// does.
func TestSmallMinibatch(t *testing.T) {
	g := testgames.Open(t, "pig", 0, `{"target": 10}`)
	cfg := Config{Horizon: 16, Minibatch: 48, Epochs: 2, Gamma: 1, Lambda: 0.85, ClipRange: 0.2}
	opt := Options{Seed: 1, Rows: 24, LearningRate: func(float64) float64 { return 1e-3 }, ValueCoef: 1, Openings: Openings{Decisions: 8}}
	l, err := gorgonia.New(network(t, g, models.Score), models.DefaultAdam())
	if err != nil {
		t.Fatal(err)
	}
	for _, fraction := range []float64{0, 0.5} {
		opt.Openings.Fraction = fraction
		r, err := New(cfg, opt, g, l)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			m, err := r.Iterate(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			random := 0
			for _, p := range r.rollouts {
				for at, yes := range p.random {
					if yes {
						random++
						if p.start[at] != p.start[at+1] {
							t.Errorf("decision %d of an opening has options", at)
						}
					}
				}
			}
			if (random > 0) != (fraction > 0) {
				t.Errorf("with a fraction of %v, %d decisions are of openings", fraction, random)
			}
			if want := float64(int(m.Decisions)-random) * float64(cfg.Epochs); m.Value.N != want {
				t.Errorf("the losses are of %v decisions; want %v", m.Value.N, want)
			}
		}
	}
}
