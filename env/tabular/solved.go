package tabular

import (
	"context"
	"fmt"

	"marsgym/env/game"
	"marsgym/env/game/chart"
)

// solved is the part of [game.Solution] that does not depend on how a game was solved.
type solved[S comparable] struct {
	rules    game.Rules[S]
	symmetry game.Symmetry[S] // nil if the rules do not implement it
	spec     game.Spec

	// best returns the representative of a decision, and the index of best play among its
	// legal actions.
	best func(s S) (rep S, move int, err error)
	// evaluate returns the expected returns [P] of tables [P]. A seat whose table is empty
	// plays a best response to the others.
	evaluate func(ctx context.Context, tables []*tabularPolicy) ([]float64, error)
}

func newSolved[S comparable](rules game.Rules[S]) solved[S] {
	sol := solved[S]{rules: rules, spec: rules.Spec()}
	sol.symmetry, _ = rules.(game.Symmetry[S])
	return sol
}

// canonical is [game.Symmetry.Canonical], if the rules have it.
func (sol *solved[S]) canonical(s S) (S, []game.Action) {
	if sol.symmetry == nil {
		return s, nil
	}
	return sol.symmetry.Canonical(s)
}

// text returns s in its notation, if the game has one.
func (sol *solved[S]) text(s S) string { return text(sol.rules, s) }

// Evaluate implements [game.Solution]. It returns an error if the policies are not of
// this solution, or if their game may never end.
func (sol *solved[S]) Evaluate(ctx context.Context, dst []float64, seats []game.TabularPolicy) ([]float64, error) {
	values, err := sol.respond(ctx, seats, game.Terminal)
	return append(dst, values...), err
}

// BestResponse implements [game.Solution]. It returns an error if the policies of the
// others are not of this solution, or if the game may never end.
func (sol *solved[S]) BestResponse(ctx context.Context, seats []game.TabularPolicy, seat game.Player) (float64, error) {
	if err := sol.checkSeat(seat); err != nil {
		return 0, err
	}
	values, err := sol.respond(ctx, seats, seat)
	if err != nil {
		return 0, err
	}
	return values[seat], nil
}

func (sol *solved[S]) checkSeat(seat game.Player) error {
	if seat < 0 || int(seat) >= sol.spec.Players {
		return fmt.Errorf("tabular: seat %d; want 0 to %d", seat, sol.spec.Players-1)
	}
	return nil
}

// respond is evaluate for policies that Tabulate has made. The seat free plays a best response
// instead of its policy; game.Terminal is no seat.
func (sol *solved[S]) respond(ctx context.Context, seats []game.TabularPolicy, free game.Player) ([]float64, error) {
	if len(seats) != sol.spec.Players {
		return nil, fmt.Errorf("tabular: %d policies for %d players", len(seats), sol.spec.Players)
	}
	tables := make([]*tabularPolicy, len(seats))
	for i, s := range seats {
		if game.Player(i) == free {
			tables[i] = new(tabularPolicy)
			continue
		}
		table, ok := s.(*tabularPolicy)
		if !ok || table.solution != any(sol) {
			return nil, fmt.Errorf("tabular: the policy of seat %d belongs to another solution; call Tabulate of this one", i)
		}
		tables[i] = table
	}
	return sol.evaluate(ctx, tables)
}

// yieldRegrets calls yield with each regret in a decision. reach is the expected number of
// times a game reaches it, best the index of best play, and probs and losses are those of each
// move. It calls state only if there is a regret.
func (sol *solved[S]) yieldRegrets(state func() S, reach float64, best int, probs, losses []float64, yield func(game.Regret[S]) error) error {
	var s S
	var legal []game.Action
	for k, prob := range probs {
		if prob == 0 || losses[k] <= game.Tie {
			continue
		}
		if legal == nil {
			s = state()
			legal = sol.rules.Legal(nil, s)
		}
		if err := yield(game.Regret[S]{State: s, Action: legal[k], Best: legal[best], Reach: reach, Prob: prob, Loss: losses[k]}); err != nil {
			return err
		}
	}
	return nil
}

// Policy returns best play. Ties go to the lowest index of the actions that can end the
// game.
func (sol *solved[S]) Policy() game.Policy[S] { return bestPolicy[S]{sol} }

type bestPolicy[S comparable] struct{ *solved[S] }

// Probs implements [game.Policy]. It returns an error for a position that cannot come up
// or is not a decision.
func (b bestPolicy[S]) Probs(dst []float64, states []S) error {
	clear(dst)
	var legal []game.Action
	for row, s := range states {
		if b.rules.CurrentPlayer(s) < 0 {
			return fmt.Errorf("tabular: position %s is not a decision", b.text(s))
		}
		rep, move, err := b.best(s)
		if err != nil {
			return err
		}
		legal = b.rules.Legal(legal[:0], rep)
		a := legal[move]
		if _, relabel := b.canonical(s); relabel != nil {
			a = relabel[a]
		}
		dst[row*b.spec.Actions+int(a)] = 1
	}
	return nil
}

// OptionValues appends the value to the mover of each legal action in s, in the order of
// Legal, given the values of all positions.
func OptionValues[S comparable](dst []float64, rules game.Rules[S], s S, value func(dst []float64, s S) ([]float64, error)) ([]float64, error) {
	var values []float64
	for _, a := range rules.Legal(nil, s) {
		next, err := rules.Apply(s, a)
		if err == nil {
			values, err = value(values[:0], next)
		}
		if err != nil {
			return dst, err
		}
		dst = append(dst, values[rules.CurrentPlayer(s)])
	}
	return dst, nil
}

// Charts implements [game.Solution]. There are none.
func (sol *solved[S]) Charts() ([]chart.Chart, error) {
	return nil, fmt.Errorf("%s: %w", sol.spec.ID, game.ErrNoCharts)
}

// PolicyCharts implements [game.Solution]. There are none.
func (sol *solved[S]) PolicyCharts(_ game.TabularPolicy, name string) ([]chart.Chart, error) {
	return nil, fmt.Errorf("%s: the losses of %s: %w", sol.spec.ID, name, game.ErrNoCharts)
}
