package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"marsgym/analysis"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/internal/cli"
)

// positionResult holds the values of a position: of the options of the seat to move or, for
// a chance position, of the outcomes.
type positionResult struct {
	Title    string             `json:"game"`
	Players  int                `json:"players"`
	Position string             `json:"position"`
	Method   string             `json:"method"` // of the Valuer
	Exact    bool               `json:"exact"`
	Seat     int                `json:"seat"` // to which the values are
	Options  []analysis.Option  `json:"options,omitempty"`
	Outcomes []analysis.Outcome `json:"outcomes,omitempty"`

	spec game.Spec
}

// valuePosition values the position of -position.
func (p *pricer) valuePosition(ctx context.Context) (result, error) {
	g, err := cli.OpenGame(p.name, catalog.Open)
	if err != nil {
		return nil, err
	}
	at, err := g.Parse(p.position)
	if err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	v, err := p.valuer(ctx, g)
	if err != nil {
		return nil, err
	}
	r := &positionResult{Title: g.Spec().Title, Players: g.Spec().Players, Position: at.String(), Method: v.Method(), Exact: v.Exact(), spec: g.Spec()}
	switch who := at.CurrentPlayer(); who {
	case game.Terminal:
		return nil, cli.Usagef("-position: the game is over there")
	case game.Chance:
		r.Outcomes, err = analysis.Outcomes(ctx, at, v, r.Seat)
	default:
		r.Seat = int(who)
		r.Options, err = analysis.Decide(ctx, g, at, v)
	}
	if err != nil {
		return nil, fmt.Errorf("-position: %w", err)
	}
	return r, nil
}

func (r *positionResult) print(w io.Writer, _ game.Spec) error {
	p := priceText{1, r.spec.Unit}
	if r.spec.HasWin() {
		p = priceText{100, "%"}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s for %d: %s\nValues to seat %d in %s, ", r.Title, r.Players, r.Position, r.Seat, p.unit)
	if r.Exact {
		b.WriteString("exact, under best play.\n\n")
	} else {
		fmt.Fprintf(&b, "estimated by %s; behind ±, half of the %.0f %% interval.\n\n", r.Method, 100*analysis.Confidence)
	}
	rows := [][]string{{"option", "value", "regret"}}
	if r.Outcomes != nil {
		rows[0] = []string{"outcome", "probability", "value"}
	}
	for _, o := range r.Options {
		rows = append(rows, []string{o.Action, p.number(o.Value), p.number(o.Regret)})
	}
	for _, o := range r.Outcomes {
		rows = append(rows, []string{o.Outcome, fmt.Sprintf("%.4f %%", 100*o.Prob), p.number(o.Value)})
	}
	columns(&b, rows, 1)
	_, err := io.WriteString(w, b.String())
	return err
}
