package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/eval/analysis"
	"marsgym/internal/input"
)

// The times for estimates. Chosen: people wait as long for a list of choices, and for the
// review of a game.
const (
	valuesTime = 2 * time.Second
	reviewTime = 20 * time.Second
	mostTime   = time.Minute
)

// searches is the number of searches from a position. Chosen: fewer have no intervals, and more
// leave each little time, which matters more.
const searches = 4

// valuer returns the exact valuer of a game or, if it is not solved within d, one that estimates.
func (a *App) valuer(ctx context.Context, g env.Game, seed uint64, d time.Duration) (analysis.Valuer, error) {
	s, err := a.solveWithin(ctx, g, d)
	if err == nil {
		return analysis.NewExact(g.Spec(), s), nil
	}
	// Searches estimate shares of a win.
	if later := err == errSolving && g.Spec().HasWin(); !later && !errors.Is(err, game.ErrNoSolution) {
		return nil, err
	}
	unseeded, err := a.estimators.get(g.Spec().RulesHash(), func() (*analysis.Searches, error) {
		if !a.hasPretrained(g) {
			return &analysis.Searches{Game: g, Name: agents.BestBot(g), Number: searches}, nil
		}
		e, err := agents.OpenEvaluator(agents.Pretrained, a.openOptions(ctx, g))
		return &analysis.Searches{Game: g, Name: agents.Pretrained, Evaluator: e, Number: searches}, err
	})
	if err != nil {
		return nil, err
	}
	v := *unseeded
	v.Seed = seed
	return &v, nil
}

// within returns v with a part of the time of a request, if it estimates.
func within(v analysis.Valuer, d time.Duration) analysis.Valuer {
	if s, ok := v.(*analysis.Searches); ok {
		timed := *s
		timed.Time = max(1, d)
		return &timed
	}
	return v
}

// timed returns the valuer of a game, and the time of a request for its estimates: at most half
// of the limit, since the wait for the solver takes a fifth and estimates exceed their time by a part.
func (a *App) timed(ctx context.Context, r *Request, g env.Game, usual time.Duration) (v analysis.Valuer, d time.Duration, err error) {
	d = cmp.Or(time.Duration(r.Time)*time.Millisecond, usual)
	if d <= 0 || d > mostTime {
		return nil, 0, fmt.Errorf("time is %d ms; want 1 to %d", r.Time, mostTime.Milliseconds())
	}
	v, err = a.valuer(ctx, g, r.Seed, a.patience(d))
	if a.opt.Limit > 0 {
		d = min(d, a.opt.Limit/2)
	}
	return v, d, err
}

// patience returns how long a request that may take d waits for the solver: at most a fifth of the limit.
func (a *App) patience(d time.Duration) time.Duration {
	if a.opt.Limit > 0 {
		d = min(d, a.opt.Limit/5)
	}
	return d
}

// Values are the values of a position and of its options.
type Values struct {
	Method    string            `json:"method"` // see [analysis.Valuer]
	Exact     bool              `json:"exact"`
	About     string            `json:"about"`               // what intervals cover; "" if values are exact
	Unit      string            `json:"unit"`                // "" for shares of the win
	Values    []analysis.Number `json:"values"`              // [P] of the position
	Options   []analysis.Option `json:"options"`             // the best first; empty if no seat is to move
	Solving   *Solving          `json:"solving,omitempty"`   // of estimates: how far the exact values are, which can be ready by now
	Situation string            `json:"situation,omitempty"` // of the mover, if the game names situations
	// Others are the decisions of other seats since the last choice of the mover that have lost
	// something, where values are exact.
	Others []analysis.Decision `json:"others,omitempty"`
}

// values values the position of Address at Step, and its options.
func (a *App) values(ctx context.Context, r *Request) (any, error) {
	g, at, err := r.position(ctx)
	if err != nil {
		return nil, err
	}
	valuer, d, err := a.timed(ctx, r, g.game, valuesTime)
	if err != nil {
		return nil, err
	}
	options := within(valuer, 7*d/8)
	v := &Values{Exact: valuer.Exact(), About: g.to.Word(valuer.About()), Unit: g.unit(), Options: []analysis.Option{}}
	position := within(valuer, d/8)
	value, err := position.Values(ctx, []env.Position{at})
	if err != nil {
		return nil, err
	}
	v.Values, v.Method = numbers(value[0]), position.Method()
	if !v.Exact {
		v.Solving = a.solvingOf(g.game)
	}
	if at.CurrentPlayer() >= 0 {
		v.Situation = g.to.Word(at.Situation())
		v.Options, err = analysis.Decide(ctx, g.game, at, options)
		v.Method = options.Method()
	}
	if err == nil && v.Exact {
		v.Others, err = g.others(ctx, at, options)
	}
	return v, err
}

// others returns the decisions of other seats before a position, back to the last choice of its mover, that
// have lost something.
func (r *replay) others(ctx context.Context, at env.Position, v analysis.Valuer) (list []analysis.Decision, err error) {
	mover, end := at.CurrentPlayer(), len(r.rec.Steps)
	for end > 0 && r.rec.At(end) != at {
		end--
	}
	for i, step := range slices.Backward(r.rec.Steps[:end]) {
		seat := step.Before.CurrentPlayer()
		if mover < 0 || seat == mover {
			break
		}
		if step.Chance() {
			continue
		}
		options, err := analysis.Decide(ctx, r.game, step.Before, v)
		if err != nil {
			return nil, err
		}
		name := r.game.ActionName(step.Action)
		k := slices.IndexFunc(options, func(o analysis.Option) bool { return o.Action == name })
		if d := (analysis.Decision{Step: i, Seat: int(seat), Position: step.Before.String(), Action: name, Value: options[0].Value, Loss: options[k].Regret, Options: options}); d.Mistake() {
			list = append(list, d)
		}
	}
	slices.Reverse(list)
	return list, nil
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
	About    string    `json:"about"`    // see Values
	Seat     int       `json:"seat"`     // whose value orders the outcomes
	Outcomes []Outcome `json:"outcomes"` // the best for Seat first
}

// Outcome is an outcome of a roll.
type Outcome struct {
	analysis.Outcome
	About string `json:"about"`
}

// chance values the outcomes of the roll at Step or, if a seat is to move there, after
// Action.
func (a *App) chance(ctx context.Context, r *Request) (any, error) {
	g, at, err := r.position(ctx)
	if err != nil {
		return nil, err
	}
	seat := max(0, int(at.CurrentPlayer()))
	if r.Action != "" {
		i := slices.IndexFunc(at.Legal(), func(a game.Action) bool { return g.game.ActionName(a) == r.Action })
		if i < 0 {
			return nil, message.NewError("{0} is no legal action here", input.Quote(r.Action))
		}
		if at, err = at.Apply(at.Legal()[i]); err != nil {
			return nil, err
		}
	} else if n := cmp.Or(r.Step, new(len(g.rec.Steps))); *n > 0 {
		seat = max(0, int(g.rec.At(*n-1).CurrentPlayer()))
	}
	if at.CurrentPlayer() != game.Chance {
		return nil, errors.New("nothing is rolled here")
	}
	valuer, d, err := a.timed(ctx, r, g.game, valuesTime)
	if err != nil {
		return nil, err
	}
	valuer = within(valuer, d)
	outcomes, err := analysis.Outcomes(ctx, at, valuer, seat)
	c := &Chance{Seat: seat, Method: valuer.Method(), Exact: valuer.Exact(), About: g.to.Word(valuer.About())}
	for _, o := range outcomes {
		c.Outcomes = append(c.Outcomes, Outcome{o, g.to.Say(at.Narrate(o.After, 0, "")[0])})
	}
	return c, err
}
