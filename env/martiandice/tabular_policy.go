package martiandice

import (
	"context"
	"fmt"
	"slices"

	"marsgym/env/game"
)

// strategy is a policy written out: how a turn ends from each start of a turn,
// which is all that the rest of the game can see of it.
type tabularPolicy struct {
	s               *Solution
	ends            int
	dist            []float64 // [starts, ends], or [ends] if blind to the scores
	decisions, rows int
}

// Decisions implements [game.TabularPolicy].
func (g *tabularPolicy) Decisions() int { return g.decisions }

// Rows implements [game.TabularPolicy].
func (g *tabularPolicy) Rows() int { return g.rows }

// at is how a turn from the start of that number ends [ends].
func (g *tabularPolicy) ending(start int) []float64 {
	if len(g.dist) == g.ends {
		return g.dist
	}
	return g.dist[start*g.ends:][:g.ends]
}

// Tabulate implements [game.Solution]. It asks about the starts of turns of a table
// where seat 0 starts; observations say no more of the start than the places.
func (s *Solution) Tabulate(ctx context.Context, p game.Policy[State]) (game.TabularPolicy, error) {
	if _, ok := p.(*bestPolicy); ok {
		return s.tabulateBest(ctx)
	}
	a, n, t := s.newPolicyReader(p), s.starts.count(), s.turn
	if a.ignoresScores {
		n = 1
	}
	g := &tabularPolicy{s: s, ends: t.ends, dist: make([]float64, n*t.ends), decisions: n * t.decisionsPerTurn(), rows: n * a.rows}
	starts := make([]int, n)
	for i := range starts {
		starts[i] = i
	}
	for part := range slices.Chunk(starts, a.startsPerCall) {
		err := a.each(ctx, part, func(i int, play *turnPolicy) error {
			play.propagate(t, g.ending(part[i]))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}

// expandBest writes out best play.
func (s *Solution) tabulateBest(ctx context.Context) (game.TabularPolicy, error) {
	n := s.starts.count()
	g := &tabularPolicy{s: s, ends: s.turn.ends, dist: make([]float64, n*s.turn.ends), decisions: n * s.turn.decisionsPerTurn()}
	err := s.turn.forEach(ctx, n, func(i int, l *lane) error {
		s.bestEnding(l, g.ending(i), i)
		return nil
	})
	return g, err
}

// ending fills dist [ends] with how the turn from a start ends under best play,
// and returns what that is worth to the mover.
func (s *Solution) bestEnding(l *lane, dist []float64, start int) float64 {
	pay, m := s.payoffsAt(start)
	v := l.solve(dist, pay[m:], s.starts.players)
	if s.mixes(start, pay, dist) {
		copy(dist, s.solveTurn(start).dist)
	}
	return v
}

// spreadBest is how a turn ends [ends] when what is best by some worth is played.
func (s *Solution) endingOf(by turnValues) []float64 {
	dist, reach := make([]float64, s.turn.ends), make([]float64, s.turn.nodes())
	reach[s.turn.start()] = 1
	s.turn.propagateBest(dist, reach, by.value, by.rolling)
	return dist
}

// Evaluate implements [game.Solution]. Its error wraps game.ErrNoSolution where there
// are scores, reached or not, at which nobody at the table ever scores; that
// takes a config with AllowStopBeforeSelect.
func (s *Solution) Evaluate(ctx context.Context, dst []float64, seats []game.TabularPolicy) ([]float64, error) {
	return s.evaluate(ctx, dst, seats, game.Terminal)
}

// BestResponse implements [game.Solution].
func (s *Solution) BestResponse(ctx context.Context, seats []game.TabularPolicy, seat game.Player) (float64, error) {
	if seat < 0 || int(seat) >= s.starts.players {
		return 0, fmt.Errorf("martian-dice: seat %d; want 0 to %d", seat, s.starts.players-1)
	}
	values, err := s.evaluate(ctx, nil, seats, seat)
	if err != nil {
		return 0, err
	}
	return values[seat], nil
}

// play appends the expected returns of a game in which free, if a seat, plays
// its best and the others their strategies.
func (s *Solution) evaluate(ctx context.Context, dst []float64, seats []game.TabularPolicy, free game.Player) ([]float64, error) {
	p := s.starts.players
	if len(seats) != p {
		return nil, fmt.Errorf("martian-dice: %d strategies for a table of %d", len(seats), p)
	}
	play := make([]*tabularPolicy, p)
	for i, g := range seats {
		if game.Player(i) == free {
			continue
		}
		own, ok := g.(*tabularPolicy)
		if !ok || own.s != s {
			return nil, fmt.Errorf("martian-dice: the strategy of seat %d is of another solution", i)
		}
		play[i] = own
	}
	first := s.r.firstSeats()
	returns := make([]float64, p)
	for start := range first {
		places := make([]*tabularPolicy, p)
		for m := range places {
			places[m] = play[(start+m)%p]
		}
		work := game.SolverState{Values: make([]float64, s.starts.count()*p)}
		if err := s.sweep(ctx, &work, places, nil); err != nil {
			return nil, err
		}
		for m := range p {
			returns[(start+m)%p] += s.ret(work.Values[m]) / float64(first)
		}
	}
	return append(dst, returns...), nil
}

// firstSeats is the number of seats, from 0 up, that may start the game, with
// equal chances.
func (r *Rules) firstSeats() int {
	if r.cfg.FirstPlayer == FirstRandom {
		return r.cfg.Players
	}
	return 1
}

// ret turns a share of the win into an expected return.
func (s *Solution) ret(share float64) float64 {
	if s.starts.players == 1 {
		return share
	}
	return s.r.spec.Return(share)
}
