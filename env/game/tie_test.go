package game_test

import (
	"math"
	"testing"

	"marsgym/env/game"
)

func TestBestOption(t *testing.T) {
	inf := math.Inf(1)
	for _, tt := range []struct {
		name   string
		values []float64
		want   int
	}{
		{"the best", []float64{1, 3, 2}, 1},
		{"below zero", []float64{-3, -1, -2}, 1},
		{"the first of equals", []float64{1, 2, 2, 2}, 1},
		{"the first within Tie", []float64{0, 1 - game.Tie/2, 1}, 1},
		{"beyond Tie", []float64{0, 1 - 2*game.Tie, 1}, 2},
		{"within Tie of the highest, not of the one before", []float64{0, 0.6 * game.Tie, 1.2 * game.Tie}, 1},
		{"infinite", []float64{0, inf, inf}, 1},
		{"nothing but minus infinity", []float64{-inf, -inf}, 0},
		{"one", []float64{5}, 0},
		{"not a number", []float64{1, math.NaN(), 2}, -1},
		{"none", nil, -1},
	} {
		if got := game.BestOption(tt.values); got != tt.want {
			t.Errorf("%s: option %d of %v, want %d", tt.name, got, tt.values, tt.want)
		}
	}
}
