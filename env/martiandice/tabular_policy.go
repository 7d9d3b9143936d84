package martiandice

import (
	"context"
	"fmt"
	"math"
	"slices"

	"marsgym/env/game"
)

// tabularPolicy is a policy in tabular form: the probability of each end of a turn,
// for each start of a turn. Nothing else of a policy matters to the rest of the game.
type tabularPolicy struct {
	s               *Solution
	ends            int
	dist            []float64 // [starts, ends], or [ends] if it is the same at all starts
	decisions, rows int
}

// Decisions implements [game.TabularPolicy].
func (g *tabularPolicy) Decisions() int { return g.decisions }

// Rows implements [game.TabularPolicy].
func (g *tabularPolicy) Rows() int { return g.rows }

// ending returns the probability of each end [ends] of the turn from a start.
func (g *tabularPolicy) ending(start int) []float64 {
	if len(g.dist) == g.ends {
		return g.dist
	}
	return g.dist[start*g.ends:][:g.ends]
}

// Tabulate implements [game.Solution]. It calls the policy with games in which seat 0
// starts, since the seat that starts matters to observations only through the places.
func (s *Solution) Tabulate(ctx context.Context, p game.Policy[State]) (game.TabularPolicy, error) {
	if _, ok := p.(*bestPolicy); ok {
		return s.tabulateBest(ctx)
	}
	// Chosen: about a minute of a look-ahead by no plies.
	const mostAhead = 50_000 // decisions
	switch ahead, ok := p.(game.Lookahead[State]); {
	case ok && ahead.Turns() >= 0:
		return s.tabulateTurns(ctx, ahead)
	case ok && s.Rows(false) > mostAhead:
		return nil, fmt.Errorf("martian-dice: %w", game.ErrLookahead)
	}
	reader, n := s.newPolicyReader(p), s.starts.count()
	if reader.ignoresScores {
		n = 1
	}
	dist, err := s.tabulateRows(ctx, p, 0, n)
	if err != nil {
		return nil, err
	}
	return s.newTable(dist, reader.rows), nil
}

// newTable returns the policy with the ends dist [starts, ends] or [1, ends]. rows is the
// number of states that the policy looked at for each start, at most.
func (s *Solution) newTable(dist []float64, rows int) *tabularPolicy {
	t := s.turn
	n := len(dist) / t.ends
	return &tabularPolicy{s: s, ends: t.ends, dist: dist, decisions: n * t.decisionsPerTurn(), rows: n * rows}
}

// tabulateRows returns the probability of each end of the turn from starts from <= i < to
// [to-from, ends].
func (s *Solution) tabulateRows(ctx context.Context, p game.Policy[State], from, to int) ([]float64, error) {
	if scorer, ok := p.(game.AfterstateScorer[State]); ok && scorer.Greedy() {
		return s.tabulateScorer(ctx, scorer, from, to)
	}
	reader, t := s.newPolicyReader(p), s.turn
	dist := make([]float64, (to-from)*t.ends)
	starts := make([]int, to-from)
	for i := range starts {
		starts[i] = from + i
	}
	for part := range slices.Chunk(starts, reader.startsPerCall) {
		err := reader.each(ctx, part, func(i int, play *turnPolicy) error {
			play.propagate(t, dist[(part[i]-from)*t.ends:][:t.ends])
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return dist, nil
}

// TableSize implements [game.ResumableSolver]: a row for each start of a turn, with the
// probability of each end.
func (r *Rules) TableSize() (rows, width int) {
	if r.cfg.MaxRounds > 0 {
		return 0, 0 // solved position by position
	}
	t := newStarts(r.cfg)
	return t.count(), r.graph().ends
}

// TabulateRows implements [game.ResumableSolver].
func (r *Rules) TabulateRows(ctx context.Context, p game.Policy[State], from, to int) ([]float64, error) {
	s := &Solution{r: r, turn: r.graph(), starts: newStarts(r.cfg)}
	if _, ok := p.(game.Lookahead[State]); ok {
		return nil, fmt.Errorf("martian-dice: %w", game.ErrLookahead)
	}
	if from < 0 || from > to || to > s.starts.count() {
		return nil, fmt.Errorf("martian-dice: rows %d to %d of a table with %d", from, to, s.starts.count())
	}
	return s.tabulateRows(ctx, p, from, to)
}

// ReadTable implements [game.StoredSolution].
func (s *Solution) ReadTable(p game.Policy[State], table []float64) (game.TabularPolicy, error) {
	if want := s.starts.count() * s.turn.ends; len(table) != want {
		return nil, fmt.Errorf("martian-dice: a table of %d numbers; want %d", len(table), want)
	}
	for i := 0; i < len(table); i += s.turn.ends {
		sum := 0.0
		for _, x := range table[i : i+s.turn.ends] {
			if !(x >= 0) {
				return nil, fmt.Errorf("martian-dice: probability %v in row %d of a table", x, i/s.turn.ends)
			}
			sum += x
		}
		if !(math.Abs(sum-1) <= 1e-5) { // as in tabular.Normalise
			return nil, fmt.Errorf("martian-dice: the probabilities in row %d of a table add up to %v", i/s.turn.ends, sum)
		}
	}
	return s.newTable(table, s.newPolicyReader(p).rows), nil
}

// Rows implements [game.Solution].
func (s *Solution) Rows(scorer bool) int {
	if scorer {
		return s.starts.count() * s.turn.afterstatesPerTurn()
	}
	return s.starts.count() * s.turn.decisionsPerTurn()
}

// tabulateBest returns best play in tabular form.
func (s *Solution) tabulateBest(ctx context.Context) (game.TabularPolicy, error) {
	n := s.starts.count()
	g := s.newTable(make([]float64, n*s.turn.ends), 0)
	err := s.turn.forEach(ctx, n, func(i int, l *lane) error {
		s.bestEnding(l, g.ending(i), i)
		return nil
	})
	return g, err
}

// plan fills dist [ends] with the probability of each end of the turn from a start under a
// pure best response to the values, and returns the values of the ends [ends, P] and that of
// the turn to the mover.
func (s *Solution) plan(l *lane, dist []float64, start int) (pay []float64, value float64) {
	pay, m := s.payoffsAt(start)
	return pay, l.solve(dist, pay[m:], s.starts.players)
}

// bestEnding fills dist [ends] with the probability of each end of the turn from a
// start under best play, and returns the value of the turn to the mover.
func (s *Solution) bestEnding(l *lane, dist []float64, start int) float64 {
	pay, v := s.plan(l, dist, start)
	if s.mixes(start, pay, dist) {
		copy(dist, s.solveTurn(start).dist)
	}
	return v
}

// endingOf returns the probability of each end [ends] of a turn under the best play by
// the given values.
func (s *Solution) endingOf(by turnValues) []float64 {
	dist, reach := make([]float64, s.turn.ends), make([]float64, s.turn.nodes())
	reach[s.turn.start()] = 1
	s.turn.propagateBest(dist, reach, by.value, by.rolling)
	return dist
}

// playTables returns the expected returns of tables (see [tabular.NewResponses]). The error wraps
// game.ErrNoSolution if at some scores, reached or not, no seat ever scores. This needs a config
// with AllowStopBeforeSelect.
func (s *Solution) playTables(ctx context.Context, tables []*tabularPolicy) ([]float64, error) {
	p, first := len(tables), s.r.firstSeats()
	returns, shares := make([]float64, p), make([]float64, p)
	for start := range first {
		work := game.SolverState{Values: make([]float64, s.starts.count()*p)}
		if err := s.sweep(ctx, &work, slices.Concat(tables[start:], tables[:start]), nil); err != nil {
			return nil, err
		}
		game.SeatOrder(shares, work.Values[:p], game.Player(start))
		for i, share := range shares {
			returns[i] += s.ret(share) / float64(first)
		}
	}
	return returns, nil
}

// firstSeats returns the number of seats, from 0 up, that may start the game, each with
// the same probability.
func (r *Rules) firstSeats() int {
	if r.cfg.FirstPlayer == FirstRandom {
		return r.cfg.Players
	}
	return 1
}

// ret converts an expected share of the win to an expected return.
func (s *Solution) ret(share float64) float64 {
	if s.starts.players == 1 {
		return share
	}
	return s.r.spec.Return(share)
}
