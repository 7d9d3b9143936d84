package tabular

import (
	"context"
	"fmt"

	"marsgym/env/game"
)

// Responses is the part of a [game.Solution] that evaluates policies in tabular form.
type Responses[T game.TabularPolicy] struct {
	id      string
	players int
	own     func(table T) bool
	play    func(ctx context.Context, tables []T) ([]float64, error)
}

// NewResponses returns the responses of a solution whose tables have the type T. own reports
// whether the solution made a table. play returns the expected returns [P] of tables [P]; a seat
// whose table is zero plays a best response to the others. Errors begin with id.
func NewResponses[T game.TabularPolicy](id string, players int, own func(table T) bool, play func(ctx context.Context, tables []T) ([]float64, error)) Responses[T] {
	return Responses[T]{id, players, own, play}
}

// Evaluate implements [game.Solution]. It returns an error if the policies are not of
// this solution, or if their game may never end.
func (r *Responses[T]) Evaluate(ctx context.Context, dst []float64, seats []game.TabularPolicy) ([]float64, error) {
	values, err := r.respond(ctx, seats, game.Terminal)
	return append(dst, values...), err
}

// BestResponse implements [game.Solution]. It returns an error if the policies of the
// others are not of this solution, or if the game may never end.
func (r *Responses[T]) BestResponse(ctx context.Context, seats []game.TabularPolicy, seat game.Player) (float64, error) {
	if err := r.CheckSeat(seat); err != nil {
		return 0, err
	}
	values, err := r.respond(ctx, seats, seat)
	if err != nil {
		return 0, err
	}
	return values[seat], nil
}

// CheckSeat returns an error if the game has no such seat.
func (r *Responses[T]) CheckSeat(seat game.Player) error {
	if seat < 0 || int(seat) >= r.players {
		return fmt.Errorf("%s: seat %d; want 0 to %d", r.id, seat, r.players-1)
	}
	return nil
}

// respond is play for policies. The seat free plays a best response instead of its policy;
// game.Terminal is no seat.
func (r *Responses[T]) respond(ctx context.Context, seats []game.TabularPolicy, free game.Player) ([]float64, error) {
	if len(seats) != r.players {
		return nil, fmt.Errorf("%s: %d policies for %d players", r.id, len(seats), r.players)
	}
	tables := make([]T, r.players)
	for i, s := range seats {
		if game.Player(i) == free {
			continue
		}
		table, ok := s.(T)
		if !ok || !r.own(table) {
			return nil, fmt.Errorf("%s: the policy of seat %d belongs to another solution; call Tabulate of this one", r.id, i)
		}
		tables[i] = table
	}
	return r.play(ctx, tables)
}
