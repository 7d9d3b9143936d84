package main

import (
	"errors"
	"fmt"
	"strings"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/cli"
	"marsgym/internal/figure"
)

// odds is the answer of a game to a question about odds.
type odds struct {
	Game   string       `json:"game"`
	Odds   string       `json:"odds"` // the question
	Tables []game.Table `json:"tables"`

	title string
}

func oddsTables(g env.Game, question string) (*odds, error) {
	tables, err := g.OddsTables(question)
	if errors.Is(err, game.ErrNoOdds) {
		return nil, fmt.Errorf("-odds: %w", err)
	}
	if err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	return &odds{g.Spec().ID, question, tables, g.Spec().Title}, nil
}

func (o *odds) print(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %s\n", o.title, o.Odds)
	for _, t := range o.Tables {
		fmt.Fprintf(b, "\n%s\n\n", t.Title)
		rows := [][]string{nil}
		for _, name := range t.Columns {
			rows[0] = append(rows[0], strings.ReplaceAll(name, "_", " "))
		}
		for _, row := range t.Rows {
			var cells []string
			for _, x := range row {
				cells = append(cells, cell(x))
			}
			rows = append(rows, cells)
		}
		cli.Columns(b, "", rows)
	}
}

func cell(x any) string {
	if p, ok := x.(float64); ok {
		return figure.Digits(p, 6)
	}
	return fmt.Sprint(x)
}
