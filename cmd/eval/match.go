package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"marsgym/agents"
	"marsgym/env/game"
	"marsgym/env/record"
	"marsgym/eval"
	"marsgym/internal/atomicfile"
	"marsgym/internal/cli"
	"marsgym/internal/figure"
)

// most bounds the agents, runs and files of a command line. Chosen: more are a mistake.
const most = 1000

// Defaults of -games. Chosen: the intervals are a few percent wide, and agents that do
// not search take seconds.
const (
	defaultGames    = 10_000
	tournamentGames = 2_000     // of each match
	sequentialGames = 1_000_000 // at most
)

func matchCommand(s *session) work {
	s.seatFlags()
	s.IntVar(&s.games, "games", 0, fmt.Sprintf("`number` of games (default %d; %d with -sequential)", defaultGames, sequentialGames))
	margin := s.Float64("sequential", 0, "play until the model is found stronger, weaker, or within this `margin` of the fair share, such as 0.01")
	s.Example("go run ./cmd/eval match -model search -against greedy -sequential 0.01")
	return func(ctx context.Context) (result, error) {
		switch {
		case s.model == "":
			return nil, errNoModel
		case s.Given("sequential") && !(*margin > 0 && *margin < 1):
			return nil, cli.Usagef("-sequential is %v; want a margin between 0 and 1 such as 0.01", *margin)
		case *margin > 0 && s.record != "":
			return nil, cli.Usagef("-record is for matches without -sequential")
		}
		return s.evaluate(ctx, append([]string{s.model}, s.against...), func(ctx context.Context) (result, error) {
			if err := s.checkMatch(); err != nil {
				return nil, err
			}
			seats, _, err := s.seats(ctx, false)
			if err != nil {
				return nil, err
			}
			if *margin == 0 {
				return s.match(ctx, seats)
			}
			opt := eval.SequentialOptions{Margin: *margin, Games: cmp.Or(s.games, sequentialGames), Executor: s.executor}
			m, err := eval.PlaySequential(ctx, s.agents.Game, seats, opt, s.seed, s.playing)
			return &sequentialResult{m}, err
		})
	}
}

func (s *session) playing(done float64) { s.bar.Set(done, "playing") }

// matchResult is the result of a match.
type matchResult struct{ eval.Match }

func (s *session) match(ctx context.Context, seats []*agents.Agent) (result, error) {
	m, err := s.duplicate(ctx, seats, cmp.Or(s.games, defaultGames))
	return &matchResult{m}, err
}

// duplicate plays a match and, with -record, writes its games.
func (s *session) duplicate(ctx context.Context, seats []*agents.Agent, games int) (m eval.Match, err error) {
	if s.record == "" {
		return eval.RecordDuplicate(ctx, s.executor, s.agents.Game, seats, games, s.seed, s.playing, nil)
	}
	err = atomicfile.Write(s.record, func(w io.Writer) (err error) {
		b := bufio.NewWriter(w)
		m, err = eval.RecordDuplicate(ctx, nil, s.agents.Game, seats, games, s.seed, s.playing, func(g *record.Game) error { return g.Write(b) })
		return cmp.Or(err, b.Flush())
	})
	return m, err
}

func (r *matchResult) print(b *strings.Builder, spec game.Spec) {
	fmt.Fprintf(b, "%s. A duplicate match of %d games from seed %d; each agent plays in every seat.\n\n", spec.FullTitle(), r.Games, r.Seed)
	width := cli.Widest(r.Seats)
	for i, name := range r.Seats {
		fmt.Fprintf(b, "  %-*s  wins %s   %s\n", width, name, cli.Percent(r.Win[i]), cli.Interval(r.Confidence, r.Low[i], r.High[i]))
	}
	b.WriteString(r.Notes())
}

// sequentialResult is the result of a sequential match.
type sequentialResult struct{ eval.SequentialMatch }

func (r *sequentialResult) print(b *strings.Builder, spec game.Spec) {
	model, others := r.Seats[0], strings.Join(r.Seats[1:], ", ")
	fmt.Fprintf(b, "%s. A sequential duplicate match from seed %d; each agent plays in every seat.\n\n", spec.FullTitle(), r.Seed)
	switch r.Verdict {
	case eval.Equal:
		fmt.Fprintf(b, "  %s is as strong as %s, within %g %% of the win.\n", model, others, 100*r.Margin)
	case eval.Open:
		fmt.Fprintf(b, "  Undecided; allow more games by -games.\n")
	default:
		fmt.Fprintf(b, "  %s is %s than %s.\n", model, r.Verdict, others)
	}
	fmt.Fprintf(b, "  It wins %s, %s; the fair share is %.3f %%.\n", strings.TrimSpace(cli.Percent(r.Win[0])), cli.Interval(r.Confidence, r.Low[0], r.High[0]), 100*r.Fair)
	fmt.Fprintf(b, "  %d games; the verdict is wrong with a probability of at most %.0f %%.\n", r.Games, 100*(1-r.Confidence))
	b.WriteString(r.Notes())
}

// tournamentResult is the result of a tournament.
type tournamentResult struct{ eval.Tournament }

func tournamentCommand(s *session) work {
	operands := s.Operands("AGENT AGENT...", 1, most)
	s.IntVar(&s.games, "games", tournamentGames, "`number` of games in each match")
	s.gameFlags()
	s.Example("go run ./cmd/eval tournament -games 100 greedy random search:50")
	s.Example("go run ./cmd/eval tournament greedy runs/pig@...")
	return func(ctx context.Context) (result, error) {
		names, err := agents.History(*operands)
		if err != nil {
			return nil, &cli.UsageError{Err: err}
		}
		if len(names) < 2 {
			return nil, cli.Usagef("an argument is missing; want AGENT AGENT...")
		}
		return s.evaluate(ctx, names, func(ctx context.Context) (result, error) {
			if err := s.checkMatch(); err != nil {
				return nil, err
			}
			entrants, err := s.agents.OpenAll(ctx, names)
			if err != nil {
				return nil, err
			}
			t, err := eval.ResumeTournament(ctx, s.executor, s.agents.Game, entrants, s.games, s.seed, nil, nil, s.playing)
			return &tournamentResult{t}, err
		})
	}
}

func (r *tournamentResult) print(b *strings.Builder, spec game.Spec) {
	what := "how often the agent of a row has beaten that of a column"
	matches := len(r.Agents) * (len(r.Agents) - 1)
	if spec.Players > 2 {
		what = "what one agent of a row has won with that of a column in all other seats"
	} else {
		matches /= 2
	}
	fmt.Fprintf(b, "%s: %s,\nin %%, in %d matches of %d games each, from seed %d. Each agent plays in every seat;\nthe fair share is %.2f.\n\n",
		spec.FullTitle(), what, matches, r.Games/matches, r.Seed, 100*r.Fair)
	grid(b, r.Agents, []string{"rating", "interval"}, "rl", func(i int) (row []string) {
		for k, w := range r.Win[i] {
			if i == k {
				row = append(row, "-")
			} else {
				row = append(row, figure.Percent(w, 2))
			}
		}
		bounds := r.Interval(i).String()
		if r.Agents[i] == r.Anchor {
			bounds = "anchor"
		}
		return append(row, figure.Fixed(r.Rating[i], 1), bounds)
	})
	fmt.Fprintf(b, "\n  Elo ratings and their %.0f %% intervals are relative to the anchor, %s. Ratings are\n  smoothed: they count one further set of %d games a match, in which all win alike, so\n  that each is finite. Intervals leave it out.\n",
		100*r.Confidence, r.Anchor, r.PriorGames)
	if r.Truncated > 0 {
		fmt.Fprintf(b, "  %d of the games reached the move limit: nobody has won them. Ratings count them as shared by all.\n", r.Truncated)
	}
}
