package eval

import (
	"fmt"
	"math"
)

// Ratings returns Elo ratings [n] of agents, the first one's being 0. win [n, n]
// is the share of the win of one agent of the row at a table of so many seats,
// two or more, whose others are all of the column; its diagonal is not read.
// Ratings are the strengths s = 10^(R/400) of the highest likelihood under
// Luce's choice rule, all tables weighing the same:
//
//	win[i][k] ≈ s(i) / (s(i) + (seats−1)·s(k))
//
// For two that is the Bradley-Terry model. The shares being exact, so are the
// ratings; the model itself is an approximation, since strength has more than
// one dimension.
//
// Source: Luce, Individual Choice Behavior (1959); Hunter, "MM algorithms for
// generalized Bradley-Terry models", Annals of Statistics 32 (2004), eq. 3 for
// two and section 5 for more, of whom only the first place is observed.
func Ratings(win [][]float64, seats int) ([]float64, error) {
	if seats < 2 {
		return nil, fmt.Errorf("ratings at a table of %d; want two seats or more", seats)
	}
	n, others := len(win), float64(seats-1)
	strength, wins := make([]float64, n), make([]float64, n)
	for i := range win {
		strength[i] = 1
		for k, w := range win[i] {
			if !(w >= 0 && w <= 1) || len(win[i]) != n {
				return nil, fmt.Errorf("share %v of agent %d among %d; want 0 to 1, of %d agents", w, i, k, n)
			}
			if k != i {
				wins[i] += w
				wins[k] += 1 - w
			}
		}
	}
	for i, w := range wins {
		if n > 1 && (w == 0 || w == float64(2*(n-1))) {
			return nil, fmt.Errorf("agent %d always wins or always loses, and has no finite rating", i)
		}
	}
	const limit = 1_000_000
	for range limit {
		moved := 0.0
		for i := range n {
			games := 0.0
			for k := range n {
				if k != i {
					games += 1/(strength[i]+others*strength[k]) + others/(strength[k]+others*strength[i])
				}
			}
			if n > 1 {
				next := wins[i] / games
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
