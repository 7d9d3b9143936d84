package main

import (
	"context"
	"fmt"
	"strings"

	"marsgym/agents"
	"marsgym/eval"
)

// price returns the mistakes of an agent, or nil if nobody asked for them.
func (s *session) price(ctx context.Context, a *agents.Agent) (*eval.MistakeReport, error) {
	if s.blunders == 0 {
		return nil, nil
	}
	j, err := s.judge(ctx)
	if err != nil {
		return nil, err
	}
	s.total += s.spec.Players
	b, err := j.Mistakes(ctx, a, s.blunders)
	return &b, err
}

// printBlunders writes mistakes, if there are any to write.
func printBlunders(b *strings.Builder, r *eval.MistakeReport) {
	if r == nil {
		return
	}
	fmt.Fprintf(b, "\nMistakes of %s, in each seat equally often, with exact in the others:\n\n", r.Agent)
	fmt.Fprintf(b, "  cost                 %s   of win probability, all of them\n", percent(r.Loss))
	for seat, loss := range r.LossBySeat {
		fmt.Fprintf(b, "    in seat %d          %s\n", seat, percent(loss))
	}
	fmt.Fprintf(b, "  mistakes a game      %10.6f\n", r.Mistakes)
	fmt.Fprintf(b, "  blunders a game      %10.6f     mistakes that lose more than %g %%\n", r.LargeMistakes, 100*r.Threshold)
	accounts(b, "mistake", r.Kinds, r.Loss)
	accounts(b, "situation", r.Situations, r.Loss)
	if len(r.Worst) == 0 {
		return
	}
	fmt.Fprintf(b, "\n  The dearest. Cost = reach × prob × regret; a position stands for all that offer\n  the same choice, reach is how often a game comes to one, prob is of the mistake.\n")
	width := len("position")
	for _, x := range r.Worst {
		width = max(width, len(x.Position))
	}
	fmt.Fprintf(b, "\n  %10s  %9s  %6s  %9s  %-*s  %-8s  %s\n", "cost, %", "reach, %", "prob", "regret, %", width, "position", "did", "better")
	for _, x := range r.Worst {
		fmt.Fprintf(b, "  %10.6f  %9.5f  %6.4f  %9.5f  %-*s  %-8s  %s\n", 100*x.Cost, 100*x.Reach, x.Prob, 100*x.Regret, width, x.Position, x.Action, x.Best)
	}
}

// accounts writes what mistakes come to, by name.
func accounts(b *strings.Builder, title string, list []eval.MistakeGroup, total float64) {
	if len(list) == 0 {
		return
	}
	width := len(title)
	for _, x := range list {
		width = max(width, len(x.Name))
	}
	fmt.Fprintf(b, "\n  %-*s  %10s  %10s  %7s\n", width, title, "a game", "cost, %", "share")
	for _, x := range list {
		fmt.Fprintf(b, "  %-*s  %10.6f  %10.6f  %5.1f %%\n", width, x.Name, x.Times, 100*x.Cost, 100*x.Cost/total)
	}
}
