package eval

import (
	"fmt"
	"math"
)

// Ratings returns Elo ratings [n] of agents from the probability win [n, n] with
// which the one of a row beats the one of a column, the first agent's being 0:
// the Bradley-Terry model
//
//	win[i][k] ≈ 1 / (1 + 10^((R(k) − R(i))/400))
//
// of the highest likelihood, all pairs weighing the same. The probabilities
// being exact, so are the ratings; the model itself is an approximation, since
// strength has more than one dimension.
//
// Source: Hunter, "MM algorithms for generalized Bradley-Terry models", Annals
// of Statistics 32 (2004), eq. 3.
func Ratings(win [][]float64) ([]float64, error) {
	n := len(win)
	strength := make([]float64, n)
	for i := range strength {
		strength[i] = 1
		sum := 0.0
		for k, w := range win[i] {
			if !(w >= 0 && w <= 1) || len(win[i]) != n {
				return nil, fmt.Errorf("win probability %v of agent %d against %d; want 0 to 1, of %d agents", w, i, k, n)
			}
			if k != i {
				sum += w
			}
		}
		if n > 1 && (sum == 0 || sum == float64(n-1)) {
			return nil, fmt.Errorf("agent %d always wins or always loses, and has no finite rating", i)
		}
	}
	const limit = 1_000_000
	for range limit {
		moved := 0.0
		for i := range n {
			wins, games := 0.0, 0.0
			for k := range n {
				if k != i {
					wins += win[i][k]
					games += 1 / (strength[i] + strength[k])
				}
			}
			if n > 1 {
				next := wins / games
				moved = max(moved, math.Abs(math.Log(next/strength[i])))
				strength[i] = next
			}
		}
		if moved < 1e-13 {
			break
		}
	}
	ratings := make([]float64, n)
	for i, s := range strength {
		ratings[i] = 400 * math.Log10(s/strength[0])
	}
	return ratings, nil
}
