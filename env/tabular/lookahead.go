package tabular

import (
	"context"
	"errors"
	"math"

	"marsgym/env/game"
)

// tabulateLookahead fills policy.probs with the choices of a policy that looks ahead:
// it asks for the values of all decisions once and backs them up.
func (sol *Solution[S]) tabulateLookahead(ctx context.Context, policy *tabularPolicy, p game.Lookahead[S]) error {
	b := &backup[S]{Solution: sol, value: make([]float64, len(sol.nodes)*sol.players), next: make([]float64, len(sol.nodes)*sol.players)}
	if err := b.ask(ctx, p); err != nil {
		return err
	}
	b.orderChance()
	for k := 0; ; k++ {
		if err := b.expect(ctx); err != nil {
			return err
		}
		last := k == p.Plies()
		for i, x := range sol.nodes {
			if x.mover < 0 {
				continue
			}
			best := b.best(int32(i))
			if last {
				clear(sol.probsOf(policy, int32(i)))
				sol.probsOf(policy, int32(i))[best] = 1
			}
			copy(b.next[i*sol.players:], b.at(sol.next(int32(i))[best]))
		}
		if last {
			return nil
		}
		for i, x := range sol.nodes {
			if x.mover >= 0 {
				copy(b.at(int32(i)), b.next[i*sol.players:][:sol.players])
			}
		}
	}
}

// backup backs up the values of decisions by one ply after the other.
type backup[S comparable] struct {
	*Solution[S]
	value   []float64 // [positions, P]
	next    []float64 // [positions, P] of decisions, one ply further
	chance  []int32   // chance positions, after their outcomes unless these lead back
	cyclic  bool      // some do
	options []float64
}

func (b *backup[S]) at(i int32) []float64 { return b.value[int(i)*b.players:][:b.players] }

// ask sets the values of decisions to those of p, and those of ends to the returns.
func (b *backup[S]) ask(ctx context.Context, p game.Lookahead[S]) error {
	var open []int32
	for i, x := range b.nodes {
		switch {
		case x.mover >= 0:
			open = append(open, int32(i))
		case x.mover == game.Terminal:
			copy(b.at(int32(i)), b.returns[int(x.first)*b.players:][:b.players])
		}
	}
	dst := make([]float64, batchSize*b.players)
	return batches(ctx, open, b.state, func(part []int32, states []S) error {
		err := p.Values(ctx, dst[:len(part)*b.players], states)
		for k, i := range part {
			copy(b.at(i), dst[k*b.players:])
		}
		return err
	})
}

// orderChance lists the chance positions in the postorder of a search that follows
// chance alone.
func (b *backup[S]) orderChance() {
	const open, done = 1, 2
	state := make([]uint8, len(b.nodes))
	var path []visit
	for i, x := range b.nodes {
		if x.mover != game.Chance || state[i] != 0 {
			continue
		}
		state[i] = open
		path = append(path, visit{node: int32(i)})
		for len(path) > 0 {
			v := &path[len(path)-1]
			next := b.graph.next(v.node)
			if int(v.edge) == len(next) {
				state[v.node] = done
				b.chance = append(b.chance, v.node)
				path = path[:len(path)-1]
				continue
			}
			j := next[v.edge]
			v.edge++
			switch {
			case b.nodes[j].mover != game.Chance:
			case state[j] == open:
				b.cyclic = true
			case state[j] == 0:
				state[j] = open
				path = append(path, visit{node: j})
			}
		}
	}
}

// expect computes the values of chance positions from those of the others. Where
// chance leads back to a position without a decision, it sweeps until the values
// converge.
func (b *backup[S]) expect(ctx context.Context) error {
	for _, i := range b.chance {
		clear(b.at(i))
	}
	change, err := sweeps(ctx, func() (change float64) {
		for _, i := range b.chance {
			x := b.nodes[i]
			probs := b.probs[x.first:][:x.n]
			for seat, old := range b.at(i) {
				sum := 0.0
				for k, j := range b.graph.next(i) {
					sum += float64(probs[k] * b.value[int(j)*b.players+seat])
				}
				b.at(i)[seat] = sum
				change = max(change, math.Abs(sum-old))
			}
		}
		if !b.cyclic {
			return 0
		}
		return change
	})
	if err != nil || change <= converged {
		return err
	}
	return errors.New("chance hardly ever leads to a decision")
}

// best returns the index of the best move of a decision.
func (b *backup[S]) best(i int32) int {
	b.options = b.options[:0]
	for _, j := range b.graph.next(i) {
		b.options = append(b.options, b.at(j)[b.nodes[i].mover])
	}
	return game.BestOption(b.options)
}
