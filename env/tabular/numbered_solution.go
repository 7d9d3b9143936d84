package tabular

import (
	"context"
	"fmt"
	"math"

	"marsgym/env/game"
)

// NumberedSolution is the exact solution of a game with a [Numbering]. It implements
// [game.StoredSolution]: there is an equation for each number, in shares of the win.
type NumberedSolution[S comparable] struct {
	solved[S]
	values   shares[S] // of best play
	residual float64   // of values
}

// SolveNumbered solves a game by its numbering (see [game.ResumableSolver]). The values
// of w are the shares of the win of role 0, by number; Next counts layers.
func SolveNumbered[S comparable](ctx context.Context, rules game.Rules[S], x Numbering[S], w *game.SolverState, progress func(float64)) (*NumberedSolution[S], error) {
	if w.Values == nil {
		w.Values = make([]float64, x.Len())
	} else if len(w.Values) != x.Len() {
		return nil, fmt.Errorf("tabular: %d values for %d positions", len(w.Values), x.Len())
	}
	sol := &NumberedSolution[S]{solved: newSolved(rules), values: shares[S]{Numbering: x, value: w.Values}}
	sol.best, sol.evaluate = sol.bestMove, sol.evaluateTables
	if w.Done < 1 {
		if err := sol.values.run(ctx, w, progress); err != nil {
			return nil, fmt.Errorf("tabular: %w", err)
		}
	}
	sol.residual = w.Residual
	return sol, nil
}

// Residual implements [game.Solution].
func (sol *NumberedSolution[S]) Residual() float64 { return sol.residual * sol.returnSpan() }

// returnSpan is the difference in return between a win and a loss.
func (sol *NumberedSolution[S]) returnSpan() float64 { return sol.spec.Win - sol.spec.Loss }

// Equations implements [game.StoredSolution].
func (sol *NumberedSolution[S]) Equations() int { return sol.values.Len() }

// ReadTable implements [game.StoredSolution]: there are no tables.
func (sol *NumberedSolution[S]) ReadTable(game.Policy[S], []float64) (game.TabularPolicy, error) {
	return nil, fmt.Errorf("%s has no tables: %w", sol.spec.ID, game.ErrNoSolution)
}

// Violation implements [game.StoredSolution].
func (sol *NumberedSolution[S]) Violation(ctx context.Context, positions []int) (most float64, err error) {
	var n Node
	for _, at := range positions {
		most = max(most, math.Abs(sol.values.lookAhead(&n, uint32(at))-sol.values.value[at]))
	}
	return most, ctx.Err()
}

// share returns seat 0's expected share of the win.
func (sol *NumberedSolution[S]) share(s S) (float64, error) {
	switch sol.rules.CurrentPlayer(s) {
	case game.Terminal:
		return sol.spec.WinShare(sol.rules.Returns(nil, s)[0]), nil
	case game.Chance:
		sum := 0.0
		for _, o := range sol.rules.Outcomes(nil, s) {
			v, err := sol.share(o.State)
			if err != nil {
				return 0, err
			}
			sum += float64(o.Prob * v)
		}
		return sum, nil
	}
	at, first, err := sol.values.Number(s)
	if err != nil {
		return 0, fmt.Errorf("tabular: position %s: %w", sol.text(s), err)
	}
	return flip(sol.values.value[at], first), nil
}

// flip returns the share of a seat given that of the other if p is 1.
func flip(share float64, p game.Player) float64 {
	if p == 1 {
		return 1 - share
	}
	return share
}

// Value implements [game.Solution].
func (sol *NumberedSolution[S]) Value(dst []float64, s S) ([]float64, error) {
	v, err := sol.share(s)
	if err != nil {
		return dst, err
	}
	return append(dst, sol.spec.Return(v), sol.spec.Return(1-v)), nil
}

// Options implements [game.Solution].
func (sol *NumberedSolution[S]) Options(dst []float64, s S) ([]float64, error) {
	return OptionValues(dst, sol.rules, s, sol.Value)
}

// bestMove implements solved.best.
func (sol *NumberedSolution[S]) bestMove(s S) (S, int, error) {
	at, first, err := sol.values.Number(s)
	if err != nil {
		return s, 0, fmt.Errorf("tabular: position %s: %w", sol.text(s), err)
	}
	var n Node
	sol.values.Node(&n, at)
	return sol.values.State(at, first), sol.choice(&n), nil
}

// choice returns the best move of n, ties to the lowest.
func (sol *NumberedSolution[S]) choice(n *Node) (best int) {
	var buf [32]float64
	for losses := sol.values.losses(buf[:0], n); losses[best]*sol.returnSpan() > game.Tie; {
		best++
	}
	return best
}

// starts calls f with each way in which chance starts the game: its probability, the
// position, and the seat with role 0.
func (sol *NumberedSolution[S]) starts(f func(prob float64, at uint32, first game.Player) error) error {
	for _, o := range sol.rules.Outcomes(nil, sol.rules.Initial()) {
		at, first, err := sol.values.Number(o.State)
		if err == nil {
			err = f(o.Prob, at, first)
		}
		if err != nil {
			return fmt.Errorf("tabular: %w", err)
		}
	}
	return nil
}

// evaluateTables implements solved.evaluate.
func (sol *NumberedSolution[S]) evaluateTables(ctx context.Context, tables []*tabularPolicy) ([]float64, error) {
	sum := 0.0
	err := sol.starts(func(prob float64, at uint32, first game.Player) error {
		e := shares[S]{Numbering: sol.values.Numbering, value: make([]float64, sol.values.Len())}
		for seat, t := range tables {
			e.policies[seat^int(first)] = t.byFirst[first]
		}
		if err := e.run(ctx, new(game.SolverState), nil); err != nil {
			return err
		}
		sum += float64(prob * flip(e.value[at], first))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return []float64{sol.spec.Return(sum), sol.spec.Return(1 - sum)}, nil
}
