package models

import "math"

// Softmax writes to probs [k] the exponentials of scores [k], scaled to sum to 1.
func Softmax(probs, scores []float64) {
	best, sum := math.Inf(-1), 0.0
	for _, x := range scores {
		best = max(best, x)
	}
	for i, x := range scores {
		probs[i] = math.Exp(x - best)
		sum += probs[i]
	}
	for i := range probs {
		probs[i] /= sum
	}
}

// SharesOf writes to dst [P] the shares of the win that the values of one position
// stand for, of the kind [ValueShares].
func SharesOf(dst []float64, values []float32) {
	for j := range dst {
		dst[j] = float64(values[j])
	}
	Softmax(dst, dst)
}

// SharesToReturns replaces values [n, P] of the kind [ValueShares] by expected
// returns, where ret is the return of a share of the win.
func SharesToReturns(values []float32, players int, ret func(share float64) float64) {
	share := make([]float64, players)
	for ; len(values) > 0; values = values[players:] {
		SharesOf(share, values)
		for j, x := range share {
			values[j] = float32(ret(x))
		}
	}
}
