package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"marsgym/agents"
	"marsgym/env/game"
	"marsgym/eval"
)

// Defaults of -games. Chosen: the intervals are a few percent wide, after
// seconds with players that do not search.
const (
	defaultGames = 10_000
	poolGames    = 2_000     // of each match
	settleGames  = 1_000_000 // the most
)

func (s *session) playing(done float64) { s.bar.Set(done, "playing") }

// matchResult is the outcome of a match, by agent.
type matchResult struct{ eval.Match }

func (s *session) match(ctx context.Context, seats []*agents.Agent) (result, error) {
	m, err := eval.PlayDuplicate(ctx, s.game, seats, cmp.Or(s.games, defaultGames), s.seed, s.playing)
	return &matchResult{m}, err
}

func (r *matchResult) print(w io.Writer, spec game.Spec) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s for %d. A match of %d games from seed %d, the agents in turn in every seat.\n\n", spec.Title, spec.Players, r.Games, r.Seed)
	width := widest(r.Seats)
	for i, name := range r.Seats {
		fmt.Fprintf(&b, "  %-*s  wins %s   %.0f %% interval %.3f to %.3f %%\n", width, name, percent(r.Win[i]), 100*r.Confidence, 100*r.Low[i], 100*r.High[i])
	}
	b.WriteString(told(r.Match) + cut(r.Match))
	_, err := io.WriteString(w, b.String())
	return err
}

// settledResult is the outcome of a match that stops by itself.
type settledResult struct{ eval.SequentialMatch }

func (s *session) settled(ctx context.Context, seats []*agents.Agent) (result, error) {
	how := eval.SequentialOptions{Margin: s.settle, Games: cmp.Or(s.games, settleGames)}
	m, err := eval.PlaySequential(ctx, s.game, seats, how, s.seed, s.playing)
	return &settledResult{m}, err
}

func (r *settledResult) print(w io.Writer, spec game.Spec) error {
	var b strings.Builder
	model, others := r.Seats[0], strings.Join(r.Seats[1:], ", ")
	fmt.Fprintf(&b, "%s for %d. A match from seed %d, the agents in turn in every seat.\n\n", spec.Title, spec.Players, r.Seed)
	switch r.Verdict {
	case eval.Equal:
		fmt.Fprintf(&b, "  %s is as strong as %s, to within %g %% of the win.\n", model, others, 100*r.Margin)
	case eval.Open:
		fmt.Fprintf(&b, "  Not settled: play more -games.\n")
	default:
		fmt.Fprintf(&b, "  %s is %s than %s.\n", model, r.Verdict, others)
	}
	fmt.Fprintf(&b, "  It wins %s, surely %.3f to %.3f %%; a fair share is %.3f %%.\n", strings.TrimSpace(percent(r.Win[0])), 100*r.Low[0], 100*r.High[0], 100*r.Fair)
	fmt.Fprintf(&b, "  %d games; the verdict is wrong with a probability of at most %.0f %%.\n", r.Games, 100*(1-r.Confidence))
	b.WriteString(told(r.Match) + cut(r.Match))
	_, err := io.WriteString(w, b.String())
	return err
}

// poolResult is a round robin with ratings.
type poolResult struct{ eval.Tournament }

func (s *session) roundRobin(ctx context.Context) (result, error) {
	var who []*agents.Agent
	for _, name := range s.pool {
		a, err := s.open(ctx, name)
		if err != nil {
			return nil, err
		}
		who = append(who, a)
	}
	p, err := eval.PlayTournament(ctx, s.game, who, cmp.Or(s.games, poolGames), s.seed, s.playing)
	return &poolResult{p}, err
}

func (r *poolResult) print(w io.Writer, spec game.Spec) error {
	var b strings.Builder
	what := "how often the agent of a row beats that of a column"
	if spec.Players > 2 {
		what = "what one agent of a row wins with that of a column in all other seats"
	}
	fmt.Fprintf(&b, "%s for %d: %s, in %%,\nand Elo ratings with %.0f %% intervals, %s being 0. %d games from seed %d, each agent\nin every seat; a fair share is %.2f.\n\n",
		spec.Title, spec.Players, what, 100*r.Confidence, r.Anchor, r.Games, r.Seed, 100*r.Fair)
	grid(&b, r.Agents, r.Win, 2, "   rating   interval", func(i int) string {
		return fmt.Sprintf("  %7.1f   %.1f to %.1f", r.Rating[i], r.Low[i], r.High[i])
	})
	if r.Truncated > 0 {
		fmt.Fprintf(&b, "\n  %d of the games hit the move limit and count as shared by all.\n", r.Truncated)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// told says what the common dice are good for.
func told(m eval.Match) string {
	if m.VarianceReduction == 0 {
		return ""
	}
	return fmt.Sprintf("  With the same dice in every seat they tell as much as %.1f times as many games.\n", m.VarianceReduction)
}

// cut tells of games without an end.
func cut(m eval.Match) string {
	if m.Truncated == 0 {
		return ""
	}
	return fmt.Sprintf("  %d of the games hit the move limit and count as won by nobody.\n", m.Truncated)
}
