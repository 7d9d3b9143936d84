package eval_test

import (
	"math"
	"testing"

	"marsgym/eval"
)

// luce is the share of the win of i among k at a table of so many seats.
func luce(i, k float64, seats int) float64 {
	s, o := math.Pow(10, i/400), math.Pow(10, k/400)
	return s / (s + float64(seats-1)*o)
}

func TestRatings(t *testing.T) {
	want := []float64{0, -120, -1200, 35}
	for seats := 2; seats <= 4; seats++ {
		win := make([][]float64, len(want))
		for i := range win {
			for k := range want {
				win[i] = append(win[i], luce(want[i], want[k], seats))
			}
		}
		got, err := eval.Ratings(win, seats)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-6) {
				t.Errorf("at a table of %d rating %d is %v; want %v", seats, i, got[i], want[i])
			}
		}
	}
}

// TestRatingsOfMisfits rates shares that no strengths explain. At the highest
// likelihood each agent's shares add up to what the model expects.
func TestRatingsOfMisfits(t *testing.T) {
	win := [][]float64{{0, 0.5, 0.2}, {0.3, 0, 0.6}, {0.35, 0.1, 0}}
	for seats := 2; seats <= 4; seats++ {
		r, err := eval.Ratings(win, seats)
		if err != nil {
			t.Fatal(err)
		}
		for i := range win {
			surplus := 0.0
			for k := range win {
				if k != i {
					surplus += win[i][k] - luce(r[i], r[k], seats)
					surplus -= win[k][i] - luce(r[k], r[i], seats)
				}
			}
			if !(math.Abs(surplus) <= 1e-9) {
				t.Errorf("at a table of %d agent %d wins %g more than its rating says", seats, i, surplus)
			}
		}
	}
}

func TestRatingsRefuse(t *testing.T) {
	for name, bad := range map[string][][]float64{
		"never loses":      {{0.5, 1}, {0, 0.5}},
		"not a number":     {{0.5, math.NaN()}, {0.5, 0.5}},
		"no square matrix": {{0.5, 0.5}, {0.5}},
	} {
		if _, err := eval.Ratings(bad, 2); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := eval.Ratings([][]float64{{0.5}}, 1); err == nil {
		t.Error("at a table of one: no error")
	}
}
