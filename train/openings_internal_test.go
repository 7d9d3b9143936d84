// In package train for the openings, which a run does not report.
package train

import (
	"bytes"
	"math"
	"runtime"
	"testing"

	"marsgym/models"
)

// TestOpenings counts the random actions at the beginnings of games.
func TestOpenings(t *testing.T) {
	g := openGame(t, "pig", `{"target": 40}`)
	b := g.NewBatch(64, 0)
	b.Reset(1)
	r := newRollout(b, models.Score, 2000, 0)
	p := newTestPool(t, Opponents{Fraction: 0.5, Bots: map[string]float64{"greedy": 1}}, g, r)
	cfg := Openings{Fraction: 0.5, Decisions: 3}
	r.openings = newOpenings(cfg, b.Buffers())
	mlp := network(t, g, models.Score)
	p.begin(mlp, 0)
	if err := r.play(t.Context(), mlp, 1, 0.85); err != nil {
		t.Fatal(err)
	}
	var lengths [4]float64 // the games with so many random actions
	games := 0.0
	for i := range r.n {
		begins, length := true, 0
		for at := i; at < r.t*r.n; at += r.n {
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
	s.fill([]block{{0, 0, blockLen}, {0, int32(r.n), int32(r.n) + blockLen}}, []*rollout{r}, normaliser([]*rollout{r}))
	options := len(s.index)
	policy, dpolicy := make([]float32, s.obs.Len()), make([]float32, s.obs.Len())
	values, dvalues := make([]float32, 2*s.obs.Len()), make([]float32, 2*s.obs.Len())
	for k := range values {
		values[k] = 10 // no target is as high
	}
	s.loss(2*blockLen, options, 0.2, 0, 1)(policy, values, dpolicy, dvalues)
	seen := map[bool]bool{}
	for i, random := range s.random {
		seen[random] = true
		for _, d := range dvalues[2*s.row[i]:][:2] {
			if (d == 0) != random {
				t.Errorf("decision %d, random %v: the gradient of the value is %v", i, random, d)
			}
		}
	}
	if !seen[true] || !seen[false] {
		t.Errorf("the decisions are %v; want both kinds", seen)
	}
}

// TestOpeningsBits interrupts runs with openings and opponents.
func TestOpeningsBits(t *testing.T) {
	g := openGame(t, "martian-dice", `{"players": 3, "dice": 5, "target": 6}`)
	cfg := poolConfig(models.Logits)
	cfg.Openings = Openings{Fraction: 0.75, Decisions: 6}
	want, _ := trained(t, g, cfg, 0)
	for _, stop := range []uint64{1, 5} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(int(stop)))
		if got, _ := trained(t, g, cfg, stop); !bytes.Equal(got, want) {
			t.Errorf("the model differs if interrupted after iteration %d", stop)
		}
	}
	cfg.Openings.Fraction = 0
	if got, _ := trained(t, g, cfg, 0); bytes.Equal(got, want) {
		t.Error("openings change nothing")
	}
}
