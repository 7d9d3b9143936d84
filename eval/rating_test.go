package eval_test

import (
	"math"
	"testing"

	"marsgym/eval"
)

// luce returns the win share of an agent of rating i with agents of rating k in all
// other seats.
func luce(i, k float64, players int) float64 {
	s, o := math.Pow(10, i/400), math.Pow(10, k/400)
	return s / (s + float64(players-1)*o)
}

func TestRatings(t *testing.T) {
	want := []float64{0, -120, -1200, 35}
	for players := 2; players <= 4; players++ {
		win := make([][]float64, len(want))
		for i := range win {
			for k := range want {
				win[i] = append(win[i], luce(want[i], want[k], players))
			}
		}
		got, err := eval.Ratings(win, players)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-6) {
				t.Errorf("for %d players rating %d is %v; want %v", players, i, got[i], want[i])
			}
		}
	}
}

// TestRatingsOfInconsistentShares rates shares that no strengths explain. At the
// highest likelihood the shares of each agent have the sum that the model predicts.
func TestRatingsOfInconsistentShares(t *testing.T) {
	win := [][]float64{{0, 0.5, 0.2}, {0.3, 0, 0.6}, {0.35, 0.1, 0}}
	for players := 2; players <= 4; players++ {
		r, err := eval.Ratings(win, players)
		if err != nil {
			t.Fatal(err)
		}
		for i := range win {
			surplus := 0.0
			for k := range win {
				if k != i {
					surplus += win[i][k] - luce(r[i], r[k], players)
					surplus -= win[k][i] - luce(r[k], r[i], players)
				}
			}
			if !(math.Abs(surplus) <= 1e-9) {
				t.Errorf("for %d players agent %d wins %g more than its rating predicts", players, i, surplus)
			}
		}
	}
}

func TestRatingsErrors(t *testing.T) {
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
		t.Error("for one player: no error")
	}
}
