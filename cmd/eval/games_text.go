package main

import (
	"fmt"
	"strings"

	"marsgym/env/game"
	"marsgym/eval/analysis"
	"marsgym/internal/cli"
	"marsgym/internal/figure"
)

// priceText formats the figures of a report: shares of the win in per cent, or returns.
type priceText struct {
	factor float64
	digits func(x float64, decimals int) string // of what is exact, with the factor
	unit   string                               // "%", or that of the returns
}

func newPriceText(spec game.Spec) priceText {
	if spec.HasWin() {
		return priceText{100, figure.Percent, "%"}
	}
	return priceText{1, figure.Digits, spec.Unit}
}

// number formats a figure, and behind ± how far its interval reaches, if it has one.
func (p priceText) number(x analysis.Number) string {
	if reach, ok := x.PlusMinus(); ok {
		return figure.PlusMinus(p.factor*x.Value, p.factor*reach, 2)
	}
	if x.Exact {
		return p.value(x.Value)
	}
	return figure.Fixed(p.factor*x.Value, 2)
}

// mean formats a mean with its interval, if it has one.
func (p priceText) mean(x analysis.Mean) string {
	text := func(x float64) string { return p.digits(x, 2) }
	if x.Interval == nil {
		return text(x.Value)
	}
	return fmt.Sprintf("%s (%s to %s)", text(x.Value), text(x.Interval[0]), text(x.Interval[1]))
}

func (p priceText) value(x float64) string { return p.digits(x, 4) }

func printReport(b *strings.Builder, r *analysis.Report) {
	p := newPriceText(r.Spec)
	fmt.Fprintf(b, "%s: %d recorded games. ", r.Spec.FullTitle(), len(r.Games))
	if r.Exact {
		b.WriteString("Values are exact, those of best play.\n")
	} else {
		fmt.Fprintf(b, "Values are estimated by %s.\n%s\n", r.Method, r.About)
	}
	if r.Unfinished > 0 {
		fmt.Fprintf(b, "%d of the games have no end; their results are the values of their last positions.\n", r.Unfinished)
	}
	fmt.Fprintf(b, "All figures in %s; in brackets the %.0f %% interval of a mean.\n\n", p.unit, 100*r.Confidence)
	p.summary(b, r)
	p.mistakes(b, r)
	p.games(b, r)
	for i, g := range r.Games {
		p.decisions(b, i, g)
	}
}

func (p priceText) summary(b *strings.Builder, r *analysis.Report) {
	rows := [][]string{{"player", "games", "result", "luck", "result − luck", "loss a game", "loss a decision", "mistakes a game", "rating"}}
	for _, s := range r.Summary {
		rating := "-"
		if s.Rating != nil {
			rating = s.Rating.Text
		}
		rows = append(rows, []string{s.Name, fmt.Sprint(s.Games), p.mean(s.Result), p.mean(s.Luck), p.mean(s.Adjusted), p.mean(s.Losses), p.mean(s.Loss), fmt.Sprintf("%.3f", s.Mistakes), rating})
	}
	cli.Columns(b, "l", rows)
}

func (p priceText) mistakes(b *strings.Builder, r *analysis.Report) {
	if len(r.Worst) == 0 {
		return
	}
	b.WriteString("\nThe worst mistakes:\n\n")
	rows := [][]string{{"player", "position", "action", "best", "loss", "game"}}
	for _, m := range r.Worst {
		rows = append(rows, []string{m.Player, m.Position, m.Action, m.Best().Action, p.number(m.Loss), fmt.Sprint(m.Game)})
	}
	cli.Columns(b, "llll", rows)
}

func (p priceText) games(b *strings.Builder, r *analysis.Report) {
	b.WriteString("\nThe games: result = start + luck − losses + others")
	head := []string{"player", "game", "seat", "result", "start", "luck", "losses", "others", "mistakes"}
	if !r.Exact {
		b.WriteString(" + correction")
		head = append(head, "correction")
	}
	b.WriteString("\n\n")
	rows := [][]string{head}
	for i, g := range r.Games {
		for seat, s := range g.Seats {
			row := []string{s.Name, fmt.Sprint(i + 1), fmt.Sprint(seat), p.number(s.Result), p.number(s.Start), p.number(s.Luck), p.number(s.Losses), p.number(s.Others), fmt.Sprint(s.Mistakes)}
			if !r.Exact {
				row = append(row, p.number(s.Correction))
			}
			rows = append(rows, row)
		}
	}
	cli.Columns(b, "l", rows)
}

func (p priceText) decisions(b *strings.Builder, i int, g *analysis.Game) {
	for _, d := range g.Decisions {
		fmt.Fprintf(b, "\nGame %d, %s in seat %d: %s\n\n", i+1, g.Seats[d.Seat].Name, d.Seat, d.Position)
		rows := [][]string{{"", "option", "value", "regret"}}
		for _, o := range d.Options {
			mark := ""
			if o.Action == d.Action {
				mark = ">"
			}
			rows = append(rows, []string{mark, o.Action, p.number(o.Value), p.number(o.Regret)})
		}
		cli.Columns(b, "ll", rows)
	}
}
