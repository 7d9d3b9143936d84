package train

// These tests are inside the package since a run does not show the counts that
// its means are over.

import (
	"context"
	"math/rand/v2"
	"testing"

	"marsgym/env/expert"
	"marsgym/models"
	"marsgym/models/gorgonia"
)

// TestSmallMinibatch leaves most of the parts without rows: each decision
// counts once in the losses for each epoch, and none of another minibatch.
func TestSmallMinibatch(t *testing.T) {
	g := openGame(t, "pig", `{"target": 10}`)
	cfg := DefaultConfig(AlgorithmPPO)
	cfg.Rows, cfg.Shards = 24, 8
	cfg.PPO.Horizon, cfg.PPO.Minibatch, cfg.PPO.Epochs = 16, 48, 2
	l, err := gorgonia.New(network(t, g, cfg.Head), cfg.Adam)
	if err != nil {
		t.Fatal(err)
	}
	r := newPPO(&cfg, g, l)
	for range 2 {
		m, err := r.iterate(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if want := float64(m.Decisions) * float64(cfg.PPO.Epochs); m.decisions != want {
			t.Errorf("the losses are of %v decisions; want %v", m.decisions, want)
		}
	}
}

// idle is an expert that finds nothing.
type idle struct{ expert.Expert }

func (idle) Search(_ context.Context, dst *expert.Targets, _ expert.Options, _ expert.Network) error {
	*dst = expert.Targets{Start: []int32{0}}
	return nil
}

// TestIdlePart has a part that finds something once, and then nothing.
func TestIdlePart(t *testing.T) {
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
	e, err := newExpertIteration(&cfg, g, l)
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
			n += len(p.targets.Obs) / p.d
			decisions += len(p.targets.Start) - 1
		}
		if n == 0 || m.decisions != float64(n) || m.choices != float64(decisions) {
			t.Errorf("iteration %d: the losses are of %v positions and %v decisions; want %d and %d", i+1, m.decisions, m.choices, n, decisions)
		}
		e.parts[1].search = idle{e.parts[1].search}
	}
}
