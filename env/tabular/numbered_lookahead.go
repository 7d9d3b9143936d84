package tabular

import (
	"context"
	"slices"

	"marsgym/env/game"
	"marsgym/internal/parallel"
)

// numberedBackup holds the values by which a policy looks ahead (see [game.Lookahead]),
// where one seat has role 0.
type numberedBackup[S comparable] struct {
	Numbering[S]
	spec  game.Spec
	first game.Player // the seat with role 0
	at    []uint32    // the positions that can come up, in order
	slot  []uint32    // [positions]; index in at
	value []float64   // [at, 2] by role
	rows  int         // states that the policy evaluated
}

// newNumberedBackup asks a policy for the values of all decisions that can come up and
// backs them up.
func newNumberedBackup[S comparable](ctx context.Context, sol *NumberedSolution[S], p game.Lookahead[S], start uint32, first game.Player) (*numberedBackup[S], error) {
	b := &numberedBackup[S]{Numbering: sol.values.Numbering, spec: sol.spec, first: first, slot: make([]uint32, sol.values.Len())}
	w := newReach(b.Numbering)
	w.add(start)
	w.expand(func(at uint32, n *Node) {
		b.at = append(b.at, at)
		w.followAll(n)
	})
	slices.Sort(b.at)
	for i, at := range b.at {
		b.slot[at] = uint32(i)
	}
	b.value = make([]float64, 2*len(b.at))
	if err := b.ask(ctx, p); err != nil {
		return nil, err
	}
	next := make([]float64, len(b.value))
	for range p.Plies() {
		err := parallel.ForContext(ctx, len(b.at), batchSize, func(from, to int) error {
			var n Node
			for i := from; i < to; i++ {
				b.Node(&n, b.at[i])
				if value := (*[2]float64)(next[2*i:]); n.Over || n.Forced {
					*value = b.valueOf(b.at[i])
				} else {
					b.best(value, &n)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		b.value, next = next, b.value
		b.force()
	}
	return b, nil
}

// ask sets the values of the decisions to those of the policy, and those of ends to the
// returns.
func (b *numberedBackup[S]) ask(ctx context.Context, p game.Lookahead[S]) error {
	var decisions []uint32
	var n Node
	for i, at := range b.at {
		switch b.Node(&n, at); {
		case n.Over:
			*(*[2]float64)(b.value[2*i:]) = b.ended(&n)
		case !n.Forced:
			decisions = append(decisions, at)
		}
	}
	b.rows = len(decisions)
	dst := make([]float64, 2*batchSize)
	err := batches(ctx, decisions, func(at uint32) S { return b.State(at, b.first) }, func(part []uint32, states []S) error {
		err := p.Values(ctx, dst[:2*len(part)], states)
		for k, at := range part {
			value := b.value[2*b.slot[at]:]
			value[0], value[1] = dst[2*k+int(b.first)], dst[2*k+1-int(b.first)]
		}
		return err
	})
	b.force()
	return err
}

// force sets the values of positions in which the rules make the move.
func (b *numberedBackup[S]) force() {
	var n Node
	for i, at := range b.at {
		if b.Node(&n, at); n.Forced {
			*(*[2]float64)(b.value[2*i:]) = b.after(&n, n.Moves[0])
		}
	}
}

// ended returns the returns by role where the game ends.
func (b *numberedBackup[S]) ended(n *Node) [2]float64 {
	return [2]float64{b.spec.Return(n.Share), b.spec.Return(1 - n.Share)}
}

// valueOf returns the values of a position by role.
func (b *numberedBackup[S]) valueOf(at uint32) [2]float64 { return [2]float64(b.value[2*b.slot[at]:]) }

// best returns the best move of n and sets value to its values by role. Ties go to the
// lowest.
func (b *numberedBackup[S]) best(value *[2]float64, n *Node) (best int) {
	var buf [64]float64
	options := buf[:0]
	for _, m := range n.Moves {
		options = append(options, b.after(n, m)[n.Role])
	}
	best = game.BestOption(options)
	*value = b.after(n, n.Moves[best])
	return best
}

// after returns the values by role after a move.
func (b *numberedBackup[S]) after(n *Node, m Move) [2]float64 {
	switch {
	case m.To == Ended:
		return b.ended(n)
	case m.Prob == 1:
		return b.valueOf(m.To)
	}
	won, lost, w := b.valueOf(m.To), b.valueOf(m.Else), m.Prob
	return [2]float64{float64(w*won[0]) + float64((1-w)*lost[0]), float64(w*won[1]) + float64((1-w)*lost[1])}
}
