// In package ppo for the rollouts, from which the figures of an iteration are computed again.
package ppo

import (
	"math"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/train/method"
)

// TestFigures computes the metrics of an iteration of two epochs again, from its rollouts and the
// network before each epoch. The network before the second is that after an iteration of one epoch.
func TestFigures(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`)
	iterate := func(epochs int, mlp *models.MLP) (*PPO, method.Metrics) {
		l, err := gorgonia.New(mlp, models.DefaultAdam())
		if err != nil {
			t.Fatal(err)
		}
		cfg := Config{Horizon: 16, Minibatch: 10_000, Epochs: epochs, Gamma: 0.9, Lambda: 0.85, ClipRange: 0.02, EntropyCoef: method.Schedule{0.1, 0.1}}
		opt := Options{Seed: 1, Rows: 24, LearningRate: func(float64) float64 { return 0.03 }, ValueCoef: 1, Openings: Openings{Fraction: 0.5, Decisions: 4}}
		r, err := New(cfg, opt, g, l)
		if err != nil {
			t.Fatal(err)
		}
		m, err := r.Iterate(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		return r, m
	}
	first := network(t, g, models.Logits)
	start, second := first.Clone(), first.Clone()
	iterate(1, second)
	r, m := iterate(2, first)

	a, p := g.Spec().Actions, g.Spec().Players
	games, advantages := uint64(0), []float64{}
	for _, x := range r.rollouts {
		for at, end := range x.ended {
			if end != running {
				games++
			}
			if x.start[at] < x.start[at+1] {
				advantages = append(advantages, float64(x.adv[at*p+int(x.mover[at])]))
			}
		}
	}
	if m.Decisions != 24*16 || m.Games != games || games == 0 {
		t.Errorf("%d decisions and %d games; want %d and %d", m.Decisions, m.Games, 24*16, games)
	}
	mean, deviation := 0.0, 0.0
	for _, x := range advantages {
		mean += x / float64(len(advantages))
	}
	for _, x := range advantages {
		deviation += (x - mean) * (x - mean) / float64(len(advantages))
	}
	deviation = math.Sqrt(deviation)

	var policy, value, entropy, kl, clipped, choices, positions float64
	for _, mlp := range []*models.MLP{start, second} {
		for _, x := range r.rollouts {
			n := len(x.mover)
			logits, values := make([]float32, n*a), make([]float32, n*p)
			mlp.ForwardObservations(logits, values, x.obs, 0, n)
			for at, mover := range x.mover {
				if x.random[at] {
					continue
				}
				positions++
				for k := range p { // in the order of play from the mover
					seat := (int(mover) + k) % p
					e := float64(values[at*p+k]) - float64(x.value[at*p+seat]+x.adv[at*p+seat])
					value += e * e / 2
				}
				options := x.option[x.start[at]:x.start[at+1]]
				if len(options) == 0 {
					continue
				}
				choices++
				total := 0.0
				prob := func(o game.Action) float64 { return math.Exp(float64(logits[at*a+int(o)])) / total }
				for _, o := range options {
					total += math.Exp(float64(logits[at*a+int(o)]))
				}
				for _, o := range options {
					entropy -= prob(o) * math.Log(prob(o))
				}
				ratio := prob(options[x.chosen[at]-x.start[at]]) / math.Exp(float64(x.logp[at]))
				adv := (float64(x.adv[at*p+int(mover)]) - mean) / deviation
				kl += ratio - 1 - math.Log(ratio)
				policy -= min(ratio*adv, max(0.98, min(1.02, ratio))*adv)
				if adv > 0 && ratio > 1.02 || adv < 0 && ratio < 0.98 {
					clipped++
				}
			}
		}
	}
	if clipped == 0 || !(kl > 0) {
		t.Error("nothing is clipped, or the policy has not changed")
	}
	for _, f := range []struct {
		name      string
		got       method.Mean
		sum, n    float64
		tolerance float64
	}{
		{"policy_loss", m.Policy, policy, choices, 1e-6},
		{"value_loss", m.Value, value, positions, 1e-6},
		{"entropy", m.Entropy, entropy, choices, 1e-6},
		{"kl", m.KL, kl, choices, 1e-6},
		{"clipped", m.Clipped, clipped, choices, 1e-9},
	} {
		if f.got.N != f.n || !(math.Abs(f.got.Value()-f.sum/f.n) <= f.tolerance) {
			t.Errorf("%s is %v over %v terms; want %v over %v", f.name, f.got.Value(), f.got.N, f.sum/f.n, f.n)
		}
	}
	if m.GradNorm.N != 2 || !(m.GradNorm.Value() > 0) {
		t.Errorf("grad_norm is %v over %v steps; want 2 steps", m.GradNorm.Value(), m.GradNorm.N)
	}
	if slices.Equal(start.Weights(), second.Weights()) {
		t.Error("the network has learned nothing")
	}
}
