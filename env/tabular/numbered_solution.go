package tabular

import (
	"context"
	"fmt"
	"math"

	"marsgym/env/game"
)

// NumberedSolution is the exact solution of a game with a [Numbering]. It implements
// [game.VerifiableSolution]: there is an equation for each number, in shares of the win.
type NumberedSolution[S comparable] struct {
	noCharts
	rules    game.Rules[S]
	spec     game.Spec
	best     shares[S]
	residual float64 // of best
}

// SolveNumbered solves a game by its numbering (see [game.ResumableSolver]). The values
// of w are the shares of the win of role 0, by number; Next counts layers.
func SolveNumbered[S comparable](ctx context.Context, rules game.Rules[S], x Numbering[S], w *game.SolverState, progress func(float64)) (*NumberedSolution[S], error) {
	if w.Values == nil {
		w.Values = make([]float64, x.Len())
	} else if len(w.Values) != x.Len() {
		return nil, fmt.Errorf("tabular: %d values for %d positions", len(w.Values), x.Len())
	}
	spec := rules.Spec()
	sol := &NumberedSolution[S]{noCharts: noCharts{spec.ID}, rules: rules, spec: spec, best: shares[S]{Numbering: x, value: w.Values}}
	if w.Done < 1 {
		if err := sol.best.run(ctx, w, progress); err != nil {
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

// Equations implements [game.VerifiableSolution].
func (sol *NumberedSolution[S]) Equations() int { return sol.best.Len() }

// Violation implements [game.VerifiableSolution].
func (sol *NumberedSolution[S]) Violation(ctx context.Context, positions []int) (most float64, err error) {
	var n Node
	for _, at := range positions {
		most = max(most, math.Abs(sol.best.lookAhead(&n, uint32(at))-sol.best.value[at]))
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
	at, first, err := sol.best.Number(s)
	if err != nil {
		return 0, fmt.Errorf("tabular: position %s: %w", text(sol.rules, s), err)
	}
	return flip(sol.best.value[at], first), nil
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
	for _, a := range sol.rules.Legal(nil, s) {
		next, err := sol.rules.Apply(s, a)
		if err != nil {
			return dst, err
		}
		v, err := sol.share(next)
		if err != nil {
			return dst, err
		}
		dst = append(dst, sol.spec.Return(flip(v, sol.rules.CurrentPlayer(s))))
	}
	return dst, nil
}

// Policy implements [game.Solution].
func (sol *NumberedSolution[S]) Policy() game.Policy[S] { return numberedBest[S]{sol} }

type numberedBest[S comparable] struct{ *NumberedSolution[S] }

// Probs implements [game.Policy].
func (b numberedBest[S]) Probs(dst []float64, states []S) error {
	clear(dst)
	var n Node
	var legal []game.Action
	for i, s := range states {
		if b.rules.CurrentPlayer(s) < 0 {
			return fmt.Errorf("tabular: position %s is not a decision", text(b.rules, s))
		}
		at, first, err := b.best.Number(s)
		if err != nil {
			return fmt.Errorf("tabular: position %s: %w", text(b.rules, s), err)
		}
		b.best.Node(&n, at)
		legal = b.rules.Legal(legal[:0], b.best.State(at, first))
		a := legal[b.choice(&n)]
		if sym, ok := b.rules.(game.Symmetry[S]); ok {
			if _, relabel := sym.Canonical(s); relabel != nil {
				a = relabel[a]
			}
		}
		dst[i*b.spec.Actions+int(a)] = 1
	}
	return nil
}

// choice returns the best move of n, ties to the lowest.
func (sol *NumberedSolution[S]) choice(n *Node) (best int) {
	var buf [32]float64
	for losses := sol.best.losses(buf[:0], n); losses[best]*sol.returnSpan() > game.Tie; {
		best++
	}
	return best
}

// starts calls f with each way in which chance starts the game: its probability, the
// position, and the seat with role 0.
func (sol *NumberedSolution[S]) starts(f func(prob float64, at uint32, first game.Player) error) error {
	for _, o := range sol.rules.Outcomes(nil, sol.rules.Initial()) {
		at, first, err := sol.best.Number(o.State)
		if err == nil {
			err = f(o.Prob, at, first)
		}
		if err != nil {
			return fmt.Errorf("tabular: %w", err)
		}
	}
	return nil
}

// Evaluate implements [game.Solution].
func (sol *NumberedSolution[S]) Evaluate(ctx context.Context, dst []float64, seats []game.TabularPolicy) ([]float64, error) {
	share, err := sol.evaluate(ctx, seats, game.Terminal)
	if err != nil {
		return dst, err
	}
	return append(dst, sol.spec.Return(share), sol.spec.Return(1-share)), nil
}

// BestResponse implements [game.Solution].
func (sol *NumberedSolution[S]) BestResponse(ctx context.Context, seats []game.TabularPolicy, seat game.Player) (float64, error) {
	if err := checkSeat(seat, 2); err != nil {
		return 0, err
	}
	share, err := sol.evaluate(ctx, seats, seat)
	if err != nil {
		return 0, err
	}
	return sol.spec.Return(flip(share, seat)), nil
}

// evaluate returns seat 0's expected share of the win where the seat free plays a
// best response to the policy of the other; game.Terminal for free means that both
// play their policies.
func (sol *NumberedSolution[S]) evaluate(ctx context.Context, seats []game.TabularPolicy, free game.Player) (sum float64, err error) {
	tables, err := tablesOf(sol, 2, seats, free)
	if err != nil {
		return 0, err
	}
	err = sol.starts(func(prob float64, at uint32, first game.Player) error {
		e := shares[S]{Numbering: sol.best.Numbering, value: make([]float64, sol.best.Len())}
		for seat, t := range tables {
			e.policies[seat^int(first)] = t.byFirst[first]
		}
		if err := e.run(ctx, new(game.SolverState), nil); err != nil {
			return err
		}
		sum += float64(prob * flip(e.value[at], first))
		return nil
	})
	return sum, err
}
