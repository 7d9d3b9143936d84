package main

import (
	"context"
	"fmt"
	"strings"

	"marsgym/agents"
	"marsgym/eval"
	"marsgym/internal/cli"
	"marsgym/internal/figure"
)

// findMistakes returns the mistakes of an agent, or nil without -mistakes.
func (s *session) findMistakes(ctx context.Context, a *agents.Agent) (*eval.MistakeReport, error) {
	if s.mistakes == 0 {
		return nil, nil
	}
	e, err := s.exact(ctx)
	if err != nil {
		return nil, err
	}
	s.total += s.spec.Players
	r, err := e.Mistakes(ctx, a, s.mistakes)
	return &r, err
}

// printMistakes writes a report, if there is one.
func printMistakes(b *strings.Builder, r *eval.MistakeReport) {
	if r == nil {
		return
	}
	fmt.Fprintf(b, "\nMistakes of %s, in each seat equally often, with exact in the others:\n\n", r.Agent)
	fmt.Fprintf(b, "  cost                 %s   loss of win probability by all mistakes\n", cli.Percent(r.Loss))
	for seat, loss := range r.LossBySeat {
		fmt.Fprintf(b, "    in seat %d          %s\n", seat, cli.Percent(loss))
	}
	fmt.Fprintf(b, "  mistakes a game      %10s\n", figure.Digits(r.Mistakes, 6))
	fmt.Fprintf(b, "  large mistakes       %10s     a game, with a regret above %g %%\n", figure.Digits(r.LargeMistakes, 6), 100*r.Threshold)
	printGroups(b, "mistake", r.Kinds, r.Loss)
	printGroups(b, "situation", r.Situations, r.Loss)
	if len(r.Worst) == 0 {
		return
	}
	fmt.Fprintf(b, "\n  The worst mistakes by cost = reach × prob × regret. A position stands for all with\n  the same decision. Reach is the expected number of these decisions in a game, and\n  prob the probability of the action.\n")
	width := len("position")
	for _, x := range r.Worst {
		width = max(width, len(x.Position))
	}
	fmt.Fprintf(b, "\n  %10s  %9s  %6s  %9s  %-*s  %-8s  %s\n", "cost, %", "reach, %", "prob", "regret, %", width, "position", "action", "best")
	for _, x := range r.Worst {
		fmt.Fprintf(b, "  %10s  %9s  %6s  %9s  %-*s  %-8s  %s\n", figure.Percent(x.Cost, 6), figure.Percent(x.Reach, 5), figure.Digits(x.Prob, 4), figure.Percent(x.Regret, 5), width, x.Position, x.Action, x.Best)
	}
}

func printGroups(b *strings.Builder, title string, list []eval.MistakeGroup, total float64) {
	if len(list) == 0 {
		return
	}
	rows := [][]string{{title, "a game", "cost, %", "of total"}}
	for _, x := range list {
		rows = append(rows, []string{x.Name, figure.Digits(x.Times, 6), figure.Percent(x.Cost, 6), figure.Percent(x.Cost/total, 1) + " %"})
	}
	b.WriteByte('\n')
	cli.Columns(b, "l", rows)
}
