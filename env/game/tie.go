package game

import "math"

// Tie is the difference of value up to which two options are equal. Among equal
// options solvers, bots and the argmax of a network choose the lowest index. Chosen:
// a thousand times the rounding error of a sum of a hundred products.
const Tie = 1e-12

// BestOption decides ties. It returns the lowest index of the options whose values differ
// from the highest by at most [Tie], or -1 if a value is NaN or there are none.
func BestOption(values []float64) int {
	most := math.Inf(-1)
	for _, v := range values {
		most = max(most, v)
	}
	least, best := most-Tie, -1
	for i := len(values) - 1; i >= 0; i-- { // to the end, since a jump out of the loop is hard to predict
		if values[i] >= least {
			best = i
		}
	}
	return best
}
