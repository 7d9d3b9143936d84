//go:build cgo

package main

import (
	"context"
	"fmt"
	"math"

	"marsgym/env"
	"marsgym/internal/kernel/elementary"
	"marsgym/models"
)

// request is a question of a job to the caller: the probabilities of the actions of
// some decisions or, if mask is nil, the scores of some afterstates.
type request struct {
	policy int       // of the caller's policies
	n      int       // rows
	obs    []float32 // [n, D]
	mask   []bool    // [n, A]
	dst    []float64 // [n, A] or [n]
	served chan struct{}
}

// asker shows a request to the caller and waits for the answer.
type asker func(ctx context.Context, r request) error

// remote is a policy of the caller that returns probabilities.
type remote struct {
	ask    asker
	number int
}

// Probs implements [env.Policy].
func (r remote) Probs(dst []float64, d env.Decisions) error {
	return r.ProbsContext(context.Background(), dst, d)
}

// ProbsContext implements [env.ContextPolicy].
func (r remote) ProbsContext(ctx context.Context, dst []float64, d env.Decisions) error {
	return r.ask(ctx, request{policy: r.number, n: d.Len(), obs: d.Obs(), mask: d.Mask(), dst: dst})
}

// remoteScorer is a policy of the caller that scores afterstates.
type remoteScorer struct {
	remote
	greedy bool
}

// Score implements [env.AfterstateScorer].
func (s remoteScorer) Score(dst []float64, obs []float32) error {
	return s.ask(context.Background(), request{policy: s.number, n: len(dst), obs: obs, dst: dst})
}

// Greedy implements [env.AfterstateScorer].
func (s remoteScorer) Greedy() bool { return s.greedy }

// Choose implements [env.AfterstateScorer].
func (s remoteScorer) Choose(probs, scores []float64, first []uint32) {
	models.Choose(probs, scores, first, s.greedy)
}

// Probs implements [env.Policy].
func (s remoteScorer) Probs(dst []float64, d env.Decisions) error {
	return env.ScorerProbs(s, dst, d)
}

// ProbsContext implements [env.ContextPolicy]. The job's own context ends it.
func (s remoteScorer) ProbsContext(_ context.Context, dst []float64, d env.Decisions) error {
	return env.ScorerProbs(s, dst, d)
}

// sumTolerance is how far the probabilities of a decision may be from 1. Chosen: sums of
// a hundred probabilities in single precision are within a hundredth of it. They are
// divided by their sum.
const sumTolerance = 1e-4

// check returns an error if the answers to a request are neither probabilities nor
// scores, and divides probabilities by their sum.
func (r *request) check() error {
	if r.mask == nil {
		for i, x := range r.dst {
			if !elementary.Finite(x) {
				return fmt.Errorf("policy: the score of row %d is %v; want a finite number", i, x)
			}
		}
		return nil
	}
	actions := len(r.mask) / r.n
	for i := range r.n {
		row, sum := r.dst[i*actions:(i+1)*actions], 0.0
		for a, p := range row {
			switch {
			case !(p >= 0 && p <= 1+sumTolerance):
				return fmt.Errorf("policy: the probability of action %d in row %d is %v; want 0 to 1", a, i, p)
			case p > 0 && !r.mask[i*actions+a]:
				return fmt.Errorf("policy: the probability of action %d in row %d is %v, and the action is illegal there; want 0", a, i, p)
			}
			sum += p
		}
		if !(math.Abs(sum-1) <= sumTolerance) {
			return fmt.Errorf("policy: the probabilities of row %d add up to %v; want 1", i, sum)
		}
		for a := range row {
			row[a] /= sum
		}
	}
	return nil
}
