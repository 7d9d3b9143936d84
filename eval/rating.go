package eval

import (
	"fmt"
	"math"

	"marsgym/internal/kernel/elementary"
)

// Ratings returns Elo ratings [n] of agents; that of the first one is 0. win [n, n] is
// the share of the win of one agent of the row in a game for the given number of
// players, two or more, with agents of the column in all other seats; its diagonal is
// not read. Ratings are the strengths s = 10^(R/400) of the highest likelihood under
// Luce's choice rule, with equal weight for all pairs:
//
//	win[i][k] ≈ s(i) / (s(i) + (players−1)·s(k))
//
// For two players this is the Bradley-Terry model. Exact shares give exact ratings,
// but the model itself is an approximation, since strength has more than one
// dimension.
//
// Source: Luce, Individual Choice Behavior (1959); Hunter, "MM algorithms for
// generalized Bradley-Terry models", Annals of Statistics 32 (2004), eq. 3 for
// two players and section 5 for more, of whom only the first place is observed.
func Ratings(win [][]float64, players int) ([]float64, error) {
	if players < 2 {
		return nil, fmt.Errorf("ratings for %d players; want at least 2", players)
	}
	n, others := len(win), float64(players-1)
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
			return nil, fmt.Errorf("agent %d always wins or always loses, so its rating is not finite", i)
		}
	}
	const limit = 1_000_000
	for range limit {
		moved := 0.0
		for i := range n {
			games := 0.0
			for k := range n {
				if k != i {
					games += 1/(strength[i]+float64(others*strength[k])) + others/(strength[k]+float64(others*strength[i]))
				}
			}
			if n > 1 {
				next := wins[i] / games
				moved = max(moved, math.Abs(elementary.Log(next/strength[i])))
				strength[i] = next
			}
		}
		if moved < 1e-13 {
			break
		}
	}
	ratings := make([]float64, n)
	for i, s := range strength {
		ratings[i] = 400 * elementary.Log10(s/strength[0])
	}
	return ratings, nil
}
