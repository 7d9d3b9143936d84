package tabular

import (
	"context"
	"fmt"
	"math"
	"slices"

	"marsgym/env/game"
	"marsgym/internal/core"
)

const (
	// batchSize is the number of states of one call of a policy. Chosen: large enough
	// for a network, small enough for its activations to stay in cache.
	batchSize = 4096

	// sumTolerance is the largest difference between 1 and the sum of the probabilities of
	// a decision. Chosen: float32 softmax over some hundred actions stays below.
	sumTolerance = 1e-5
)

// query asks a policy about states.
type query[S comparable] struct {
	rules  core.Rules[S]
	policy game.Policy[S]

	dst, probs []float64
	legal      []game.Action
}

// batches calls ask for each batch of list, with its states.
func batches[S comparable, T any](ctx context.Context, list []T, state func(T) S, ask func(part []T, states []S) error) error {
	states := make([]S, 0, min(len(list), batchSize))
	for part := range slices.Chunk(list, batchSize) {
		if err := ctx.Err(); err != nil {
			return err
		}
		states = states[:0]
		for _, i := range part {
			states = append(states, state(i))
		}
		if err := ask(part, states); err != nil {
			return err
		}
	}
	return nil
}

// decide calls yield with the probabilities of the legal actions of each state. It returns an
// error if the policy returns numbers that are not probabilities, or a probability above zero
// for an illegal action.
func (q *query[S]) decide(ctx context.Context, states []S, yield func(k int, probs []float64)) error {
	n := q.rules.Spec().Actions
	q.dst = slices.Grow(q.dst[:0], len(states)*n)[:len(states)*n]
	for k := range q.dst {
		q.dst[k] = math.NaN() // detects elements that the policy does not write
	}
	if err := game.Probs(ctx, q.policy, q.dst, states); err != nil {
		return err
	}
	for k, s := range states {
		row := q.dst[k*n : (k+1)*n]
		q.legal, q.probs = q.rules.Legal(q.legal[:0], s), q.probs[:0]
		for _, a := range q.legal {
			q.probs = append(q.probs, row[a])
			row[a] = 0
		}
		for a, x := range row {
			if x != 0 {
				return fmt.Errorf("in position %s the policy gives probability %v to the illegal action %d", text(q.rules, s), x, a)
			}
		}
		if err := Normalise(q.probs); err != nil {
			return fmt.Errorf("in position %s the policy gives %w", text(q.rules, s), err)
		}
		yield(k, q.probs)
	}
	return nil
}

// choose returns the probabilities of a scorer in decision s, given the indices of its
// options in scores.
func (q *query[S]) choose(s func() S, scores []float64, options []uint32) ([]float64, error) {
	q.dst = q.dst[:0]
	for _, k := range options {
		q.dst = append(q.dst, scores[k])
	}
	q.probs = slices.Grow(q.probs[:0], len(options))[:len(options)]
	q.policy.(game.AfterstateScorer[S]).Choose(q.probs, q.dst, []uint32{0, uint32(len(options))})
	if err := Normalise(q.probs); err != nil {
		return nil, fmt.Errorf("in position %s the policy gives %w", text(q.rules, s()), err)
	}
	return q.probs, nil
}

// Normalise divides probabilities by their sum. It returns an error if they are not
// numbers from 0 up with a sum near 1.
func Normalise(probs []float64) error {
	sum := 0.0
	for _, x := range probs {
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("%v as a probability", x)
		}
		sum += x
	}
	if !(math.Abs(sum-1) <= sumTolerance) {
		return fmt.Errorf("probabilities that sum to %v", sum)
	}
	for k := range probs {
		probs[k] /= sum
	}
	return nil
}

// text returns s in its notation, if the game has one.
func text[S comparable](rules core.Rules[S], s S) string {
	if rules.Presenter != nil {
		return fmt.Sprintf("%q", rules.Presenter.Format(s))
	}
	return fmt.Sprintf("%+v", s)
}
