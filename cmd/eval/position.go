package main

import (
	"context"
	"fmt"
	"strings"

	"marsgym/env/game"
	"marsgym/eval/analysis"
	"marsgym/internal/cli"
	"marsgym/internal/figure"
)

// positionResult holds the values of a position: of the options of the seat to move or, for
// a chance position, of the outcomes.
type positionResult struct {
	Title    string             `json:"game"`
	Players  int                `json:"players"`
	Position string             `json:"position"`
	Method   string             `json:"method"` // of the Valuer
	Exact    bool               `json:"exact"`
	About    string             `json:"about,omitempty"` // what intervals cover
	Seat     int                `json:"seat"`            // to which the values are
	Options  []analysis.Option  `json:"options,omitempty"`
	Outcomes []analysis.Outcome `json:"outcomes,omitempty"`

	spec game.Spec
}

func positionCommand(s *session) work {
	text := s.Operands("POSITION", 1, 1)
	p := s.pricer()
	s.name = s.Game()
	p.cacheDir = s.name.CacheDir
	s.Example("go run ./cmd/eval position -game pig '37-52@0 turn 14'")
	return func(ctx context.Context) (result, error) {
		if err := p.check(); err != nil {
			return nil, err
		}
		return p.position(ctx, (*text)[0])
	}
}

func (p *pricer) position(ctx context.Context, text string) (result, error) {
	g, err := p.name.Open()
	if err != nil {
		return nil, err
	}
	at, err := g.Parse(text)
	if err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	v, err := p.valuer(ctx, g)
	if err != nil {
		return nil, err
	}
	r := &positionResult{Title: g.Spec().Title, Players: g.Spec().Players, Position: at.String(), Method: v.Method(), Exact: v.Exact(), About: v.About(), spec: g.Spec()}
	switch who := at.CurrentPlayer(); who {
	case game.Terminal:
		return nil, cli.Usagef("the game is over at this position")
	case game.Chance:
		r.Outcomes, err = analysis.Outcomes(ctx, at, v, r.Seat)
	default:
		r.Seat = int(who)
		r.Options, err = analysis.Decide(ctx, g, at, v)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (r *positionResult) print(b *strings.Builder, _ game.Spec) {
	p := newPriceText(r.spec)
	fmt.Fprintf(b, "%s: %s\nValues to seat %d in %s, ", r.spec.FullTitle(), r.Position, r.Seat, p.unit)
	if r.Exact {
		b.WriteString("exact, under best play.\n\n")
	} else {
		fmt.Fprintf(b, "estimated by %s.\n%s\n\n", r.Method, r.About)
	}
	rows := [][]string{{"option", "value", "regret"}}
	if r.Outcomes != nil {
		rows[0] = []string{"outcome", "probability", "value"}
	}
	for _, o := range r.Options {
		rows = append(rows, []string{o.Action, p.number(o.Value), p.number(o.Regret)})
	}
	for _, o := range r.Outcomes {
		rows = append(rows, []string{o.Outcome, figure.Percent(o.Prob, 4) + " %", p.number(o.Value)})
	}
	cli.Columns(b, "l", rows)
}
