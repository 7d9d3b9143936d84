package marsisours

import (
	"context"
	"fmt"

	"marsgym/env/game"
)

// Evaluate keeps [game.Solution].
func (s *FastSolution) Evaluate(ctx context.Context, dst []float64, seats []game.Strategy) ([]float64, error) {
	share, err := s.price(ctx, seats, game.Nobody)
	if err != nil {
		return dst, err
	}
	return append(dst, s.x.r.spec.Return(share), s.x.r.spec.Return(1-share)), nil
}

// BestResponse keeps [game.Solution].
func (s *FastSolution) BestResponse(ctx context.Context, seats []game.Strategy, seat game.Player) (float64, error) {
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
func (s *FastSolution) price(ctx context.Context, seats []game.Strategy, free game.Player) (float64, error) {
	if len(seats) != 2 {
		return 0, fmt.Errorf("mars-is-ours: %d strategies for a table of 2", len(seats))
	}
	var play [2]*fastStrategy
	for i, g := range seats {
		if game.Player(i) == free {
			continue
		}
		own, ok := g.(*fastStrategy)
		if !ok || own.x != s.x {
			return 0, fmt.Errorf("mars-is-ours: the strategy of seat %d is of another solution; make it with its Expand", i)
		}
		play[i] = own
	}
	first, err := s.starts(ctx, play)
	if err != nil || play[0] == play[1] {
		return 0.5, err // one start mirrors the other
	}
	second, err := s.starts(ctx, [2]*fastStrategy{play[1], play[0]})
	return (first + 1 - second) / 2, err
}

// starts is role 0's share when the roles play like this.
func (s *FastSolution) starts(ctx context.Context, play [2]*fastStrategy) (float64, error) {
	p := &fastPricing{fastIndex: s.x, value: make([]float64, s.x.len()), play: play}
	if err := p.run(ctx, new(game.Work), nil); err != nil {
		return 0, err
	}
	return p.value[s.x.at(s.x.start())], nil
}
