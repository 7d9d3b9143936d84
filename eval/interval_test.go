package eval_test

import (
	"math"
	"testing"

	"marsgym/eval"
)

// quantile is that of the standard normal distribution for intervals of 99 %.
const quantile = 2.5758293035489

// agrestiCoull returns the interval of the mean of n values with that sum and sum of squares, each
// from 0 to 1.
func agrestiCoull(n, sum, squares float64) (low, high float64) {
	const more = quantile * quantile
	mean := (sum + more/2) / (n + more)
	variance := (squares+more/2)/(n+more) - mean*mean
	half := quantile * math.Sqrt(variance/(n+more))
	return max(0, mean-half), min(1, mean+half)
}

// TestShareInterval compares intervals with the formula, also where it leaves 0 to 1.
func TestShareInterval(t *testing.T) {
	for _, shares := range [][]float64{
		{0}, {1}, {0, 0, 0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1, 1, 1}, {1, 0, 0, 1, 1}, {0.5, 0.5, 1, 0.25}, make([]float64, 1000),
	} {
		sum, squares := 0.0, 0.0
		for _, x := range shares {
			sum, squares = sum+x, squares+x*x
		}
		wantLow, wantHigh := agrestiCoull(float64(len(shares)), sum, squares)
		low, high := eval.ShareInterval(shares)
		if !(math.Abs(low-wantLow) <= 1e-12 && math.Abs(high-wantHigh) <= 1e-12 && 0 <= low && low < high && high <= 1) {
			t.Errorf("%d shares with the sum %v: %v to %v; want %v to %v", len(shares), sum, low, high, wantLow, wantHigh)
		}
	}
}
