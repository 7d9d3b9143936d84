package tabular

import (
	"context"
	"fmt"
	"slices"

	"marsgym/env/game"
)

// Regrets plays p in a seat against best play in all others and calls yield
// with each action that p may take and that loses more than game.Tie, by
// position in the order of the table, until it returns an error. States and
// actions are those of representatives.
func (sol *Solution[S]) Regrets(ctx context.Context, p game.Policy[S], seat game.Player, yield func(game.Regret[S]) error) error {
	if seat < 0 || int(seat) >= sol.players {
		return fmt.Errorf("tabular: seat %d, want 0 to %d", seat, sol.players-1)
	}
	st, err := sol.Tabulate(ctx, p)
	if err != nil {
		return err
	}
	best := make([]float64, len(sol.moves))
	for i, x := range sol.nodes {
		if x.turn >= 0 {
			best[x.first+sol.choice[i]] = 1
		}
	}
	seats := make([][]float64, sol.players)
	for i := range seats {
		seats[i] = best
	}
	probs := st.(*strategy).probs
	seats[seat] = probs
	visits, err := newPricing(&sol.graph, seats).visits(ctx, sol.components)
	if err != nil {
		return fmt.Errorf("tabular: %w", err)
	}
	var legal []game.Action
	for i, x := range sol.nodes {
		if x.turn != seat || visits[i] == 0 {
			continue
		}
		next := sol.next(int32(i))
		legal = sol.rules.Legal(legal[:0], sol.states[i])
		choice := sol.choice[i]
		for k, j := range next {
			prob, loss := probs[int(x.first)+k], sol.at(next[choice])[seat]-sol.at(j)[seat]
			if prob == 0 || loss <= game.Tie {
				continue
			}
			r := game.Regret[S]{
				State: sol.states[i], Action: legal[k], Best: legal[choice],
				Reach: visits[i], Prob: prob, Loss: loss,
			}
			if err := yield(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// visits is how often a game is expected to come to each position, when no seat
// is free. It goes from the start to the ends.
func (p *pricing) visits(ctx context.Context, c components) ([]float64, error) {
	x := make([]float64, len(p.nodes))
	x[0] = 1
	for k := c.len() - 1; k >= 0; k-- {
		if k%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		comp := c.at(k)
		if len(comp) > 1 {
			comp = slices.DeleteFunc(slices.Clone(comp), func(i int32) bool { return !p.reached[i] })
		}
		if len(comp) == 0 || !p.reached[comp[0]] {
			continue
		}
		for k, i := range comp {
			p.place[i] = int32(k) + 1
		}
		if len(comp) > 1 || slices.Contains(p.next(comp[0]), comp[0]) {
			if err := p.circulate(ctx, x, comp); err != nil {
				return nil, err
			}
		}
		for _, i := range comp {
			to, w := p.edges(i)
			for e, j := range to {
				if p.place[j] == 0 {
					x[j] += x[i] * w[e]
				}
			}
		}
		for _, i := range comp {
			p.place[i] = 0
		}
	}
	return x, nil
}

// circulate turns x, which holds how often comp is entered at each position,
// into how often each is visited. The matrix is the transpose of that of solve,
// and so is the elimination.
func (p *pricing) circulate(ctx context.Context, x []float64, comp []int32) error {
	y := &p.sys
	p.untie(comp)
	if !p.direct(comp) {
		return p.flow(ctx, x, comp)
	}
	p.reduce(comp)
	// What enters elsewhere comes to a knot, or leaves.
	m := len(y.knots)
	in := make([]float64, m)
	for _, i := range comp {
		if k := y.knot[p.place[i]-1]; k > 0 {
			in[k-1] += x[i]
			continue
		}
		for c, v := range p.row(i)[:m] {
			in[c] += x[i] * v
		}
	}
	if err := p.eliminate(); err != nil {
		return err
	}
	for k := m - 1; k >= 0; k-- { // what enters at k comes to one before it
		for c, v := range p.row(y.knots[k])[:k] {
			in[c] += in[k] * v
		}
	}
	for k, i := range y.knots {
		for c, j := range y.knots[:k] {
			in[k] += in[c] * p.row(j)[k]
		}
		in[k] /= p.row(i)[k]
	}
	for k, i := range y.knots {
		x[i] = in[k]
	}
	for _, i := range slices.Backward(y.post) { // the others follow
		to, w := p.edges(i)
		for e, j := range to {
			if p.place[j] > 0 && y.knot[p.place[j]-1] == 0 {
				x[j] += x[i] * w[e]
			}
		}
	}
	return nil
}

// flow is circulate by sweeps, for components too large to be solved directly.
func (p *pricing) flow(ctx context.Context, x []float64, comp []int32) error {
	if !p.leaves(comp) {
		return errEndless
	}
	rest := make([]float64, len(comp)) // has come but not gone on
	for k, i := range comp {
		rest[k], x[i] = x[i], 0
	}
	sum := 0.0
	for range sweeps {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, i := range slices.Backward(p.sys.post) {
			k := p.place[i] - 1
			r := rest[k]
			rest[k] = 0
			x[i] += r
			to, w := p.edges(i)
			for e, j := range to {
				if p.place[j] > 0 {
					rest[p.place[j]-1] += r * w[e]
				}
			}
		}
		sum = 0
		for _, r := range rest {
			sum += r
		}
		if sum <= settled {
			return nil
		}
	}
	return fmt.Errorf("in a cycle of %d positions a game still goes on with probability %.3g after %d sweeps", len(comp), sum, sweeps)
}
