package gorgonia_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"marsgym/models"
	"marsgym/models/gorgonia"
)

var (
	scoreShape  = models.Shape{Obs: 11, Hidden: []int{16, 12}, Head: models.Score, Actions: 6, Players: 2}
	logitsShape = models.Shape{Obs: 7, Hidden: []int{9}, Head: models.Logits, Actions: 5, Players: 3}
)

func newLearner(t testing.TB, s models.Shape, seed uint64) *gorgonia.Learner {
	t.Helper()
	mlp, err := models.NewMLP(s, rand.NewPCG(seed, 1))
	if err != nil {
		t.Fatal(err)
	}
	cfg := models.DefaultAdam()
	cfg.Clip = 1
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

// train makes updates of shards of changing sizes.
func train(t *testing.T, l *gorgonia.Learner, from, to int) {
	t.Helper()
	s := l.MLP().Shape()
	for u := from; u < to; u++ {
		r := rand.New(rand.NewPCG(uint64(u), 2))
		shards := []models.Rows{newSquares(s, r, 40+u).rows(), newSquares(s, r, 30).rows(), newSquares(s, r, u%3).rows()}
		if _, err := l.Fit(shards, 1e-3); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFitIsDeterministic(t *testing.T) {
	for _, s := range []models.Shape{scoreShape, logitsShape} {
		first := newLearner(t, s, 3)
		train(t, first, 0, 100)
		want := first.MLP().Weights()

		again := newLearner(t, s, 3)
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		train(t, again, 0, 100)
		if !slices.Equal(again.MLP().Weights(), want) {
			t.Errorf("%s: GOMAXPROCS 1 gives other weights", s.Head)
		}

		half := newLearner(t, s, 3)
		train(t, half, 0, 50)
		rest := newLearner(t, s, 4)
		copy(rest.MLP().Weights(), half.MLP().Weights())
		if err := rest.Restore(half.State()); err != nil {
			t.Fatal(err)
		}
		train(t, rest, 50, 100)
		if !slices.Equal(rest.MLP().Weights(), want) {
			t.Errorf("%s: resuming gives other weights", s.Head)
		}
	}
}

func TestFitLearns(t *testing.T) {
	l := newLearner(t, scoreShape, 5)
	r := rand.New(rand.NewPCG(1, 1))
	n, p := 128, scoreShape.Players
	obs := noise(r, n*scoreShape.Obs)
	sum := 0.0
	rows := models.Rows{Obs: obs, Loss: func(policy, values, dpolicy, dvalues []float32) {
		sum = 0
		for i := range n {
			x := obs[i*scoreShape.Obs:]
			dpolicy[i] = policy[i] - x[0]*x[1]
			dvalues[i*p] = values[i*p] - max(x[2], x[3])
			sum += float64(dpolicy[i]*dpolicy[i] + dvalues[i*p]*dvalues[i*p])
		}
	}}
	for range 400 {
		if _, err := l.Fit([]models.Rows{rows}, 1e-2); err != nil {
			t.Fatal(err)
		}
	}
	if mean := sum / float64(n); !(mean <= 0.02) {
		t.Errorf("mean squared error is %v after training: want 0.02 or less", mean)
	}
}

func TestFitDiverged(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), 1e30} {
		l := newLearner(t, logitsShape, 6)
		train(t, l, 0, 3)
		want, state := slices.Clone(l.MLP().Weights()), l.State()
		rows := models.Rows{Obs: make([]float32, logitsShape.Obs), Loss: func(_, _, _, dvalues []float32) { dvalues[1] = float32(bad) }}
		norm, err := l.Fit([]models.Rows{rows}, 1e-3)
		if !errors.Is(err, models.ErrDiverged) {
			t.Errorf("a gradient of %v: norm %v, error %v: want ErrDiverged", bad, norm, err)
		}
		if !slices.Equal(l.MLP().Weights(), want) || !slices.Equal(l.State()[2].Data, state[2].Data) {
			t.Errorf("a gradient of %v has changed the weights", bad)
		}
	}
}

// What the loss is shown is what Forward says, to the bit, so that a policy's
// ratio to itself is exactly one.
func TestFitAgreesWithForward(t *testing.T) {
	for _, s := range []models.Shape{scoreShape, logitsShape} {
		l := newLearner(t, s, 7)
		train(t, l, 0, 5)
		for _, n := range []int{1, 9, 300} {
			obs := noise(rand.New(rand.NewPCG(8, 0)), n*s.Obs)
			wantPolicy, wantValues := make([]float32, n*s.Width()), make([]float32, n*s.Players)
			l.MLP().Forward(wantPolicy, wantValues, obs)
			rows := models.Rows{Obs: obs, Loss: func(policy, values, dpolicy, dvalues []float32) {
				if !slices.Equal(policy, wantPolicy) || !slices.Equal(values, wantValues) {
					t.Errorf("%s: the loss of %d rows is shown other numbers than Forward gives", s.Head, n)
				}
				if i := slices.IndexFunc(slices.Concat(dpolicy, dvalues), func(d float32) bool { return d != 0 }); i >= 0 {
					t.Errorf("%s: the gradient comes with number %d not zero", s.Head, i)
				}
				dpolicy[0], dvalues[0] = 1, 1
			}}
			if _, err := l.Fit([]models.Rows{rows, rows}, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
}
