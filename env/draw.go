package env

import (
	"math/rand/v2"

	"marsgym/env/game"
)

// chance draws a number from 0 to 1, 1 left out.
func chance(r *rand.PCG) float64 { return float64(r.Uint64()>>11) / (1 << 53) }

// Draw draws an action from probabilities [A].
func SampleAction(probs []float64, r *rand.PCG) game.Action {
	u := chance(r)
	last := 0
	for a, p := range probs {
		if p > 0 {
			if u -= p; u < 0 {
				return game.Action(a)
			}
			last = a
		}
	}
	return game.Action(last) // u was within rounding of 1
}
