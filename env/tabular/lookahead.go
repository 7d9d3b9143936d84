package tabular

import (
	"context"
	"errors"
	"math"

	"marsgym/env/game"
	"marsgym/internal/parallel"
)

// backup holds the values by which a policy looks ahead (see [game.Lookahead]).
type backup[S comparable] struct {
	*Solution[S]
	places []uint32  // the positions that can come up, in order
	slot   []uint32  // [positions]; index in places
	chance []uint32  // those of places where chance moves
	values []float64 // [places, P] by role
	rows   int       // states that the policy evaluated
}

// newBackup asks a policy for the values of all decisions that can come up in the games from a
// start, and backs them up.
func (sol *Solution[S]) newBackup(ctx context.Context, p game.Lookahead[S], from start) (*backup[S], error) {
	b := &backup[S]{Solution: sol, slot: make([]uint32, sol.x.Len())}
	players := sol.spec.Players
	set := reachable(sol.x, from.at, make([]*policyTable, players))
	for at := range uint32(sol.x.Len()) {
		if set.has(at) {
			b.slot[at] = uint32(len(b.places))
			b.places = append(b.places, at)
		}
	}
	b.values = make([]float64, len(b.places)*players)
	if err := b.ask(ctx, p, from.first); err != nil {
		return nil, err
	}
	next := make([]float64, len(b.values))
	for range p.Plies() {
		err := parallel.ForContext(ctx, len(b.places), batchSize, func(from, to int) error {
			var n Node
			for i := from; i < to; i++ {
				row := next[i*players:][:players]
				if b.x.Node(&n, b.places[i]); n.Mover < 0 {
					copy(row, b.values[i*players:])
					continue
				}
				m := n.Moves[b.bestOf(&n)]
				for role := range row {
					row[role] = b.after(&n, m, game.Player(role))
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		b.values, next = next, b.values
		if err := b.expectChance(ctx); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// ask sets the values of the decisions to those of the policy, and those of ends to the
// returns.
func (b *backup[S]) ask(ctx context.Context, p game.Lookahead[S], first game.Player) error {
	players := b.spec.Players
	var decisions []uint32
	var n Node
	for i, at := range b.places {
		switch b.x.Node(&n, at); n.Mover {
		case game.Terminal:
			for role := range players {
				b.values[i*players+role] = b.returnOf(b.value, at, game.Player(role))
			}
		case game.Chance:
			b.chance = append(b.chance, at)
		default:
			decisions = append(decisions, at)
		}
	}
	b.rows = len(decisions)
	dst := make([]float64, batchSize*players)
	err := batches(ctx, decisions, func(at uint32) S { return b.x.State(at, first) }, func(part []uint32, states []S) error {
		err := p.Values(ctx, dst[:len(part)*players], states)
		for k, at := range part {
			for seat := range players {
				b.values[int(b.slot[at])*players+(seat^int(first))] = dst[k*players+seat]
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return b.expectChance(ctx)
}

// expectChance sets the values where chance moves to their expectation. Chance may lead to
// chance, so it sweeps until the values converge: in the order of the numbers, where most
// successors come first.
func (b *backup[S]) expectChance(ctx context.Context) error {
	var n Node
	change, err := sweeps(ctx, func() (change float64) {
		for _, at := range b.chance {
			b.x.Node(&n, at)
			row := b.values[int(b.slot[at])*b.spec.Players:][:b.spec.Players]
			for role, old := range row {
				v := 0.0
				for k, m := range n.Moves {
					v += float64(n.Probs[k] * b.after(&n, m, game.Player(role)))
				}
				row[role] = v
				if d := math.Abs(v-old) / max(1, math.Abs(v)); d > change { // not if it is NaN
					change = d
				}
			}
		}
		return change
	})
	if err == nil && change > converged {
		err = errors.New("chance hardly ever leads to a decision")
	}
	return err
}

// bestOf returns the best move of n for its mover, ties to the lowest.
func (b *backup[S]) bestOf(n *Node) int {
	var buf [64]float64
	options := buf[:0]
	for _, m := range n.Moves {
		options = append(options, b.after(n, m, n.Mover))
	}
	return max(0, game.BestOption(options)) // 0 if a value is NaN
}

// after returns the value to a role after a move of n.
func (b *backup[S]) after(n *Node, m Move, role game.Player) float64 {
	return m.expect(b.shareReturn(n.Share, role), func(at uint32) float64 {
		return b.values[int(b.slot[at])*b.spec.Players+int(role)]
	})
}
