package gorgonia_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"weak"

	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/models/learnertest"
)

var (
	scoreShape  = models.Shape{Obs: 11, Hidden: []int{16, 12}, Head: models.Score, Actions: 6, Players: 2}
	logitsShape = models.Shape{Obs: 7, Hidden: []int{9}, Head: models.Logits, Actions: 5, Players: 3}
)

func newLearner(t testing.TB, s models.Shape, seed uint64) models.Learner {
	t.Helper()
	mlp, err := models.NewMLP(s, rand.NewPCG(seed, 1))
	if err != nil {
		t.Fatal(err)
	}
	cfg := models.DefaultAdam()
	cfg.MaxGradNorm = 1
	l, err := gorgonia.New(mlp, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// noise returns n normal numbers.
func noise(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// train calls Fit for updates from to to-1, with shards of different sizes.
func train(t *testing.T, l models.Learner, from, to int) {
	t.Helper()
	s := l.MLP().Shape()
	for u := from; u < to; u++ {
		r := rand.New(rand.NewPCG(uint64(u), 2))
		shards := []models.Shard{newSquares(s, r, 40+u).shard(), newSquares(s, r, 30).shard(), newSquares(s, r, u%3).shard()}
		if _, err := l.Fit(t.Context(), shards, 1e-3); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCheck(t *testing.T) {
	err := learnertest.Check(gorgonia.New)
	if err != nil {
		t.Error(err)
	}
}

// TestFitAgreesWithForward: the loss is called with the outputs of Forward, to the bit,
// so that the ratio of a policy to itself is exactly one.
func TestFitAgreesWithForward(t *testing.T) {
	for _, s := range []models.Shape{scoreShape, logitsShape} {
		l := newLearner(t, s, 7)
		train(t, l, 0, 5)
		for _, n := range []int{1, 9, 300} {
			obs := noise(rand.New(rand.NewPCG(8, 0)), n*s.Obs)
			wantPolicy, wantValues := make([]float32, n*s.PolicyWidth()), make([]float32, n*s.Players)
			l.MLP().Forward(wantPolicy, wantValues, obs)
			shard := models.Shard{Obs: models.NewObservations(s.Obs, obs), Loss: func(policy, values, dpolicy, dvalues []float32) {
				if !slices.Equal(policy, wantPolicy) || !slices.Equal(values, wantValues) {
					t.Errorf("%s: the loss of %d rows is called with other numbers than Forward returns", s.Head, n)
				}
				if i := slices.IndexFunc(slices.Concat(dpolicy, dvalues), func(d float32) bool { return d != 0 }); i >= 0 {
					t.Errorf("%s: number %d of the gradient is not zero before the call", s.Head, i)
				}
				dpolicy[0], dvalues[0] = 1, 1
			}}
			if _, err := l.Fit(t.Context(), []models.Shard{shard, shard}, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFitStops: where the context is done, Fit changes nothing.
func TestFitStops(t *testing.T) {
	l := newLearner(t, scoreShape, 1)
	train(t, l, 0, 3)
	weights, state := slices.Clone(l.MLP().Weights()), l.State()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	shard := newSquares(scoreShape, rand.New(rand.NewPCG(5, 0)), 9).shard()
	if _, err := l.Fit(ctx, []models.Shard{shard}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want the error of the context", err)
	}
	if !slices.Equal(l.MLP().Weights(), weights) || !reflect.DeepEqual(l.State(), state) {
		t.Error("the weights or the state of the optimizer have changed")
	}
}

// TestLearnerIsFreed: the garbage collector frees a learner that is no longer used. A
// sweep creates thousands.
func TestLearnerIsFreed(t *testing.T) {
	l := newLearner(t, scoreShape, 1)
	train(t, l, 0, 3)
	weights := weak.Make(&l.MLP().Weights()[0])
	runtime.KeepAlive(l)
	l = nil
	for range 3 { // objects with a finalizer need two
		runtime.GC()
	}
	if weights.Value() != nil {
		t.Error("the weights are not freed")
	}
}
