package tabular

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"marsgym/env/game"
	"marsgym/internal/parallel"
)

// Numbering numbers the positions of a game for two seats with a win. [SolveNumbered]
// holds one value for each number, and no graph.
//
// Seats are roles: a position has the same number whichever seat has role 0. Equivalent
// positions (see [game.Symmetry]) have the same number.
//
// Every game must end under any policies, and a part that is cyclic must be left with a
// probability above zero.
type Numbering[S comparable] interface {
	// Len returns the number of numbers, which start at 0.
	Len() int
	// Number returns the number of a decision, or of the end of a game, and the seat with
	// role 0. Ends of games may share the numbers of decisions.
	Number(s S) (at uint32, first game.Player, err error)
	// State returns the representative of the decision at a number.
	State(at uint32, first game.Player) S
	// Node fills in the node at a number. It reuses n.Moves.
	Node(n *Node, at uint32)
	// Layers returns the number of parts of each layer. Parts depend on earlier layers and
	// on no other part of their own.
	Layers() []int
	// Part fills in a part of a layer. It reuses the lists of p.
	Part(p *Part, layer, part int)
}

// Node is a position in which a role is to move, with all chance up to the next one.
type Node struct {
	Role   int     // to move, 0 or 1
	Over   bool    // the game has ended, and there are no moves
	Forced bool    // the rules make the only move
	Share  float64 // role 0's share of the win if the game is over or a move leads to Ended
	Moves  []Move  // in the order of Legal
}

// Move leads to the number To with a probability, and otherwise to Else.
type Move struct {
	To, Else uint32
	Prob     float64
}

// Ended is in place of a number where a move ends the game.
const Ended = math.MaxUint32

// Part holds numbers of positions in an order in which each follows its successors.
type Part struct {
	Lists  [][]uint32 // to be solved one after the other
	Cyclic bool       // positions of the last list can recur
}

// Clear empties n lists.
func (p *Part) Clear(n int) {
	p.Lists = slices.Grow(p.Lists[:0], n)[:n]
	for i := range p.Lists {
		p.Lists[i] = p.Lists[i][:0]
	}
}

// shares are values of all positions where each role plays its policy, or best play if
// that is nil.
type shares[S comparable] struct {
	Numbering[S]
	value    []float64 // role 0's expected share of the win
	policies [2]*numberedPolicy
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
		if !e.reachable(at) {
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

// reachable reports whether a position can come up under the policies.
func (e *shares[S]) reachable(at uint32) bool {
	for role, policy := range e.policies {
		if policy != nil && !policy.reached[role].has(at) {
			return false
		}
	}
	return true
}

// lookAhead computes the value of a position from those of its successors.
func (e *shares[S]) lookAhead(n *Node, at uint32) float64 {
	e.Node(n, at)
	if n.Over {
		return n.Share
	}
	if policy := e.policies[n.Role]; policy != nil && len(n.Moves) > 1 {
		sum := 0.0
		for k, prob := range policy.probsAt(at, n) {
			if prob > 0 {
				sum += float64(prob * e.after(n, n.Moves[k]))
			}
		}
		return sum
	}
	best := e.after(n, n.Moves[0])
	for _, m := range n.Moves[1:] {
		if v := e.after(n, m); n.Role == 0 {
			best = max(best, v)
		} else {
			best = min(best, v)
		}
	}
	return best
}

// after returns the value after a move.
func (e *shares[S]) after(n *Node, m Move) float64 {
	switch {
	case m.To == Ended:
		return n.Share
	case m.Prob == 1:
		return e.value[m.To]
	}
	return float64(m.Prob*e.value[m.To]) + float64((1-m.Prob)*e.value[m.Else])
}

// losses appends by how much each move of n is worse for its role than the best, in
// shares of the win.
func (e *shares[S]) losses(dst []float64, n *Node) []float64 {
	from := len(dst)
	for _, m := range n.Moves {
		v := e.after(n, m)
		if n.Role == 1 {
			v = -v
		}
		dst = append(dst, v)
	}
	most := slices.Max(dst[from:])
	for i := range dst[from:] {
		dst[from+i] = most - dst[from+i]
	}
	return dst
}
