package models

import (
	"math"

	"marsgym/env/game"
	"marsgym/internal/kernel/elementary"
)

// Softmax fills probs [k] with the softmax of scores [k]:
//
//	probs[i] = exp(scores[i]) / Σ_j exp(scores[j])
//
// The slices may be the same.
func Softmax[F float32 | float64](probs, scores []F) {
	_, sum := SoftmaxTerms(probs, scores)
	for i := range probs {
		probs[i] /= sum
	}
}

// SoftmaxTerms fills terms [k] with exp(scores[i] − best). It returns best, the highest score,
// and the sum of the terms, which [Softmax] divides by. The slices may be the same.
func SoftmaxTerms[F float32 | float64](terms, scores []F) (best, sum F) {
	best = F(math.Inf(-1))
	for _, x := range scores {
		best = max(best, x)
	}
	for i, x := range scores {
		terms[i] = F(elementary.Exp(float64(x - best)))
		sum += terms[i]
	}
	return best, sum
}

// LogSoftmax fills probs [k] with the softmax of x [k], and replaces x by the logarithms
// of the probabilities. It takes one logarithm.
func LogSoftmax(probs, x []float64) {
	best, sum := SoftmaxTerms(probs, x)
	for i := range probs {
		probs[i] /= sum
	}
	log := elementary.Log(sum)
	for i := range x {
		x[i] = x[i] - best - log
	}
}

// Choose turns the scores [k] of options into probabilities [k]: the [Softmax] of each
// decision or, if greedy is set, 1 for its [game.BestOption], if it has one. The options of
// decision i are first[i] to first[i+1].
func Choose(probs, scores []float64, first []uint32, greedy bool) {
	if !greedy {
		for i, from := range first[:len(first)-1] {
			Softmax(probs[from:first[i+1]], scores[from:first[i+1]])
		}
		return
	}
	clear(probs)
	for i, from := range first[:len(first)-1] {
		if best := game.BestOption(scores[from:first[i+1]]); best >= 0 {
			probs[int(from)+best] = 1
		}
	}
}

// SharesOf fills dst [P] with the expected shares of the win, given the value head's
// outputs values [P] for one observation, of the kind [ValueShares].
func SharesOf(dst []float64, values []float32) {
	for j := range dst {
		dst[j] = float64(values[j])
	}
	Softmax(dst, dst)
}

// SharesToReturns converts values [n, P] in place from the kind [ValueShares] to
// expected returns. ret converts an expected share of the win to an expected return.
func SharesToReturns(values []float32, players int, ret func(share float64) float64) {
	share := make([]float64, players)
	for ; len(values) > 0; values = values[players:] {
		SharesOf(share, values)
		for j, x := range share {
			values[j] = float32(ret(x))
		}
	}
}
