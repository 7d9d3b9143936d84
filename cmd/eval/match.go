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
	"marsgym/eval"
	"marsgym/internal/atomicfile"
	"marsgym/record"
)

// Defaults of -games. Chosen: the intervals are a few percent wide, and agents that do
// not search take seconds.
const (
	defaultGames    = 10_000
	tournamentGames = 2_000     // of each match
	sequentialGames = 1_000_000 // at most
)

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
		return eval.PlayDuplicateBy(ctx, s.executor, s.game, seats, games, s.seed, s.playing)
	}
	err = atomicfile.Write(s.record, func(w io.Writer) (err error) {
		b := bufio.NewWriter(w)
		m, err = eval.RecordDuplicate(ctx, s.game, seats, games, s.seed, s.playing, func(g *record.Game) error { return g.Write(b) })
		return cmp.Or(err, b.Flush())
	})
	return m, err
}

func (r *matchResult) print(w io.Writer, spec game.Spec) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s for %d. A duplicate match of %d games from seed %d; each agent plays in every seat.\n\n", spec.Title, spec.Players, r.Games, r.Seed)
	width := widest(r.Seats)
	for i, name := range r.Seats {
		fmt.Fprintf(&b, "  %-*s  wins %s   %.0f %% interval %.3f to %.3f %%\n", width, name, percent(r.Win[i]), 100*r.Confidence, 100*r.Low[i], 100*r.High[i])
	}
	b.WriteString(variance(r.Match) + truncated(r.Match))
	_, err := io.WriteString(w, b.String())
	return err
}

// sequentialResult is the result of a sequential match.
type sequentialResult struct{ eval.SequentialMatch }

func (s *session) sequentialMatch(ctx context.Context, seats []*agents.Agent) (result, error) {
	opt := eval.SequentialOptions{Margin: s.sequential, Games: cmp.Or(s.games, sequentialGames), Executor: s.executor}
	m, err := eval.PlaySequential(ctx, s.game, seats, opt, s.seed, s.playing)
	return &sequentialResult{m}, err
}

func (r *sequentialResult) print(w io.Writer, spec game.Spec) error {
	var b strings.Builder
	model, others := r.Seats[0], strings.Join(r.Seats[1:], ", ")
	fmt.Fprintf(&b, "%s for %d. A sequential duplicate match from seed %d; each agent plays in every seat.\n\n", spec.Title, spec.Players, r.Seed)
	switch r.Verdict {
	case eval.Equal:
		fmt.Fprintf(&b, "  %s is as strong as %s, within %g %% of the win.\n", model, others, 100*r.Margin)
	case eval.Open:
		fmt.Fprintf(&b, "  Undecided; allow more games by -games.\n")
	default:
		fmt.Fprintf(&b, "  %s is %s than %s.\n", model, r.Verdict, others)
	}
	fmt.Fprintf(&b, "  It wins %s, interval %.3f to %.3f %%; the fair share is %.3f %%.\n", strings.TrimSpace(percent(r.Win[0])), 100*r.Low[0], 100*r.High[0], 100*r.Fair)
	fmt.Fprintf(&b, "  %d games; the verdict is wrong with a probability of at most %.0f %%.\n", r.Games, 100*(1-r.Confidence))
	b.WriteString(variance(r.Match) + truncated(r.Match))
	_, err := io.WriteString(w, b.String())
	return err
}

// tournamentResult is the result of a tournament.
type tournamentResult struct{ eval.Tournament }

func (s *session) playTournament(ctx context.Context) (result, error) {
	var entrants []*agents.Agent
	for _, name := range s.tournament {
		a, err := s.open(ctx, name)
		if err != nil {
			return nil, err
		}
		entrants = append(entrants, a)
	}
	t, err := eval.ResumeTournamentBy(ctx, s.executor, s.game, entrants, cmp.Or(s.games, tournamentGames), s.seed, nil, nil, s.playing)
	return &tournamentResult{t}, err
}

func (r *tournamentResult) print(w io.Writer, spec game.Spec) error {
	var b strings.Builder
	what := "how often the agent of a row beats that of a column"
	if spec.Players > 2 {
		what = "what one agent of a row wins with that of a column in all other seats"
	}
	fmt.Fprintf(&b, "%s for %d: %s, in %%,\nand Elo ratings with %.0f %% intervals, relative to %s. %d games from seed %d; each agent\nplays in every seat; the fair share is %.2f.\n\n",
		spec.Title, spec.Players, what, 100*r.Confidence, r.Anchor, r.Games, r.Seed, 100*r.Fair)
	grid(&b, r.Agents, r.Win, 2, "   rating   interval", func(i int) string {
		return fmt.Sprintf("  %7.1f   %.1f to %.1f", r.Rating[i], r.Low[i], r.High[i])
	})
	if r.Truncated > 0 {
		fmt.Fprintf(&b, "\n  %d of the games reached the move limit and count as shared by all.\n", r.Truncated)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// variance returns a line on the reduction of the variance by common dice.
func variance(m eval.Match) string {
	if m.VarianceReduction == 0 {
		return ""
	}
	times := fmt.Sprintf("%.1f", m.VarianceReduction)
	if m.VarianceReduction > 1000 {
		times = "more than 1000"
	}
	return fmt.Sprintf("  With independent dice the same interval would take %s times as many games.\n", times)
}

// truncated returns a line on truncated games.
func truncated(m eval.Match) string {
	if m.Truncated == 0 {
		return ""
	}
	return fmt.Sprintf("  %d of the games reached the move limit and count as won by nobody.\n", m.Truncated)
}
