package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"marsgym/analysis"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/record"
)

// Review is the analysis of a part of a game.
type Review struct {
	Method string         `json:"method"`
	Exact  bool           `json:"exact"`
	From   int            `json:"from"`
	Points []Point        `json:"points"` // after From steps, From+1 and so on
	Prices *analysis.Game `json:"prices,omitempty"`
}

// Point is the value of a position of a game.
type Point struct {
	Mover  int               `json:"mover"`  // of the position
	Values []analysis.Number `json:"values"` // [P]
}

// review values the positions of Address from step From to step To. Where values are
// exact it prices the decisions too.
func (a *App) review(ctx context.Context, r *Request) (any, error) {
	g, _, err := r.position()
	if err != nil {
		return nil, err
	}
	to := len(g.rec.Steps)
	if r.To != 0 {
		to = r.To
	}
	if r.From < 0 || r.From > to || to > len(g.rec.Steps) {
		return nil, fmt.Errorf("the steps %d to %d; the game has %d", r.From, to, len(g.rec.Steps))
	}
	v := &Review{From: r.From}
	err = a.compute(ctx, func(ctx context.Context) error {
		valuer, err := a.valuer(ctx, g.game, r.Seed, r.Rollouts)
		if err != nil {
			return err
		}
		v.Method, v.Exact = valuer.Method(), valuer.Exact()
		positions := make([]env.Position, 0, to-r.From+1)
		for i := r.From; i <= to; i++ {
			positions = append(positions, g.at(i))
		}
		values, err := valuer.Values(ctx, positions)
		if err != nil {
			return err
		}
		for i, x := range values {
			v.Points = append(v.Points, Point{int(positions[i].CurrentPlayer()), numbers(x)})
		}
		if v.Exact && to > r.From {
			part := *g.rec
			part.Steps = part.Steps[r.From:to]
			v.Prices, err = analysis.Analyse(ctx, &part, valuer)
		}
		return err
	})
	return v, err
}

// maxGames bounds the number of games of a report, and of a text. Chosen.
const maxGames = 200

// report sums up Games, which must be of the same rules and solved: the mistakes and the
// rating of each player.
func (a *App) report(ctx context.Context, r *Request) (any, error) {
	if len(r.Games) == 0 || len(r.Games) > maxGames {
		return nil, fmt.Errorf("there are %d games; want 1 to %d", len(r.Games), maxGames)
	}
	var report *analysis.Report
	err := a.compute(ctx, func(ctx context.Context) error {
		var valuer analysis.Valuer
		var spec game.Spec
		var priced []*analysis.Game
		for i, address := range r.Games {
			g, err := address.replay()
			if err != nil {
				return fmt.Errorf("game %d: %w", i+1, err)
			}
			if i == 0 {
				spec = g.spec
				if !a.solved(g.game) {
					return fmt.Errorf("%s for %d: %w; a report needs exact values", spec.Title, spec.Players, game.ErrNoSolution)
				}
				if valuer, err = a.valuer(ctx, g.game, 0, 0); err != nil {
					return err
				}
			}
			if g.spec.RulesHash() != spec.RulesHash() {
				return errors.New("the games are of different rules")
			}
			if len(g.rec.Steps) == 0 {
				continue
			}
			p, err := analysis.Analyse(ctx, g.rec, valuer)
			if err != nil {
				return err
			}
			p.Decisions = nil // the page has them from review
			priced = append(priced, p)
		}
		report = analysis.NewReport(spec, valuer, priced, 0)
		return nil
	})
	return report, err
}

// read returns the addresses of the games in Text.
func (a *App) read(_ context.Context, r *Request) (any, error) {
	var list []Address
	for g, err := range record.Read(strings.NewReader(r.Text), catalog.Open) {
		if err != nil {
			return nil, err
		}
		if len(list) == maxGames {
			return nil, fmt.Errorf("the text holds more than %d games", maxGames)
		}
		address, err := addressOf(g)
		if err != nil {
			return nil, fmt.Errorf("game %d: %w", len(list)+1, err)
		}
		list = append(list, address)
	}
	if list == nil {
		return nil, errors.New("the text holds no game; a game begins with the line \"marsgym game 1\"")
	}
	return map[string][]Address{"games": list}, nil
}

// addressOf returns the address of a recorded game: with its seed if its dice are those of
// the seed, otherwise with its rolls.
func addressOf(g *record.Game) (Address, error) {
	spec := g.Rules.Spec()
	a := Address{Players: spec.Players, Seats: g.Seats}
	a.Game = preset(spec.Players, func(s game.Spec) bool { return s.RulesHash() == spec.RulesHash() })
	if a.Game == "" {
		return a, errors.New("its settings are not those of a game of this page; go run ./cmd/eval -games-file FILE prices it")
	}
	typed := a
	typed.Typed = true
	r, err := typed.replay()
	if err != nil {
		return a, err
	}
	for _, s := range g.Steps {
		name := g.Rules.ActionName(s.Action)
		if s.Chance() {
			name = s.Before.DrawRoll(s.After, r.eyes)
		} else {
			a.Moves = append(a.Moves, name)
		}
		typed.Moves = append(typed.Moves, name)
	}
	if g.Seed == nil {
		return typed, nil
	}
	a.Seed = *g.Seed
	if drawn, err := a.replay(); err == nil && sameText(drawn.rec, g) {
		return a, nil
	}
	return typed, nil
}

// sameText reports whether two games have the same text, up to what is drawn after the
// last action.
func sameText(drawn, g *record.Game) bool {
	if len(drawn.Steps) < len(g.Steps) {
		return false
	}
	drawn.Steps = drawn.Steps[:len(g.Steps)]
	var x, y bytes.Buffer
	return drawn.Write(&x) == nil && g.Write(&y) == nil && x.String() == y.String()
}
