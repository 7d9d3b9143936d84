// In package ppo for the openings, which a run does not report.
package ppo

import (
	"math"
	"testing"

	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train/method"
)

// TestOpenings counts the random actions at the beginnings of games.
func TestOpenings(t *testing.T) {
	g := testgames.Open(t, "pig", 0, `{"target": 40}`)
	b := g.NewBatch(64, 0)
	b.Reset(1)
	r := newRollout(b, 0, models.Score, Config{Horizon: 2000, Gamma: 1, Lambda: 0.85})
	p := newTestPool(t, method.Opponents{Fraction: 0.5, Bots: map[string]float64{"greedy": 1}}, g, r)
	cfg := Openings{Fraction: 0.5, Decisions: 3}
	r.openings = newOpenings(cfg, b.Buffers())
	mlp := network(t, g, models.Score)
	p.begin(mlp, 0)
	if err := r.play(t.Context(), mlp); err != nil {
		t.Fatal(err)
	}
	var lengths [4]float64 // the games with so many random actions
	games := 0.0
	for i := range r.n {
		begins, length := true, 0
		for at := i; at < len(r.mover); at += r.n {
			switch random := r.random[at]; {
			case random && !begins:
				t.Fatalf("row %d: a random action after one that is not", i)
			case random:
				length++
			case begins:
				begins = false
				lengths[length]++
				games++
			}
			if r.ended[at] != running {
				begins, length = true, 0
			}
		}
	}
	for n, want := range []float64{0.5, 1. / 6, 1. / 6, 1. / 6} {
		if got := lengths[n] / games; !(math.Abs(got-want) <= 0.02) {
			t.Errorf("%v of %v games begin with %d random actions; want %v", got, games, n, want)
		}
	}

	// The values of random actions have no gradient, and those of others have one.
	s := &shard{obs: models.NewObservations(r.d, nil)}
	blocks := []block{{0, 0, blockLen}, {0, int32(r.n), int32(r.n) + blockLen}}
	s.fill(blocks, []*rollout{r})
	policy, dpolicy := make([]float32, s.obs.Len()), make([]float32, s.obs.Len())
	values, dvalues := make([]float32, 2*s.obs.Len()), make([]float32, 2*s.obs.Len())
	for k := range values {
		values[k] = 10 // no target is as high
	}
	s.loss(terms{scale: normaliser([]*rollout{r}), clip: 0.2, value: 1})(policy, values, dpolicy, dvalues)
	seen := map[bool]bool{}
	for k, b := range blocks {
		for at := int(b.from); at < int(b.to); at++ {
			random, row := r.random[at], s.first[k]+r.row(at)-r.row(int(b.from))
			seen[random] = true
			for _, d := range dvalues[2*row:][:2] {
				if (d == 0) != random {
					t.Errorf("decision %d, random %v: the gradient of the value is %v", at, random, d)
				}
			}
		}
	}
	if !seen[true] || !seen[false] {
		t.Errorf("the decisions are %v; want both kinds", seen)
	}
}
