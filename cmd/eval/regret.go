package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"marsgym/agents"
	"marsgym/env/game"
	"marsgym/eval/regret"
	"marsgym/internal/cli"
	"marsgym/internal/figure"
)

// regretGames is the default of -games. Chosen: the intervals of good agents are about half a percent
// wide.
const regretGames = 400

func regretCommand(s *session) work {
	s.StringVar(&s.model, "model", "", "`agent` to measure: a name, a model file or a run folder")
	s.List(&s.against, "against", "`agents` in the other seats: one for all, or one per seat (default exact)")
	s.IntVar(&s.games, "games", regretGames, "`number` of games")
	worst := s.Int("mistakes", 10, "list this `number` of the worst mistakes")
	calls := s.Int("calls", 0, "decide at most this `number` of times (default without a bound)")
	file := s.String("checkpoint", "", "save each game in this `file`; the same command continues it")
	s.Policy(&s.sample)
	s.Uint64Var(&s.seed, "seed", 1, "`seed` of the dice, and of searches")
	s.name = s.Game()
	s.Example("go run ./cmd/eval regret -model search:800 -checkpoint search.jsonl")
	return func(ctx context.Context) (result, error) {
		switch {
		case s.model == "":
			return nil, errNoModel
		case *worst < 0 || *calls < 0:
			return nil, cli.Usagef("-mistakes and -calls want a number from 0 on")
		case s.games > regret.MaxGames:
			return nil, cli.Usagef("-games is %d; want at most %d", s.games, regret.MaxGames)
		}
		return s.evaluate(ctx, append([]string{s.model}, s.against...), func(ctx context.Context) (result, error) {
			if err := s.checkMatch(); err != nil {
				return nil, err
			}
			solution, err := s.agents.Solve(ctx)
			if errors.Is(err, game.ErrNoSolution) {
				return nil, fmt.Errorf("%w; play a match: %s", err, cli.Command("eval match", "-game", s.spec.ID, "-model", s.model, "-against", agents.BestBot(s.agents.Game)))
			}
			if err != nil {
				return nil, err
			}
			seats, _, err := s.seats(ctx, true)
			if err != nil {
				return nil, err
			}
			identity, err := regret.Identity(seats[0])
			if err != nil {
				return nil, err
			}
			r, err := regret.Measure(ctx, s.agents.Game, solution, regret.Agent(seats[0]), seats[0].Name, regret.Options{
				Games: s.games, Seed: s.seed, Others: seats[1:], Concurrency: runtime.GOMAXPROCS(0), MaxCalls: *calls,
				File: *file, Identity: identity, Worst: *worst, Progress: s.playing,
			})
			if err != nil && *file != "" && errors.Is(err, context.Canceled) {
				fmt.Fprintf(s.bar, "%s: the games that ended are kept; to go on:\n\n\t%s\n", s.Name(), cli.Command(s.Name(), s.Arguments()...))
			}
			if err != nil {
				return nil, err
			}
			return &regretResult{r}, nil
		})
	}
}

// regretResult is the result of a measurement.
type regretResult struct{ *regret.Report }

func (r *regretResult) print(b *strings.Builder, spec game.Spec) {
	fmt.Fprintf(b, "%s. %s in %d games from seed %d against %s, in each seat in turn.\n\n", spec.FullTitle(), r.Agent, r.Games, r.Seed, strings.Join(r.Others, ", "))
	fmt.Fprintf(b, "  wins                 %s   %s, by sampled regret\n", cli.Percent(r.Win), cli.Interval(r.Confidence, r.Low, r.High))
	fmt.Fprintf(b, "  regret a game        %s\n", cli.Percent(r.Regret))
	fmt.Fprintf(b, "  regret a decision    %s   in %d decisions, of which %d are mistakes\n", cli.Percent(r.RegretPerDecision), r.Decisions, r.Mistakes)
	if r.VarianceReduction > 0 {
		fmt.Fprintf(b, "  results alone would need %s times as many games for this interval\n", figure.Digits(r.VarianceReduction, 3))
	}
	if r.Few {
		b.WriteString("  Few games differ, so the interval may be too narrow; play more by -games.\n")
	}
	if r.Stopped {
		b.WriteString("  The bound of -calls ended the measurement.\n")
	}
	if r.Truncated > 0 {
		fmt.Fprintf(b, "  %d games reached the move limit; they count by the value of their last position.\n", r.Truncated)
	}
	if len(r.Worst) == 0 {
		return
	}
	rows := [][]string{{"regret, %", "times", "action", "best", "position"}}
	for _, x := range r.Worst {
		rows = append(rows, []string{figure.Percent(x.Regret, 5), fmt.Sprint(x.Times), x.Action, x.Best, x.Position})
	}
	b.WriteString("\n  The worst mistakes:\n\n")
	cli.Columns(b, "rrlll", rows)
}
