package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/cli"
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

// print writes the tables as text.
func (o *odds) print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", o.title, o.Odds)
	for _, t := range o.Tables {
		fmt.Fprintf(&b, "\n%s\n\n", t.Title)
		lines := make([]string, 1+len(t.Rows))
		for k, name := range t.Columns {
			column := []string{strings.ReplaceAll(name, "_", " ")}
			for _, row := range t.Rows {
				column = append(column, cell(row[k]))
			}
			width := 0
			for _, text := range column {
				width = max(width, len(text))
			}
			for i, text := range column {
				lines[i] += fmt.Sprintf("  %*s", width, text)
			}
		}
		b.WriteString(strings.Join(lines, "\n") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell formats an entry of a table.
func cell(x any) string {
	if p, ok := x.(float64); ok {
		return fmt.Sprintf("%.6f", p)
	}
	return fmt.Sprint(x)
}
