package env

import (
	"math/rand/v2"

	"marsgym/env/game"
	"marsgym/internal/core"
)

// SampleAction draws an action from probabilities [A].
func SampleAction(probs []float64, r *rand.PCG) game.Action { return core.SampleAction(probs, r) }
