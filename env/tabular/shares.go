package tabular

import (
	"context"
	"fmt"
	"math"
	"sync"

	"marsgym/env/game"
	"marsgym/internal/parallel"
)

// NumberedSolution is the exact solution of a game with a [Numbering] of its own. It implements
// [game.StoredSolution]: there is an equation for each number, in shares of the win.
type NumberedSolution[S comparable] struct{ *Solution[S] }

// SolveNumbered solves a game for two seats with a win by its numbering (see
// [game.ResumableSolver]). The values of w are the shares of the win of role 0, by number; Next
// counts layers. It stores no graph.
//
// Every game must end under any policies, and a part that is cyclic must be left with a
// probability above zero.
func SolveNumbered[S comparable](ctx context.Context, r game.Rules[S], x Numbering[S], w *game.SolverState, progress func(float64)) (*NumberedSolution[S], error) {
	if w.Values == nil {
		w.Values = make([]float64, x.Len())
	} else if len(w.Values) != x.Len() {
		return nil, fmt.Errorf("tabular: %d values for %d positions", len(w.Values), x.Len())
	}
	sol := newSolution(r, x)
	sol.value = w.Values
	for _, o := range r.Outcomes(nil, r.Initial()) {
		at, first, err := x.Number(o.State)
		if err != nil {
			return nil, fmt.Errorf("tabular: %w", err)
		}
		sol.starts = append(sol.starts, start{o.Prob, at, first})
	}
	if w.Done < 1 {
		e := shares[S]{Numbering: x, value: w.Values, policies: make([]*policyTable, 2)}
		if err := e.run(ctx, w, progress); err != nil {
			return nil, fmt.Errorf("tabular: %w", err)
		}
	}
	sol.residual = w.Residual
	return &NumberedSolution[S]{sol}, nil
}

// Equations implements [game.StoredSolution].
func (sol *NumberedSolution[S]) Equations() int { return sol.Len() }

// ReadTable implements [game.StoredSolution]: there are no tables.
func (sol *NumberedSolution[S]) ReadTable(game.Policy[S], []float64) (game.TabularPolicy, error) {
	return nil, fmt.Errorf("%s has no tables: %w", sol.spec.ID, game.ErrNoSolution)
}

// Violation implements [game.StoredSolution].
func (sol *NumberedSolution[S]) Violation(ctx context.Context, positions []int) (most float64, err error) {
	e := shares[S]{Numbering: sol.x, value: sol.value, policies: make([]*policyTable, 2)}
	var n Node
	for _, at := range positions {
		most = max(most, math.Abs(e.lookAhead(&n, uint32(at))-sol.value[at]))
	}
	return most, ctx.Err()
}

// shares are values of all positions where each role plays its policy, or best play if
// that is nil.
type shares[S comparable] struct {
	Numbering[S]
	value    []float64 // role 0's expected share of the win
	policies []*policyTable
	reached  bitset // positions that can come up; nil for all
}

// evaluateShares returns role 0's share of the win in the positions that can come up from at.
func evaluateShares[S comparable](ctx context.Context, x Numbering[S], policies []*policyTable, at uint32) ([]float64, error) {
	e := shares[S]{Numbering: x, value: make([]float64, x.Len()), policies: policies, reached: reachable(x, at, policies)}
	if err := e.run(ctx, new(game.SolverState), nil); err != nil {
		return nil, fmt.Errorf("tabular: %w", err)
	}
	return e.value, nil
}

// run solves the layers one after the other, each on all cores. No goroutine reads
// what another writes in the same layer, so that the bits do not depend on the number
// of goroutines.
func (e *shares[S]) run(ctx context.Context, w *game.SolverState, progress func(float64)) error {
	layers := e.Layers()
	total, done := 0, 0
	for _, parts := range layers {
		total += parts
	}
	for i, parts := range layers {
		done += parts
		if int64(i) < w.Next {
			continue
		}
		residual, err := e.layer(ctx, i, parts)
		if err != nil {
			return err
		}
		w.Residual = max(w.Residual, residual)
		w.Next, w.Done = int64(i)+1, float64(done)/float64(total)
		if progress != nil {
			progress(w.Done)
		}
	}
	w.Done = 1
	return nil
}

// layer solves the parts of a layer and returns their largest residual.
func (e *shares[S]) layer(ctx context.Context, layer, parts int) (residual float64, err error) {
	const size = 16   // parts; chosen: most are small
	var mu sync.Mutex // of residual
	err = parallel.ForContext(ctx, parts, size, func(from, to int) error {
		var n Node
		var p Part
		most := 0.0
		for i := from; i < to; i++ {
			e.Part(&p, layer, i)
			r, err := e.part(&n, &p)
			if err != nil {
				return err
			}
			most = max(most, r)
		}
		mu.Lock()
		defer mu.Unlock()
		residual = max(residual, most)
		return nil
	})
	return residual, err
}

const (
	// shareTolerance is the largest change of a share in a sweep that counts as
	// converged: half the distance of two float64 just below 1.
	shareTolerance = 1.2e-16

	// maxPartSweeps is the number of sweeps over a part after which it counts as not
	// converging. Chosen: the quick game of Mars is Ours! needs about forty.
	maxPartSweeps = 2000
)

// part solves a part, and returns its residual. One sweep is exact unless the part is
// cyclic.
func (e *shares[S]) part(n *Node, p *Part) (residual float64, err error) {
	last := len(p.Lists) - 1
	for _, list := range p.Lists[:last] {
		e.sweep(n, list, true)
	}
	for range maxPartSweeps {
		switch change := e.sweep(n, p.Lists[last], true); {
		case !p.Cyclic:
			return 0, nil
		case change <= shareTolerance:
			return e.sweep(n, p.Lists[last], false), nil
		}
	}
	return 0, fmt.Errorf("the values of %d positions do not converge in %d sweeps: %w", len(p.Lists[last]), maxPartSweeps, game.ErrNoSolution)
}

// sweep returns the largest difference between a value and its lookAhead, which it
// stores if write is set.
func (e *shares[S]) sweep(n *Node, list []uint32, write bool) (change float64) {
	for _, at := range list {
		if e.reached != nil && !e.reached.has(at) {
			continue
		}
		v := e.lookAhead(n, at)
		change = max(change, math.Abs(v-e.value[at]))
		if write {
			e.value[at] = v
		}
	}
	return change
}

// lookAhead computes the value of a position from those of its successors.
func (e *shares[S]) lookAhead(n *Node, at uint32) float64 {
	e.Node(n, at)
	if n.Mover == game.Terminal {
		return n.Share
	}
	if probs := n.under(e.policies, at); probs != nil {
		sum := 0.0
		for k, prob := range probs {
			if prob > 0 {
				sum += float64(prob * e.after(n, n.Moves[k]))
			}
		}
		return sum
	}
	best := e.after(n, n.Moves[0])
	for _, m := range n.Moves[1:] {
		if v := e.after(n, m); n.Mover == 0 {
			best = max(best, v)
		} else {
			best = min(best, v)
		}
	}
	return best
}

// after is [Move.expect], written out since most of the time goes here.
func (e *shares[S]) after(n *Node, m Move) float64 {
	switch {
	case m.To == Ended:
		return n.Share
	case m.Prob == 1:
		return e.value[m.To]
	}
	return float64(m.Prob*e.value[m.To]) + float64((1-m.Prob)*e.value[m.Else])
}
