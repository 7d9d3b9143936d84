package core

import (
	"math/rand/v2"

	"marsgym/env/game"
)

// Previous returns the seat before another in the order of play.
func Previous(who game.Player, players int) game.Player {
	p := game.Player(players)
	return (who + p - 1) % p
}

// Uniform draws a number from 0 to 1, 1 excluded.
func Uniform(r *rand.PCG) float64 { return float64(r.Uint64()>>11) / (1 << 53) }

// DrawOutcome draws the index of an outcome.
func DrawOutcome[S any](list []game.Outcome[S], dice *rand.PCG) (i int) {
	u := Uniform(dice)
	for i = range list {
		if u -= list[i].Prob; u < 0 {
			break
		}
	}
	return i // the last if u is within rounding of 1
}

// SampleAction draws an action from probabilities [A].
func SampleAction(probs []float64, r *rand.PCG) game.Action {
	u := Uniform(r)
	last := 0
	for a, p := range probs {
		if p > 0 {
			if u -= p; u < 0 {
				return game.Action(a)
			}
			last = a
		}
	}
	return game.Action(last) // u is within rounding of 1
}

// Resize returns a slice of length n, of s if that is long enough. Its elements are
// not cleared.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
