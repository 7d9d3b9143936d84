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

// seated is N games in which a learner has one seat and opponents the others. Each Step
// plays the learner's action and then the opponents' until the learner is to act again,
// if need be in the next game. Each row is a batch of one row, since rows take different
// numbers of steps.
//
// Opponents, and the learner's seat where it is drawn, are sampled from the generator
// Noise of the row.
type seated struct {
	spec     game.Spec
	buf      env.Buffers // the caller's
	policies []opponent  // [P-1] of the seats after the learner's
	fixed    int         // the learner's seat, or -1
	rows     []env.Batch // [N] of one row
	seat     []game.Player
	last     []end // [N] of the last step

	// Of the call in progress.
	job     *job
	next    []end         // [N] of this step
	acted   []bool        // [N] the learner has acted in this game
	skipped []int         // [N] games that ended before it did
	before  []game.Player // [N] seat before the call
	every   []int         // [N] 0 to N-1
	probs   []float64     // [A] scratch
}

// opponent is a policy in a seat.
type opponent struct {
	env.Policy
	number int  // equal for the same policy in another seat
	remote bool // it is the caller's
	quick  bool // its decision takes well below a millisecond
}

// end is how the game of a row ended in a step; final is nil if none did.
type end struct {
	final     env.Position
	seat      game.Player // the learner's
	truncated bool
}

// newSeated returns the games of a seating.
func newSeated(ctx context.Context, g *openGame, s seating, buf env.Buffers, n, first int) (*seated, error) {
	spec := g.spec
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
		before: make([]game.Player, n), every: make([]int, n), probs: make([]float64, spec.Actions),
	}
	for i := range t.every {
		t.every[i] = i
	}
	for i, e := range s.Opponents {
		o := opponent{number: i, remote: e.Policy != nil}
		a := e.remote(func(ctx context.Context, r request) error { return t.job.ask(ctx, r) })
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
	for len(t.policies) < spec.Players-1 {
		t.policies = append(t.policies, t.policies[0])
	}
	d, a := spec.ObsLen(), spec.Actions
	for i := range n {
		t.rows = append(t.rows, g.NewBatchOver(env.Buffers{
			Obs:    buf.Obs[i*d : (i+1)*d],
			Mask:   buf.Mask[i*a : (i+1)*a],
			Player: buf.Player[i : i+1],
		}, 1, first+i))
	}
	return t, nil
}

// quickRows is how many rows of quick opponents are played without a goroutine, which a
// caller could interrupt. Chosen: a step of that many takes some tens of milliseconds.
const quickRows = 2048

// slow reports whether a call may take longer than a caller waits without a word.
func (t *seated) slow() bool {
	return len(t.rows) > quickRows || slices.ContainsFunc(t.policies, func(o opponent) bool { return !o.quick })
}

// Reset implements [rows].
func (t *seated) Reset(j *job, seed uint64) error {
	t.job = j
	t.clearResults()
	for i, b := range t.rows {
		b.Reset(seed)
		t.begin(i)
	}
	return t.play(t.every)
}

// Begin implements [rows].
func (t *seated) Begin(j *job, rows []int, seeds []uint64) error {
	return t.restart(j, rows, func(k int, b env.Batch) error {
		var seed []uint64
		if seeds != nil {
			seed = seeds[k : k+1]
		}
		b.Begin([]int{0}, seed)
		return nil
	})
}

// Place implements [rows].
func (t *seated) Place(j *job, i int, at env.Position) error {
	return t.restart(j, []int{i}, func(_ int, b env.Batch) error { return b.Place(0, at) })
}

// restart begins a game in some rows by a function of k and the row rows[k]. If that
// fails, nothing has changed.
func (t *seated) restart(j *job, rows []int, begin func(k int, b env.Batch) error) error {
	t.job = j
	return t.atomically(rows, func() error {
		for k, i := range rows {
			if err := begin(k, t.rows[i]); err != nil {
				return err
			}
			t.begin(i)
		}
		return t.play(rows)
	})
}

// atomically calls f, which plays some rows. After an error, or a panic, these are as they
// were.
func (t *seated) atomically(rows []int, f func() error) error {
	for _, i := range rows {
		t.rows[i].Mark()
		t.before[i] = t.seat[i]
	}
	done := false
	defer func() {
		if !done {
			for _, i := range rows {
				t.rows[i].Rewind()
				t.seat[i] = t.before[i]
			}
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
		t.seat[i] = game.Player(rand.New(&t.rows[i].Buffers().Noise[0]).IntN(t.spec.Players))
	}
}

// play plays rows until the learner is to act in each. A policy of the caller is asked
// for all rows at once in which it is to act.
func (t *seated) play(rows []int) error {
	var waiting []int
	for _, i := range rows {
		if asks, err := t.advance(i); err != nil {
			return err
		} else if asks {
			waiting = append(waiting, i)
		}
	}
	for len(waiting) > 0 {
		policy := t.mover(waiting[0])
		var some, rest []int
		var at []env.Position
		for _, i := range waiting {
			if t.mover(i).number != policy.number {
				rest = append(rest, i)
				continue
			}
			some = append(some, i)
			at = append(at, t.rows[i].Decisions(nil).Position(0))
		}
		probs := make([]float64, len(some)*t.spec.Actions)
		if err := env.Probs(t.job.ctx, policy, probs, env.DecisionsOf(at)); err != nil {
			return fmt.Errorf("opponent: %w", err)
		}
		for k, i := range some {
			if err := t.act(i, probs[k*t.spec.Actions:(k+1)*t.spec.Actions]); err != nil {
				return err
			}
			if asks, err := t.advance(i); err != nil {
				return err
			} else if asks {
				rest = append(rest, i)
			}
		}
		waiting = rest
	}
	return nil
}

// mover returns the opponent that is to act in row i; nil for the learner.
func (t *seated) mover(i int) *opponent {
	if after := int(t.rows[i].Buffers().Player[0]) - int(t.seat[i]); after != 0 {
		return &t.policies[(after+t.spec.Players)%t.spec.Players-1]
	}
	return nil
}

// advance plays row i by policies of the library. It reports whether one of the caller's
// is to act.
func (t *seated) advance(i int) (asks bool, err error) {
	for {
		o := t.mover(i)
		if o == nil || o.remote {
			return o != nil, nil
		}
		if err := t.job.ctx.Err(); err != nil {
			return false, err
		}
		if err := env.Probs(t.job.ctx, o, t.probs, t.rows[i].Decisions(nil)); err != nil {
			return false, fmt.Errorf("opponent: %w", err)
		}
		if err := t.act(i, t.probs); err != nil {
			return false, err
		}
	}
}

// act plays an action of an opponent.
func (t *seated) act(i int, probs []float64) error {
	buf := t.rows[i].Buffers()
	buf.Action[0] = env.SampleAction(probs, &buf.Noise[0])
	if err := t.rows[i].Step(); err != nil {
		return fmt.Errorf("opponent: %v", err) // the caller's action is not illegal
	}
	return t.after(i)
}

var errNoDecision = errors.New("1,000 games ended before the learner's first decision")

// after follows a decision. At the end of a game it keeps the result, if the learner has
// acted, and begins the next.
func (t *seated) after(i int) error {
	b := t.rows[i]
	if buf := b.Buffers(); !buf.Terminated[0] && !buf.Truncated[0] {
		return nil
	}
	if t.acted[i] {
		t.next[i] = end{b.Final(0), t.seat[i], b.Buffers().Truncated[0]}
		t.acted[i] = false
	} else if t.skipped[i]++; t.skipped[i] == 1000 {
		return errNoDecision
	}
	t.drawSeat(i)
	return nil
}

// Step implements [rows].
func (t *seated) Step(j *job) error {
	t.job = j
	for i, a := range t.buf.Action {
		if a == env.Hold {
			continue
		}
		if uint(a) >= uint(t.spec.Actions) || !t.buf.Mask[i*t.spec.Actions+int(a)] {
			return &env.RowError{Row: i, Action: a, Err: game.ErrIllegalAction}
		}
	}
	err := t.atomically(t.every, func() error {
		clear(t.next)
		for i, b := range t.rows {
			if t.buf.Action[i] == env.Hold {
				continue
			}
			t.acted[i], t.skipped[i] = true, 0
			b.Buffers().Action[0] = t.buf.Action[i]
			if err := b.Step(); err != nil {
				return err
			}
			if err := t.after(i); err != nil {
				return err
			}
		}
		return t.play(t.every)
	})
	if err == nil {
		t.last, t.next = t.next, t.last
		t.show()
	}
	return err
}

// show writes the results of the last step.
func (t *seated) show() {
	d := t.spec.ObsLen()
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
		e.final.Observe(t.buf.FinalObs[i*d:(i+1)*d], e.seat)
		t.buf.FinalPlayer[i] = e.seat
	}
}

// At implements [rows].
func (t *seated) At(i int, final bool) (env.Position, []game.Action) {
	if final {
		return t.last[i].final, nil
	}
	return lockstep{t.rows[i]}.At(0, false)
}

// AppendState implements [rows].
func (t *seated) AppendState(dst []byte) ([]byte, error) {
	var err error
	for i, b := range t.rows {
		dst = append(dst, byte(t.seat[i]))
		if dst, err = b.AppendState(dst); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// RestoreState implements [rows].
func (t *seated) RestoreState(src []byte) error {
	size := len(src) / len(t.rows)
	if size == 0 || size*len(t.rows) != len(src) {
		return fmt.Errorf("%d bytes of state for %d rows", len(src), len(t.rows))
	}
	for i, b := range t.rows {
		row := src[i*size : (i+1)*size]
		seat := game.Player(row[0])
		if err := b.RestoreState(row[1:]); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
		if b.Buffers().Player[0] != seat || t.fixed >= 0 && int(seat) != t.fixed {
			return fmt.Errorf("row %d: seat %d is to move in the state, and the learner's seat is another", i, b.Buffers().Player[0])
		}
		t.seat[i] = seat
	}
	t.clearResults()
	return nil
}
