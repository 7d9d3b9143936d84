package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"marsgym/analysis"
	"marsgym/env"
	"marsgym/env/game"
)

// The numbers of rollouts of a position. Chosen: with the default the options of a
// position of the small map of Martian Risk take about a second.
const (
	minRollouts     = 2
	defaultRollouts = 48
	maxRollouts     = 2000
)

// valuer returns the exact valuer of a game or, if it is not solved or rollouts is not 0,
// one that estimates.
func (a *App) valuer(ctx context.Context, g env.Game, seed uint64, rollouts int) (analysis.Valuer, error) {
	if rollouts == 0 && a.solved(g) {
		s, err := a.solve(ctx, g)
		if err != nil {
			return nil, err
		}
		return analysis.NewExact(g.Spec(), s), nil
	}
	n := cmp.Or(rollouts, defaultRollouts)
	if n < minRollouts || n > maxRollouts {
		return nil, fmt.Errorf("rollouts is %d; want %d to %d", n, minRollouts, maxRollouts)
	}
	agent, err := a.agent(ctx, g, lastBot(g))
	if err != nil {
		return nil, err
	}
	return &analysis.Rollouts{Game: g, Agent: agent, Name: agent.Name, Number: n, Seed: seed}, nil
}

// Values are the values of a position and of its options.
type Values struct {
	Method  string            `json:"method"` // see [analysis.Valuer]
	Exact   bool              `json:"exact"`
	Unit    string            `json:"unit"`    // "" for shares of the win
	Values  []analysis.Number `json:"values"`  // [P] of the position
	Options []analysis.Option `json:"options"` // the best first; empty if no seat is to move
}

// values values the position of Address at Step, and its options.
func (a *App) values(ctx context.Context, r *Request) (any, error) {
	g, at, err := r.position()
	if err != nil {
		return nil, err
	}
	var v *Values
	err = a.compute(ctx, func(ctx context.Context) error {
		valuer, err := a.valuer(ctx, g.game, r.Seed, r.Rollouts)
		if err != nil {
			return err
		}
		v = &Values{Method: valuer.Method(), Exact: valuer.Exact(), Options: []analysis.Option{}}
		if !g.spec.HasWin() {
			v.Unit = g.spec.Unit
		}
		value, err := valuer.Values(ctx, []env.Position{at})
		if err != nil {
			return err
		}
		v.Values = numbers(value[0])
		if at.CurrentPlayer() >= 0 {
			v.Options, err = analysis.Decide(ctx, g.game, at, valuer)
		}
		return err
	})
	return v, err
}

// numbers returns a value by seat [P].
func numbers(v analysis.Value) []analysis.Number {
	list := make([]analysis.Number, len(v.Mean))
	for i := range list {
		list[i] = v.Number(i)
	}
	return list
}

// Chance is what the next roll can change.
type Chance struct {
	Method   string    `json:"method"`
	Exact    bool      `json:"exact"`
	Seat     int       `json:"seat"`     // whose value orders the outcomes
	Outcomes []Outcome `json:"outcomes"` // the best for Seat first
}

// Outcome is an outcome of a roll.
type Outcome struct {
	Name  string          `json:"name"`
	About string          `json:"about"`
	Prob  float64         `json:"prob"`
	Value analysis.Number `json:"value"` // to Seat
}

// maxEstimated bounds the number of outcomes whose values are estimated. Chosen.
const maxEstimated = 60

// chance values the outcomes of the roll at Step or, if a seat is to move there, after
// Action.
func (a *App) chance(ctx context.Context, r *Request) (any, error) {
	g, at, err := r.position()
	if err != nil {
		return nil, err
	}
	seat := max(0, int(at.CurrentPlayer()))
	if r.Action != "" {
		i := slices.IndexFunc(at.Legal(), func(a game.Action) bool { return g.game.ActionName(a) == r.Action })
		if i < 0 {
			return nil, fmt.Errorf("%q is no legal action here", r.Action)
		}
		if at, err = at.Apply(at.Legal()[i]); err != nil {
			return nil, err
		}
	} else if n := cmp.Or(r.Step, new(len(g.rec.Steps))); *n > 0 {
		seat = max(0, int(g.at(*n-1).CurrentPlayer()))
	}
	if at.CurrentPlayer() != game.Chance {
		return nil, errors.New("nothing is rolled here")
	}
	c := &Chance{Seat: seat}
	err = a.compute(ctx, func(ctx context.Context) error {
		valuer, err := a.valuer(ctx, g.game, r.Seed, r.Rollouts)
		if err != nil {
			return err
		}
		c.Method, c.Exact = valuer.Method(), valuer.Exact()
		outcomes := at.Outcomes()
		if !c.Exact && len(outcomes) > maxEstimated {
			return fmt.Errorf("the roll has %d outcomes; more than %d are not estimated", len(outcomes), maxEstimated)
		}
		after := make([]env.Position, len(outcomes))
		for i, o := range outcomes {
			after[i] = o.State
		}
		values, err := valuer.Values(ctx, after)
		if err != nil {
			return err
		}
		for i, o := range outcomes {
			c.Outcomes = append(c.Outcomes, Outcome{at.OutcomeName(o.State), at.Narrate(o.State, 0, "")[0], o.Prob, values[i].Number(seat)})
		}
		slices.SortStableFunc(c.Outcomes, func(x, y Outcome) int { return cmp.Compare(y.Value.Value, x.Value.Value) })
		return nil
	})
	return c, err
}
