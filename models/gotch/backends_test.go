//go:build gotch && cgo

package gotch_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"

	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/models/learnertest"
)

// backends are the backends to compare.
var backends = map[string]learnertest.New{
	"gorgonia": gorgonia.New,
	"gotch":    on("cpu"),
}

var shape = models.Shape{Obs: 23, Hidden: []int{32, 24}, Head: models.Logits, Actions: 6, Players: 2}

// noise returns n normal numbers.
func noise(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// update calls Fit with two shards of n rows, whose targets are noise.
func update(t *testing.T, l models.Learner, r *rand.Rand, n int) {
	t.Helper()
	var shards []models.Shard
	for range 2 {
		policy, values := noise(r, n*shape.PolicyWidth()), noise(r, n*shape.Players)
		shards = append(shards, models.Shard{Obs: models.NewObservations(shape.Obs, noise(r, n*shape.Obs)), Loss: func(p, v, dp, dv []float32) {
			for i := range p {
				dp[i] = p[i] - policy[i]
			}
			for i := range v {
				dv[i] = v[i] - values[i]
			}
		}})
	}
	if _, err := l.Fit(t.Context(), shards, 1e-3); err != nil {
		t.Fatal(err)
	}
}

// outputs returns the outputs with which a learner calls the loss: policy and values of
// 1000 rows.
func outputs(t *testing.T, l models.Learner) (out []float32) {
	t.Helper()
	shard := models.Shard{Obs: models.NewObservations(shape.Obs, noise(rand.New(rand.NewPCG(9, 9)), 1000*shape.Obs)), Loss: func(p, v, dp, _ []float32) {
		out = slices.Concat(p, v)
		dp[0] = 1
	}}
	if _, err := l.Fit(t.Context(), []models.Shard{shard}, 0); err != nil {
		t.Fatal(err)
	}
	return out
}

// near fails unless got differs from want by at most 1e-5.
func near(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers: want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(float64(got[i]-w)) <= 1e-5) {
			t.Fatalf("%s: number %d is %v: want %v", what, i, got[i], w)
		}
	}
}

// TestBackendsAgree: both backends train a network in the same way, and a model that one
// of them saved has the same outputs in the other.
func TestBackendsAgree(t *testing.T) {
	cfg := models.AdamConfig{Beta1: 0.9, Beta2: 0.999, Eps: 1e-5, MaxGradNorm: 1}
	var (
		learners = map[string]models.Learner{}
		paths    = map[string]string{}
		once     = map[string][]float32{} // weights after one update
	)
	for name, new := range backends {
		mlp, err := models.NewMLP(shape, rand.NewPCG(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		l, err := new(mlp, cfg)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(2, 0))
		update(t, l, r, 40)
		once[name] = slices.Clone(mlp.Weights())
		for range 50 {
			update(t, l, r, 40)
		}
		learners[name], paths[name] = l, filepath.Join(t.TempDir(), name)
		f := &models.File{MLP: mlp, Tensors: l.State()}
		if err := f.Save(paths[name]); err != nil {
			t.Fatal(err)
		}
	}
	near(t, "weights after one update", once["gotch"], once["gorgonia"])
	near(t, "weights after 51 updates", learners["gotch"].MLP().Weights(), learners["gorgonia"].MLP().Weights())
	for from, path := range paths {
		for to, new := range backends {
			f, err := models.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			l, err := new(f.MLP, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Restore(f.Tensors); err != nil {
				t.Fatal(err)
			}
			near(t, from+" loaded by "+to, outputs(t, l), outputs(t, learners[from]))
		}
	}
}

// resident returns the resident memory of this process, in bytes.
func resident(t *testing.T) int {
	t.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	pages, err := strconv.Atoi(string(bytes.Fields(text)[1]))
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// TestMemoryStaysFlat: Fit frees its tensors. The limit is less than what the smallest
// tensors would take if each update left one.
func TestMemoryStaysFlat(t *testing.T) {
	mlp, err := models.NewMLP(shape, rand.NewPCG(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	l, err := on("cpu")(mlp, models.DefaultAdam())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(2, 0))
	for range 2000 {
		update(t, l, r, 8)
	}
	before := resident(t)
	for range 20_000 {
		update(t, l, r, 8)
	}
	if grown := resident(t) - before; grown > 4<<20 {
		t.Errorf("memory grows by %d bytes in 20000 updates", grown)
	}
}
