package sweep_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"marsgym/train/sweep"
)

// TestRank compares trials at the time at which the quickest ended.
func TestRank(t *testing.T) {
	at := func(pairs ...float64) (list []sweep.Strength) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, sweep.Strength{pairs[i], pairs[i+1]})
		}
		return list
	}
	list, equal := sweep.Rank([]sweep.Trial{
		{Variant: 0, Strengths: at(5, 0.3, 20, 0.01), Seconds: 20, Speed: 1},
		{Variant: 1, Strengths: at(5, 0.2, 10, 0.1), Seconds: 10, Speed: 2},
		{Variant: 2, Strengths: at(1, 0.01), Seconds: 1, Diverged: errors.New("diverged")},
		{Variant: 3, Strengths: at(11, 0.001), Seconds: 11},
		{Variant: 1, Strengths: at(9, 0.3), Seconds: 12, Speed: 4},
	})
	if equal != 10 {
		t.Errorf("compared at %v s, want 10", equal)
	}
	inf := math.Inf(1)
	want := []sweep.Result{
		{Variant: 1, Trials: 2, Equal: 0.2, Worst: 0.3, End: 0.2, Seconds: 11, Speed: 3},
		{Variant: 0, Trials: 1, Equal: 0.3, Worst: 0.3, End: 0.01, Seconds: 20, Speed: 1},
		{Variant: 3, Trials: 1, Equal: inf, Worst: inf, End: 0.001, Seconds: 11},
		{Variant: 2, Trials: 1, Equal: inf, Worst: inf, End: inf, Seconds: 1},
	}
	if fmt.Sprint(list) != fmt.Sprint(want) {
		t.Errorf("results %+v, want %+v", list, want)
	}
}
