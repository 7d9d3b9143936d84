package marsisours

import (
	"context"
	"fmt"

	"marsgym/env/game"
)

// Evaluate implements [game.Solution].
func (s *fastSolution) Evaluate(ctx context.Context, dst []float64, seats []game.TabularPolicy) ([]float64, error) {
	share, err := s.evaluate(ctx, seats, game.Terminal)
	if err != nil {
		return dst, err
	}
	return append(dst, s.x.r.spec.Return(share), s.x.r.spec.Return(1-share)), nil
}

// BestResponse implements [game.Solution].
func (s *fastSolution) BestResponse(ctx context.Context, seats []game.TabularPolicy, seat game.Player) (float64, error) {
	if seat < 0 || seat > 1 {
		return 0, fmt.Errorf("mars-is-ours: seat %d; want 0 or 1", seat)
	}
	share, err := s.evaluate(ctx, seats, seat)
	if err != nil {
		return 0, err
	}
	if seat == 1 {
		share = 1 - share
	}
	return s.x.r.spec.Return(share), nil
}

// evaluate returns seat 0's expected share of the win where the seat free plays a
// best response to the policy of the other; game.Terminal for free means that both
// play their policies. Each seat starts half of the games.
func (s *fastSolution) evaluate(ctx context.Context, seats []game.TabularPolicy, free game.Player) (float64, error) {
	if len(seats) != 2 {
		return 0, fmt.Errorf("mars-is-ours: %d policies for 2 seats", len(seats))
	}
	sum := 0.0
	for starter := range 2 {
		var policies [2]*fastPolicy
		for seat, p := range seats {
			if game.Player(seat) == free {
				continue
			}
			table, ok := p.(*fastTabular)
			if !ok || table.x != s.x {
				return 0, fmt.Errorf("mars-is-ours: the tabular policy of seat %d is of another solution; make it with Tabulate of this one", seat)
			}
			policies[seat^starter] = table.byStarter[starter]
		}
		e := &fastEvaluator{fastIndex: s.x, value: make([]float64, s.x.len()), policies: policies}
		if err := e.run(ctx, new(game.SolverState), nil); err != nil {
			return 0, err
		}
		v := e.value[s.x.indexOf(s.x.start())]
		if starter == 1 {
			v = 1 - v
		}
		sum += float64(v / 2)
	}
	return sum, nil
}
