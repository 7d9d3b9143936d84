package game_test

import (
	"math"
	"slices"
	"testing"

	"marsgym/env/game"
)

// TestQuotients: for every count of 12 bits and every scale of 8, the number is the quotient
// rounded once, and its product with the scale rounds to the count, in float32 and float64. The
// unrounded product of float32 gives back the count for all of these scales and no others.
func TestQuotients(t *testing.T) {
	exact := []int{1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 16, 17, 18, 20, 24, 32, 33, 34, 36, 40, 48, 64, 65, 66, 68, 72, 80, 96, 128, 129, 130, 132, 136, 144, 160, 192}
	list := make([]float32, 1<<12)
	for scale := 1; scale < 1<<8; scale++ {
		game.Quotients(list, scale)
		wrong := -1
		for n, x := range list {
			product := x * float32(scale)
			if x != float32(float64(n)/float64(scale)) || math.RoundToEven(float64(product)) != float64(n) || math.RoundToEven(float64(x)*float64(scale)) != float64(n) {
				t.Fatalf("%d over %d is %v", n, scale, x)
			}
			if product != float32(n) && wrong < 0 {
				wrong = n
			}
		}
		if slices.Contains(exact, scale) != (wrong < 0) {
			t.Errorf("%d over %d, times %d, is %v", wrong, scale, scale, list[max(0, wrong)]*float32(scale))
		}
	}
}

// TestObsScales: the scales of a field repeat, and a field without them holds counts.
func TestObsScales(t *testing.T) {
	s := game.Spec{Observation: []game.Field{{Len: 2}, {Len: 4, Scales: []int{5, 0}}, {Len: 1, Scales: []int{7}}}}
	if got, want := s.ObsScales(), []int{1, 1, 5, 0, 5, 0, 7}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
