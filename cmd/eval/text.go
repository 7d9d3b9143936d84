package main

import (
	"fmt"
	"slices"
	"strings"

	"marsgym/env/game"
	"marsgym/eval"
	"marsgym/internal/cli"
	"marsgym/internal/figure"
)

func (r *pairResult) print(b *strings.Builder, spec game.Spec) {
	fmt.Fprintf(b, "%s: %s against %s. Exact; no game is sampled.\n\n", spec.FullTitle(), r.A, r.B)
	fmt.Fprintf(b, "  wins moving first    %s\n", cli.Percent(r.WinFirst))
	fmt.Fprintf(b, "  wins moving second   %s\n", cli.Percent(r.WinSecond))
	fmt.Fprintf(b, "  wins                 %s   mean of both\n", cli.Percent(r.Win))
	fmt.Fprintf(b, "  exploitability       %s   what a best response to %s wins above one half\n\n", cli.Percent(r.Exploitability), r.A)
	b.WriteString(cost(r.A, r.Cost))
	if m := r.Match; m != nil {
		verdict := "contains"
		if !m.Within {
			verdict = "does not contain"
		}
		fmt.Fprintf(b, "\n  Cross-check by a match of %d games from seed %d:\n\n", m.Games, m.Seed)
		fmt.Fprintf(b, "  wins                 %s   %s,\n", cli.Percent(m.Win[0]), cli.Interval(m.Confidence, m.Low[0], m.High[0]))
		fmt.Fprintf(b, "  %36s which %s the exact %s %%\n", "", verdict, figure.Percent(r.Win, 3))
		m.VarianceReduction = 0 // the exact value is known
		b.WriteString(m.Notes())
	}
	printMistakes(b, r.Mistakes)
}

func (r *multiplayerResult) print(b *strings.Builder, spec game.Spec) {
	fmt.Fprintf(b, "%s. Exact; no game is sampled.\n\n", spec.FullTitle())
	width, model := cli.Widest(r.Seats), r.Seats[0]
	for i, name := range r.Seats {
		fmt.Fprintf(b, "  seat %d  %-*s  wins %s\n", i, width, name, cli.Percent(r.Win[i]))
	}
	fmt.Fprintf(b, "\n%s in each seat, with the others after it in this order:\n\n", model)
	for i, win := range r.WinBySeat {
		fmt.Fprintf(b, "  wins in seat %d       %s\n", i, cli.Percent(win))
	}
	fmt.Fprintf(b, "  wins                 %s   mean of all; the fair share is %.6f %%\n", cli.Percent(r.Mean), 100*r.Fair)
	fmt.Fprintf(b, "  exploitability       %s   what a best response to %s wins above the fair share\n\n", cli.Percent(r.Exploitability), model)
	b.WriteString(cost(model, r.Cost))
	printMistakes(b, r.Mistakes)
}

func (r *turnsResult) print(b *strings.Builder, spec game.Spec) {
	fmt.Fprintf(b, "%s. Exact; no game is sampled.\n\n", spec.FullTitle())
	width := cli.Widest(r.Seats)
	for i, name := range r.Seats {
		fmt.Fprintf(b, "  seat %d  %-*s  takes %.9f %s on average\n", i, width, name, r.Turns[i], spec.Unit)
	}
	b.WriteString("\n" + cost(r.Seats[0], r.Cost))
}

func (r *tableResult) print(b *strings.Builder, spec game.Spec) {
	if spec.Players == 2 {
		fmt.Fprintf(b, "%s: how often the agent of a row beats that of a column, in %%, and the\nexploitability and Elo rating of each. Exact; the mean of both seats.\n\n", spec.FullTitle())
	} else {
		fmt.Fprintf(b, "%s: what one agent of a row wins with that of a column in all other seats,\nin %%, and the exploitability and Elo rating of each. Exact; the mean of all seats;\nthe fair share is %.5f.\n\n", spec.FullTitle(), 100*r.Fair)
	}
	grid(b, r.Agents, []string{"exploitability", "rating"}, "rr", func(i int) (row []string) {
		for _, w := range r.Win[i] {
			row = append(row, figure.Percent(w, 5))
		}
		return append(row, figure.Percent(r.Exploitability[i], 5), figure.Fixed(r.Rating[i], 1))
	})
}

// grid writes a row of cells for each agent: a column for each agent, and those of more, which
// align aligns like [cli.Columns].
func grid(b *strings.Builder, agents, more []string, align string, cells func(i int) []string) {
	rows := [][]string{slices.Concat([]string{""}, agents, more)}
	for i, name := range agents {
		rows = append(rows, append([]string{name}, cells(i)...))
	}
	cli.Columns(b, "l"+strings.Repeat("r", len(agents))+align, rows)
}

func cost(name string, c eval.Cost) string {
	calls := ""
	if c.Rows > 0 && c.Rows != c.Decisions {
		calls = fmt.Sprintf(" by evaluating %d states", c.Rows)
	}
	return fmt.Sprintf("  The policy of %s was tabulated in all %d decisions%s, in %.2f s.\n", name, c.Decisions, calls, c.Seconds)
}
