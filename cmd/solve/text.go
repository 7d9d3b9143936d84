package main

import (
	"fmt"
	"strings"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/cli"
	"marsgym/internal/figure"
)

func (a *answer) print(b *strings.Builder, spec game.Spec, at env.Position) {
	fmt.Fprintf(b, "%s, under best play from %s\n\n%s\n\n", spec.FullTitle(), a.Position, indent(at.Render(message.Speaker{})))
	for i := range a.Players {
		if spec.HasWin() {
			fmt.Fprintf(b, "  seat %d wins  %s\n", i, cli.Percent(a.Win[i]))
		} else {
			fmt.Fprintf(b, "  seat %d takes  %s %s on average\n", i, figure.Digits(a.Turns[i], 9), spec.Unit)
		}
	}
	b.WriteByte('\n')
	if mover := at.CurrentPlayer(); mover >= 0 {
		a.printOptions(b, spec, at)
	} else if mover == game.Chance {
		b.WriteString("  Chance decides next; no seat has a choice here.\n\n")
		a.printOutcomes(b)
	}
	if a.Players > 2 {
		b.WriteString("  With more than two players this is one of several equilibria; the documentation\n  of the game's package describes it.\n\n")
	}
	for _, f := range a.facts {
		fmt.Fprintf(b, "  %s: %.12g\n", strings.ReplaceAll(f.Name, "_", " "), f.Value)
	}
	fmt.Fprintf(b, "  largest error of the optimality equations: %.1e\n", a.Residual)
	if a.Starts > 0 {
		fmt.Fprintf(b, "  positions with a value: %d, in %s of memory\n", a.Starts, memory(a.Bytes))
	}
	fmt.Fprintf(b, "  computed in %.2f s\n", a.Seconds)
}

func (a *answer) printOptions(b *strings.Builder, spec game.Spec, at env.Position) {
	unit := "wins"
	if !spec.HasWin() {
		unit = spec.Unit
	}
	rows := [][]string{{fmt.Sprintf("seat %d chooses", at.CurrentPlayer()), unit, "regret", ""}}
	legal := at.Legal()
	for i, o := range a.Options {
		var value, regret string
		if spec.HasWin() {
			value, regret = cli.Percent(*o.Win), cli.Percent(o.Regret)
		} else {
			value, regret = fmt.Sprintf("%12s", figure.Digits(*o.Turns, 9)), fmt.Sprintf("%12s", figure.Digits(o.Regret, 9))
		}
		if o.Regret <= game.Tie {
			regret = fmt.Sprintf("%12s", "best")
		}
		rows = append(rows, []string{o.Action, value, regret, at.DescribeAction(legal[i]).String()})
	}
	cli.Columns(b, "lrrl", rows)
	b.WriteByte('\n')
}

// mostOutcomes bounds the outcomes that are listed. Chosen: they fit on a screen.
const mostOutcomes = 20

func (a *answer) printOutcomes(b *strings.Builder) {
	if n := len(a.Outcomes); n > mostOutcomes {
		fmt.Fprintf(b, "  %d outcomes; -json lists them\n\n", n)
		return
	}
	rows := [][]string{{"outcome", "probability"}}
	for i := range a.Players {
		rows[0] = append(rows[0], fmt.Sprintf("seat %d", i))
	}
	for _, o := range a.Outcomes {
		row := []string{o.Outcome, cli.Percent(o.Prob)}
		for _, x := range o.Win {
			row = append(row, cli.Percent(x))
		}
		for _, x := range o.Turns {
			row = append(row, fmt.Sprintf("%12s", figure.Digits(x, 9)))
		}
		rows = append(rows, row)
	}
	cli.Columns(b, "l", rows)
	b.WriteByte('\n')
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
