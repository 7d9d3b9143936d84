package tabular

import (
	"context"
	"fmt"

	"marsgym/env/game"
)

// tabularPolicy implements [game.TabularPolicy].
type tabularPolicy struct {
	solution        any                // that made it
	probs           []float64          // of a Solution: of graph.moves
	byFirst         [2]*numberedPolicy // of a NumberedSolution: by the seat with role 0
	decisions, rows int
}

func (t *tabularPolicy) Decisions() int { return t.decisions }
func (t *tabularPolicy) Rows() int      { return t.rows }

// Tabulate calls p for every position with more than one legal action. It returns an
// error if p returns numbers that are not probabilities, or a probability above zero
// for an illegal action. Probabilities whose sum differs from 1 by rounding are divided
// by their sum.
func (sol *Solution[S]) Tabulate(ctx context.Context, p game.Policy[S]) (game.TabularPolicy, error) {
	policy := &tabularPolicy{solution: &sol.solved, probs: make([]float64, len(sol.moves))}
	var open []int32 // positions with more than one legal action
	for i, x := range sol.nodes {
		if x.mover >= 0 && x.n > 1 {
			open = append(open, int32(i))
		} else if x.mover >= 0 {
			policy.probs[x.first] = 1
		}
	}
	policy.decisions = len(open)
	if ahead, ok := p.(game.Lookahead[S]); ok && ahead.Plies() >= 0 {
		policy.rows = len(open)
		if err := sol.tabulateLookahead(ctx, policy, ahead); err != nil {
			return nil, fmt.Errorf("tabular: %w", err)
		}
		return policy, nil
	}
	tabulate := sol.tabulateProbs
	if _, ok := p.(game.AfterstateScorer[S]); ok {
		tabulate = sol.tabulateScores
	}
	if err := tabulate(ctx, policy, &query[S]{rules: sol.rules, policy: p}, open); err != nil {
		return nil, fmt.Errorf("tabular: %w", err)
	}
	return policy, nil
}

// Rows implements [game.Solution].
func (sol *Solution[S]) Rows(bool) int { return len(sol.nodes) }

// tabulateProbs fills policy.probs of the open positions with Probs.
func (sol *Solution[S]) tabulateProbs(ctx context.Context, policy *tabularPolicy, q *query[S], open []int32) error {
	policy.rows = len(open)
	return batches(ctx, open, sol.state, func(part []int32, states []S) error {
		return q.decide(ctx, states, func(k int, probs []float64) { copy(sol.probsOf(policy, part[k]), probs) })
	})
}

func (sol *Solution[S]) state(i int32) S { return sol.states[i] }

// tabulateScores fills policy.probs of the open positions with Choose of the scores of their
// successors. It scores each successor once for each mover.
func (sol *Solution[S]) tabulateScores(ctx context.Context, policy *tabularPolicy, q *query[S], open []int32) error {
	scorer := q.policy.(game.AfterstateScorer[S])
	slot := make([]int32, len(sol.nodes)*sol.players) // 1 + index in scores, by afterstate and mover
	var after []S
	var movers []game.Player
	for _, i := range open {
		mover := sol.nodes[i].mover
		for _, j := range sol.next(i) {
			if k := &slot[int(j)*sol.players+int(mover)]; *k == 0 {
				after = append(after, sol.states[j])
				movers = append(movers, mover)
				*k = int32(len(after))
			}
		}
	}
	policy.rows = len(after)
	scores := make([]float64, len(after))
	for k := 0; k < len(after); k += batchSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := min(k+batchSize, len(after))
		if err := scorer.Score(scores[k:end], after[k:end], movers[k:end]); err != nil {
			return err
		}
	}
	var options []uint32
	for _, i := range open {
		options = options[:0]
		for _, j := range sol.next(i) {
			options = append(options, uint32(slot[int(j)*sol.players+int(sol.nodes[i].mover)]-1))
		}
		probs, err := q.choose(func() S { return sol.states[i] }, scores, options)
		if err != nil {
			return err
		}
		copy(sol.probsOf(policy, i), probs)
	}
	return nil
}

// probsOf returns the part of policy.probs for decision i.
func (sol *Solution[S]) probsOf(policy *tabularPolicy, i int32) []float64 {
	x := sol.nodes[i]
	return policy.probs[x.first : x.first+x.n]
}

// evaluateTables implements solved.evaluate.
func (sol *Solution[S]) evaluateTables(ctx context.Context, tables []*tabularPolicy) ([]float64, error) {
	probs := make([][]float64, len(tables))
	for i, t := range tables {
		probs[i] = t.probs // nil for the seat that is free
	}
	ev, err := sol.run(ctx, probs, nil)
	if err != nil {
		return nil, err
	}
	return ev.at(0), nil
}
