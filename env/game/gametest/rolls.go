package gametest

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"marsgym/env/game"
)

// CheckRolls checks the rolls of a chance state against those of real dice: all rolls
// that there are, in the form of DrawRoll, with their probabilities. ReadRoll must lead to
// the outcomes with the probabilities of Outcomes, and DrawRoll must draw each roll with
// its probability given the outcome. Draws are compared by their square of chi, at six
// standard deviations.
func CheckRolls[S comparable](rules game.Rules[S], s S, real iter.Seq2[string, float64]) error {
	dice := rules.(game.Presenter[S])
	type roll struct {
		next S
		text string
	}
	probs, sums := map[roll]float64{}, map[S]float64{}
	for text, p := range real {
		next, err := dice.ReadRoll(s, text)
		if err != nil {
			return fmt.Errorf("%q: %w", text, err)
		}
		probs[roll{next, text}] += p
		sums[next] += p
	}
	outcomes := rules.Outcomes(nil, s)
	if len(outcomes) != len(sums) {
		return fmt.Errorf("the rolls lead to %d outcomes, and there are %d", len(sums), len(outcomes))
	}
	const draws = 400 // from each outcome; chosen
	r := rand.NewPCG(1, 1)
	for _, o := range outcomes {
		if !(math.Abs(sums[o.State]-o.Prob) <= tolerance) {
			return fmt.Errorf("%+v has the probability %v, by the rolls %v", o.State, o.Prob, sums[o.State])
		}
		seen := map[string]int{}
		for range draws {
			text := dice.DrawRoll(s, o.State, r)
			if probs[roll{o.State, text}] == 0 {
				return fmt.Errorf("%q is drawn for %+v", text, o.State)
			}
			seen[text]++
		}
		square, kinds := 0.0, -1
		for x, p := range probs {
			if x.next == o.State {
				want := draws * p / sums[x.next]
				square += (float64(seen[x.text]) - want) * (float64(seen[x.text]) - want) / want
				kinds++
			}
		}
		// The square of chi has the mean kinds and, by few draws of rare rolls, a
		// variance of at most 2·kinds + Σ1/want.
		variance := 2 * float64(kinds)
		for x, p := range probs {
			if x.next == o.State {
				variance += sums[x.next] / (draws * p)
			}
		}
		if limit := float64(kinds) + 6*math.Sqrt(variance) + 12; !(square <= limit) {
			return fmt.Errorf("%d rolls for %+v have a square of chi of %.1f; want at most %.1f", kinds+1, o.State, square, limit)
		}
	}
	return nil
}
