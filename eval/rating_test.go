package eval_test

import (
	"math"
	"testing"

	"marsgym/eval"
)

func TestRatings(t *testing.T) {
	elo := func(d float64) float64 { return 1 / (1 + math.Pow(10, -d/400)) }
	want := []float64{0, -120, -1200, 35}
	win := make([][]float64, len(want))
	for i := range win {
		for k := range want {
			win[i] = append(win[i], elo(want[i]-want[k]))
		}
	}
	got, err := eval.Ratings(win)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-6) {
			t.Errorf("rating %d is %v; want %v", i, got[i], want[i])
		}
	}
	for name, bad := range map[string][][]float64{
		"never loses":      {{0.5, 1}, {0, 0.5}},
		"not a number":     {{0.5, math.NaN()}, {0.5, 0.5}},
		"no square matrix": {{0.5, 0.5}, {0.5}},
	} {
		if _, err := eval.Ratings(bad); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
