package models_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"marsgym/models"
)

func newAdam(t *testing.T, n int, cfg models.AdamConfig) *models.Adam {
	t.Helper()
	a, err := models.NewAdam(n, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestAdam compares with algorithm 1 of the paper, line by line, in float64.
func TestAdam(t *testing.T) {
	cfg := models.AdamConfig{Beta1: 0.8, Beta2: 0.95, Eps: 1e-3, MaxGradNorm: 2}
	a := newAdam(t, 3, cfg)
	w := []float32{1, -2, 3}
	theta := []float64{1, -2, 3}
	var m, v [3]float64
	for step := 1; step <= 30; step++ {
		g := []float32{2 * w[0], 0.3 * w[1], float32(math.Sin(float64(step)))}
		norm := math.Sqrt(float64(g[0])*float64(g[0]) + float64(g[1])*float64(g[1]) + float64(g[2])*float64(g[2]))
		scale := math.Min(1, 2/norm)
		for i := range theta {
			gi := float64(g[i]) * scale
			m[i] = 0.8*m[i] + 0.2*gi
			v[i] = 0.95*v[i] + 0.05*gi*gi
			mhat := m[i] / (1 - math.Pow(0.8, float64(step)))
			vhat := v[i] / (1 - math.Pow(0.95, float64(step)))
			theta[i] -= 0.1 * mhat / (math.Sqrt(vhat) + 1e-3)
		}
		got, err := a.Step(w, g, 0.1)
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(got-norm) <= 1e-12*norm) {
			t.Errorf("step %d: norm %v, want %v", step, got, norm)
		}
		for i := range w {
			if !(math.Abs(float64(w[i])-theta[i]) <= 1e-5) {
				t.Fatalf("step %d: weight %d is %v, want %v", step, i, w[i], theta[i])
			}
		}
	}
}

func TestAdamRefuses(t *testing.T) {
	a := newAdam(t, 2, models.DefaultAdam())
	w := []float32{1, 2}
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(-1)), 1e30} {
		if _, err := a.Step(w, []float32{0, bad}, 0.1); !errors.Is(err, models.ErrDiverged) {
			t.Errorf("a gradient of %v: error %v, want ErrDiverged", bad, err)
		}
	}
	for _, rate := range []float64{math.NaN(), -1, math.Inf(1)} {
		if _, err := a.Step(w, []float32{1, 1}, rate); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("learning rate is %v: want", rate)) {
			t.Errorf("a learning rate of %v: %v", rate, err)
		}
	}
	if !slices.Equal(w, []float32{1, 2}) || a.State()[2].Data[0] != 0 {
		t.Errorf("a refused step changes the weights to %v, or is counted", w)
	}
}

func TestAdamConfigValidate(t *testing.T) {
	err := models.AdamConfig{Beta1: 1, Beta2: math.NaN(), Eps: 0, MaxGradNorm: -1}.Validate()
	for _, want := range []string{"beta1", "beta2", "eps", "max_grad_norm"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want it to name %s", err, want)
		}
	}
	if _, err := models.NewAdam(1, models.AdamConfig{}); err == nil || !strings.Contains(err.Error(), "adam.eps is 0; want") {
		t.Errorf("NewAdam with settings of zeros: %v", err)
	}
}

func TestAdamRestore(t *testing.T) {
	a, b := newAdam(t, 2, models.DefaultAdam()), newAdam(t, 2, models.DefaultAdam())
	w := []float32{1, 2}
	for range 5 {
		if _, err := a.Step(w, w, 0.1); err != nil {
			t.Fatal(err)
		}
	}
	state := a.State()
	for _, bad := range []struct {
		tensor int
		data   []float32
		want   string
	}{
		{0, []float32{1}, "hold 1, 2 and 1 numbers: want 2, 2 and 1"}, {1, nil, "hold 2, 0 and 1 numbers: want 2, 2 and 1"},
		{2, []float32{-1}, "adam.steps is -1: want a count"}, {2, []float32{1.5}, "adam.steps is 1.5: want a count"}, {2, []float32{float32(math.NaN())}, "adam.steps is NaN: want a count"},
		{0, []float32{0, float32(math.NaN())}, "moments of weight 1 are NaN and "}, {1, []float32{-1, 0}, " and -1: want finite numbers"}, {1, []float32{float32(math.Inf(1)), 0}, " and +Inf: want finite numbers"},
	} {
		broken := slices.Clone(state)
		broken[bad.tensor].Data = bad.data
		if err := b.Restore(broken); !errors.Is(err, models.ErrMismatch) || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("error %v, want ErrMismatch and %q", err, bad.want)
		}
	}
	if err := b.Restore(state); err != nil {
		t.Fatal(err)
	}
	for i, s := range b.State() {
		if !slices.Equal(s.Data, state[i].Data) {
			t.Errorf("%s is %v after Restore, want %v", s.Name, s.Data, state[i].Data)
		}
	}
}
