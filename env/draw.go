package env

import (
	"math/rand/v2"

	"marsgym/env/game"
)

// Draw draws an action from probabilities [A].
func Draw(probs []float64, r *rand.PCG) game.Action {
	u := float64(r.Uint64()>>11) / (1 << 53)
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
