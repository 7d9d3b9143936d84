// In package train for the counts behind the means of the losses, which a run does
// not report.
package train

import (
	"context"
	"math/rand/v2"
	"testing"

	"marsgym/internal/jobs"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/train/expert"
)

// TestSmallMinibatch has minibatches that leave most shards without rows: each
// decision counts once in the losses for each epoch, and none of another minibatch
// does.
func TestSmallMinibatch(t *testing.T) {
	g := openGame(t, "pig", `{"target": 10}`)
	cfg := DefaultConfig(AlgorithmPPO)
	cfg.Rows, cfg.Shards = 24, 8
	cfg.PPO.Horizon, cfg.PPO.Minibatch, cfg.PPO.Epochs = 16, 48, 2
	l, err := gorgonia.New(network(t, g, cfg.Head), cfg.Adam)
	if err != nil {
		t.Fatal(err)
	}
	for _, fraction := range []float64{0, 0.5} {
		cfg.Openings.Fraction = fraction
		r, err := newPPO(&cfg, g, l, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			m, err := r.iterate(t.Context(), 0)
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
			if want := float64(int(m.Decisions)-random) * float64(cfg.PPO.Epochs); m.decisions != want {
				t.Errorf("the losses are of %v decisions; want %v", m.decisions, want)
			}
		}
	}
}

// idle is an expert without targets.
type idle struct{ expert.Expert }

func (idle) Search(_ context.Context, dst *expert.Targets, _ expert.Options, _ expert.Network) error {
	*dst = expert.Targets{Start: []int32{0}}
	return nil
}

// TestIdleShard has a shard with targets in the first iteration only.
func TestIdleShard(t *testing.T) {
	g := openGame(t, "martian-dice", `{"dice": 5, "target": 6}`)
	cfg := DefaultConfig(TurnExact)
	cfg.Rows, cfg.Shards = 4, 2
	cfg.Hidden = []int{8}
	mlp, err := models.NewMLP(cfg.shape(g.Spec()), rand.NewPCG(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	l, err := gorgonia.New(mlp, cfg.Adam)
	if err != nil {
		t.Fatal(err)
	}
	e, err := newExpertIteration(&cfg, Settings{}, g, l, jobs.Local{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		m, err := e.iterate(t.Context(), 0.5)
		if err != nil {
			t.Fatal(err)
		}
		n, decisions := 0, 0
		for _, p := range e.parts {
			n += p.found.values()
			decisions += p.found.decisions()
		}
		if n == 0 || m.decisions != float64(n) || m.choices != float64(decisions) {
			t.Errorf("iteration %d: the losses are of %v positions and %v decisions; want %d and %d", i+1, m.decisions, m.choices, n, decisions)
		}
		e.parts[1].search = idle{e.parts[1].search}
	}
}
