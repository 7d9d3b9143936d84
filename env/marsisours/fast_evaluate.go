package marsisours

import (
	"context"
	"fmt"

	"marsgym/env/game"
)

// Evaluate implements [game.Solution].
func (s *FastSolution) Evaluate(ctx context.Context, dst []float64, seats []game.TabularPolicy) ([]float64, error) {
	share, err := s.price(ctx, seats, game.Terminal)
	if err != nil {
		return dst, err
	}
	return append(dst, s.x.r.spec.Return(share), s.x.r.spec.Return(1-share)), nil
}

// BestResponse implements [game.Solution].
func (s *FastSolution) BestResponse(ctx context.Context, seats []game.TabularPolicy, seat game.Player) (float64, error) {
	if seat < 0 || seat > 1 {
		return 0, fmt.Errorf("mars-is-ours: seat %d; want 0 or 1", seat)
	}
	share, err := s.price(ctx, seats, seat)
	if err != nil {
		return 0, err
	}
	if seat == 1 {
		share = 1 - share
	}
	return s.x.r.spec.Return(share), nil
}

// price is seat 0's expected share of the win, each seat starting half of the
// games, when free, if a seat, plays its best and the others their strategies.
func (s *FastSolution) price(ctx context.Context, seats []game.TabularPolicy, free game.Player) (float64, error) {
	if len(seats) != 2 {
		return 0, fmt.Errorf("mars-is-ours: %d strategies for a table of 2", len(seats))
	}
	sum := 0.0
	for starter := range 2 {
		var play [2]*fastPlay
		for seat, g := range seats {
			if game.Player(seat) == free {
				continue
			}
			own, ok := g.(*fastStrategy)
			if !ok || own.x != s.x {
				return 0, fmt.Errorf("mars-is-ours: the strategy of seat %d is of another solution; make it with its Expand", seat)
			}
			play[seat^starter] = own.by[starter]
		}
		p := &fastPricing{fastIndex: s.x, value: make([]float64, s.x.len()), play: play}
		if err := p.run(ctx, new(game.SolverState), nil); err != nil {
			return 0, err
		}
		v := p.value[s.x.at(s.x.start())]
		if starter == 1 {
			v = 1 - v
		}
		sum += v / 2
	}
	return sum, nil
}
