package eval

import (
	"context"
	"fmt"
	"strings"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/record"
	"marsgym/internal/jobs"
)

// Match is the result of a duplicate match: sets of P games with the same dice, one
// for each rotation of the agents over the seats, so that each agent gets the dice of
// each seat. The sets are independent of each other, and the intervals are those of
// their means.
type Match struct {
	Method     string    `json:"method"` // "match"
	Seats      []string  `json:"seats"`  // [P] the agents, in the order in which they sit
	Win        []float64 `json:"win"`    // [P] win shares by agent, averaged over its seats
	Low        []float64 `json:"low"`    // [P] of the interval around Win
	High       []float64 `json:"high"`
	Confidence float64   `json:"confidence"`
	Games      int       `json:"games"`
	Truncated  int       `json:"truncated"` // of Games; these count as won by nobody, but see SequentialMatch
	Seed       uint64    `json:"seed"`
	// VarianceReduction is the number of games with independent dice, per game played,
	// that would give an interval of the same width for the first agent. It is 0 if all
	// sets have the same result.
	VarianceReduction float64 `json:"variance_reduction,omitempty"`
}

// Notes returns lines for people on games without an end, and on what common dice have saved.
func (m Match) Notes() string { return m.notes("won by nobody") }

func (m Match) notes(truncated string) string {
	var b strings.Builder
	if m.VarianceReduction != 0 {
		times := fmt.Sprintf("%.1f", m.VarianceReduction)
		if m.VarianceReduction > 1000 {
			times = "more than 1000"
		}
		fmt.Fprintf(&b, "  With independent dice the same interval would take %s times as many games.\n", times)
	}
	if m.Truncated > 0 {
		fmt.Fprintf(&b, "  %d of the games reached the move limit and count as %s.\n", m.Truncated, truncated)
	}
	return b.String()
}

// PlayDuplicate plays a duplicate match of at least the given number of games between
// agents [P]. The result depends on the seed, not on the number of cores. progress,
// if not nil, is called with the fraction done.
func PlayDuplicate(ctx context.Context, g env.Game, entrants []*agents.Agent, games int, seed uint64, progress func(done float64)) (Match, error) {
	return RecordDuplicate(ctx, nil, g, entrants, games, seed, progress, nil)
}

// RecordDuplicate is PlayDuplicate by an executor, if that is not nil and other processes
// can open the agents (see [agents.Source]); it changes no result. Unless write is nil the
// match is played in this process, and at its end write is called with each game in order,
// until it returns an error.
func RecordDuplicate(ctx context.Context, executor jobs.Executor, g env.Game, entrants []*agents.Agent, games int, seed uint64, progress func(done float64), write func(*record.Game) error) (Match, error) {
	if err := checkGames(games); err != nil {
		return Match{}, err
	}
	d, err := newDuplicate(g, entrants, seed)
	if err != nil {
		return Match{}, err
	}
	d.executor, d.records = executor, write != nil
	if err := d.play(ctx, (games+len(entrants)-1)/len(entrants), progress); err != nil {
		return Match{}, err
	}
	for i := range d.actions {
		rec, err := d.recorded(i)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = write(rec)
		}
		if err != nil {
			return Match{}, err
		}
	}
	return d.match(), nil
}

// recorded returns game i of the match. A match stores the actions; the dice are those of
// the seed.
func (d *duplicate) recorded(i int) (*record.Game, error) {
	p := len(d.entrants)
	names := make([]string, p)
	for seat := range names {
		names[seat] = d.entrants[(seat+i)%p].Name
	}
	rec := record.New(d.game, names)
	rec.Seed = &d.seed
	rec.Restart(d.seed, d.first+uint64(i/p))
	for _, a := range d.actions[i] {
		if err := rec.Apply(a); err != nil {
			return nil, err
		}
		rec.Settle()
	}
	rec.Truncated = rec.AtLimit()
	return rec, nil
}
