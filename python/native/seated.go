//go:build cgo

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
)

// seated is a batch in which a learner has one seat and opponents the others. Each Step
// plays the learner's action and then the opponents' until the learner is to act again,
// if need be in the next game. Rows in which the learner is to act wait for the others. Without opponents the
// caller acts for every seat. The work is done in a job, whose context ends it.
//
// Opponents, and the learner's seat where it is drawn, are sampled from the generator
// Noise of the row.
type seated struct {
	spec     game.Spec
	buf      env.Buffers // the caller's
	policies []opponent  // [1] of all other seats, or [P-1] of the seats after the learner's; nil for no opponents
	fixed    int         // the learner's seat, or -1
	games    env.Batch

	// Only with opponents.
	seat []game.Player // [N] the learner's
	last []end         // [N] of the last step

	// Of the call in progress.
	job     *job
	next    []end         // [N] of this step
	acted   []bool        // [N] the learner has acted in this game
	skipped []int         // [N] games that ended before it did
	before  []game.Player // [N] seat before the call
	asked   []int         // [N] scratch: the rows in which a policy is to act
}

// opponent is a policy in a seat.
type opponent struct {
	env.Policy
	quick bool // its decision takes well below a millisecond
}

// end is how the game of a row ended in a step; final is nil if none did.
type end struct {
	final     env.Position
	seat      game.Player // the learner's
	truncated bool
}

func newSeated(ctx context.Context, g *openGame, s seating, buf env.Buffers, n, first int) (*seated, error) {
	spec := g.spec
	if len(s.Opponents) == 0 {
		games, err := s.newBatch(g, buf, n, first)
		return &seated{spec: spec, buf: buf, games: games}, err
	}
	if others := spec.Players - 1; others == 0 {
		return nil, fmt.Errorf("%s for 1 has no opponents", spec.ID)
	} else if len(s.Opponents) != 1 && len(s.Opponents) != others {
		return nil, fmt.Errorf("%d opponents; want one for all other seats, or %d", len(s.Opponents), others)
	}
	if s.Seat < -1 || s.Seat >= spec.Players {
		return nil, fmt.Errorf("seat is %d; want 0 to %d, or random", s.Seat, spec.Players-1)
	}
	t := &seated{
		spec: spec, buf: buf, fixed: s.Seat, seat: make([]game.Player, n),
		last: make([]end, n), next: make([]end, n), acted: make([]bool, n), skipped: make([]int, n),
		before: make([]game.Player, n), asked: make([]int, 0, n),
	}
	for _, e := range s.Opponents {
		var o opponent
		a := e.remote(func(ctx context.Context, r request) error { return t.job.ask(ctx, r) })
		o.quick = e.table != nil
		if a == nil {
			var err error
			if a, err = g.agent(ctx, e.Name, s.Sample, s.Seed); err != nil {
				return nil, fmt.Errorf("opponent: %w", err)
			}
			o.quick = a.Source.Network || e.Name == agents.Exact || slices.Contains(g.BotNames(), e.Name)
		}
		o.Policy = a
		t.policies = append(t.policies, o)
	}
	var err error
	t.games, err = s.newBatch(g, env.Buffers{Obs: buf.Obs, Codes: buf.Codes, Mask: buf.Mask, Player: buf.Player}, n, first)
	return t, err
}

// newBatch returns a batch, compact if the seating says so.
func (s seating) newBatch(g *openGame, buf env.Buffers, n, first int) (env.Batch, error) {
	if s.Compact {
		return g.NewCompactBatch(buf, n, first)
	}
	return g.NewBatchOver(buf, n, first), nil
}

// quickRows is how many rows of quick opponents are played without a goroutine, which a
// caller could interrupt. Chosen: a step of that many takes some tens of milliseconds.
const quickRows = 2048

// slow reports whether a call may take longer than a caller waits without a word.
func (t *seated) slow() bool {
	return len(t.seat) > quickRows || slices.ContainsFunc(t.policies, func(o opponent) bool { return !o.quick })
}

// Reset starts a game in every row.
func (t *seated) Reset(j *job, seed uint64) error {
	t.games.Reset(seed)
	if t.policies == nil {
		return nil
	}
	t.job = j
	t.clearResults()
	for i := range t.seat {
		t.begin(i)
	}
	return t.play()
}

// Begin starts another game in some rows, see [env.Batch].
func (t *seated) Begin(j *job, rows []int, seeds []uint64) error {
	return t.restart(j, rows, true, func() error {
		t.games.Begin(rows, seeds)
		return nil
	})
}

// Place continues row i from a position. It returns an error if the game ends before the
// learner's first decision.
func (t *seated) Place(j *job, i int, at env.Position) error {
	return t.restart(j, []int{i}, false, func() error { return t.games.Place(i, at) })
}

// restart begins games in some rows by a function. If skip, games that end before the
// learner's first decision are skipped. If it fails, nothing has changed.
func (t *seated) restart(j *job, rows []int, skip bool, begin func() error) error {
	if t.policies == nil {
		return begin()
	}
	t.job = j
	return t.atomically(func() error {
		if err := begin(); err != nil {
			return err
		}
		for _, i := range rows {
			t.begin(i)
		}
		if err := t.play(); err != nil {
			return err
		}
		if !skip && slices.ContainsFunc(rows, func(i int) bool { return t.skipped[i] > 0 }) {
			return errors.New("the game ended before the learner's first decision")
		}
		return nil
	})
}

// atomically calls f, which plays. After an error, or a panic, the games are as they were.
func (t *seated) atomically(f func() error) error {
	t.games.Mark()
	copy(t.before, t.seat)
	done := false
	defer func() {
		if !done {
			t.games.Rewind()
			copy(t.seat, t.before)
		}
	}()
	err := f()
	done = err == nil
	return err
}

func (t *seated) clearResults() {
	clear(t.last)
	clear(t.buf.Reward)
	clear(t.buf.Terminated)
	clear(t.buf.Truncated)
}

// begin notes that a game has begun in row i outside of a step.
func (t *seated) begin(i int) {
	t.acted[i], t.skipped[i] = false, 0
	t.drawSeat(i)
}

func (t *seated) drawSeat(i int) {
	t.seat[i] = game.Player(t.fixed)
	if t.fixed < 0 {
		t.seat[i] = game.Player(rand.New(&t.games.Buffers().Noise[i]).IntN(t.spec.Players))
	}
}

// play plays until the learner is to act in every row. A policy is asked for all rows at
// once in which it is to act.
func (t *seated) play() error {
	buf := t.games.Buffers()
	for {
		for i := range buf.Action {
			buf.Action[i] = env.Hold
		}
		waiting := false
		for k, o := range t.policies {
			t.asked = t.asked[:0]
			for i := range t.seat {
				if t.mover(i) == k {
					t.asked = append(t.asked, i)
				}
			}
			if len(t.asked) == 0 {
				continue
			}
			if err := t.games.Act(t.job.ctx, o.Policy, t.asked); err != nil {
				return fmt.Errorf("opponent: %w", err)
			}
			waiting = true
		}
		if !waiting {
			return nil
		}
		if err := t.games.Step(); err != nil {
			return fmt.Errorf("opponent: %v", err) // the caller's action is not illegal
		}
		if err := t.keepEnds(); err != nil {
			return err
		}
	}
}

// mover returns the index of the policy that is to act in row i; -1 for the learner.
func (t *seated) mover(i int) int {
	after := int(t.buf.Player[i]) - int(t.seat[i])
	if after == 0 {
		return -1
	}
	return ((after+t.spec.Players)%t.spec.Players - 1) % len(t.policies)
}

var errNoDecision = errors.New("1,000 games ended before the learner's first decision")

// keepEnds follows a step of the games. Where a game has ended it keeps the result, if the
// learner has acted; the next game has begun.
func (t *seated) keepEnds() error {
	buf := t.games.Buffers()
	for i := range t.seat {
		if !buf.Terminated[i] && !buf.Truncated[i] {
			continue
		}
		if t.acted[i] {
			t.next[i] = end{t.games.Final(i), t.seat[i], buf.Truncated[i]}
			t.acted[i] = false
		} else if t.skipped[i]++; t.skipped[i] == 1000 {
			return errNoDecision
		}
		t.drawSeat(i)
	}
	return nil
}

// Step plays the actions. On an error nothing has changed.
func (t *seated) Step(j *job) error {
	if t.policies == nil {
		return t.games.Step()
	}
	t.job = j
	for i, a := range t.buf.Action {
		if a == env.Hold {
			continue
		}
		if uint(a) >= uint(t.spec.Actions) || !t.buf.Mask[i*t.spec.Actions+int(a)] {
			return &env.RowError{Row: i, Action: a, Err: game.ErrIllegalAction}
		}
	}
	err := t.atomically(func() error {
		clear(t.next)
		for i, a := range t.buf.Action {
			if a != env.Hold {
				t.acted[i], t.skipped[i] = true, 0
			}
		}
		copy(t.games.Buffers().Action, t.buf.Action)
		if err := t.games.Step(); err != nil {
			return err
		}
		if err := t.keepEnds(); err != nil {
			return err
		}
		return t.play()
	})
	if err == nil {
		t.last, t.next = t.next, t.last
		t.show()
	}
	return err
}

// show writes the results of the last step.
func (t *seated) show() {
	d, c := len(t.buf.FinalObs)/len(t.last), len(t.buf.FinalCodes)/len(t.last)
	clear(t.buf.Reward)
	for i, e := range t.last {
		t.buf.Terminated[i], t.buf.Truncated[i] = e.final != nil && !e.truncated, e.truncated
		if e.final == nil {
			continue
		}
		if !e.truncated {
			for seat, r := range e.final.Returns() {
				t.buf.Reward[i*t.spec.Players+seat] = float32(r)
			}
		}
		if c > 0 {
			e.final.ObserveCodes(t.buf.FinalCodes[i*c:(i+1)*c], e.seat)
		} else {
			e.final.Observe(t.buf.FinalObs[i*d:(i+1)*d], e.seat)
		}
		t.buf.FinalPlayer[i] = e.seat
	}
}

// At returns the position of row i and the relabelling of its actions (see [env.Decisions]).
func (t *seated) At(i int) (env.Position, []game.Action) {
	d := t.games.Decisions([]int{i})
	return d.Position(0), d.Relabel(0)
}

// Final returns the last position of the game that ended in row i in the last step.
func (t *seated) Final(i int) env.Position {
	if t.policies == nil {
		return t.games.Final(i)
	}
	return t.last[i].final
}

// AppendState is that of [env.Batch]. The state begins with the seats of the learner.
func (t *seated) AppendState(dst []byte) ([]byte, error) {
	for _, seat := range t.seat {
		dst = append(dst, byte(seat))
	}
	return t.games.AppendState(dst)
}

// RestoreState restores what AppendState wrote for a seating of this size.
func (t *seated) RestoreState(src []byte) error {
	n := len(t.seat)
	if len(src) < n {
		return fmt.Errorf("%d bytes of state for %d rows", len(src), n)
	}
	if err := t.games.RestoreState(src[n:]); err != nil {
		return err
	}
	for i, seat := range src[:n] {
		t.seat[i] = game.Player(seat)
		if t.buf.Player[i] != t.seat[i] || t.fixed >= 0 && int(seat) != t.fixed {
			return fmt.Errorf("row %d: seat %d is to move in the state, and the learner's seat is another", i, t.buf.Player[i])
		}
	}
	t.clearResults()
	return nil
}
