//go:build cgo

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

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
	buf      env.Buffers  // the caller's
	policies []env.Policy // [P-1] of the seats after the learner's
	fixed    int          // the learner's seat, or -1
	rows     []env.Batch  // [N] of one row
	seat     []game.Player
	final    []env.Position // [N] last position of the last game that ended after a step
	probs    []float64      // [A] scratch
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
		spec: spec, buf: buf, fixed: s.Seat,
		seat: make([]game.Player, n), final: make([]env.Position, n), probs: make([]float64, spec.Actions),
	}
	opened := map[string]env.Policy{}
	for i := range spec.Players - 1 {
		name := s.Opponents[min(i, len(s.Opponents)-1)]
		if opened[name] == nil {
			a, err := g.agent(ctx, name, s.Sample, s.Seed)
			if err != nil {
				return nil, fmt.Errorf("opponent: %w", err)
			}
			opened[name] = a
		}
		t.policies = append(t.policies, opened[name])
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

// Reset implements [rows].
func (t *seated) Reset(seed uint64) error {
	clear(t.buf.Reward)
	clear(t.buf.Terminated)
	clear(t.buf.Truncated)
	for i, b := range t.rows {
		b.Reset(seed)
		if err := t.begin(i); err != nil {
			return err
		}
	}
	return nil
}

// Next implements [rows].
func (t *seated) Next(i int) error {
	t.rows[i].Next(0)
	return t.begin(i)
}

// Begin implements [rows].
func (t *seated) Begin(rows []int, seeds []uint64) error {
	for k, i := range rows {
		var seed []uint64
		if seeds != nil {
			seed = seeds[k : k+1]
		}
		t.rows[i].Begin([]int{0}, seed)
		if err := t.begin(i); err != nil {
			return err
		}
	}
	return nil
}

var errNoDecision = errors.New("1,000 games ended before the learner's first decision")

// begin draws the learner's seat in a game that has just begun and plays until the
// learner is to act. It skips games that end before.
func (t *seated) begin(i int) error {
	b := t.rows[i]
	for range 1000 {
		t.seat[i] = game.Player(t.fixed)
		if t.fixed < 0 {
			t.seat[i] = game.Player(rand.New(&b.Buffers().Noise[0]).IntN(t.spec.Players))
		}
		ended := false
		for !ended && b.Buffers().Player[0] != t.seat[i] {
			var err error
			if ended, err = t.reply(i); err != nil {
				return err
			}
		}
		if !ended {
			return nil
		}
	}
	return errNoDecision
}

// reply plays one decision of an opponent and reports whether it ended the game.
func (t *seated) reply(i int) (ended bool, err error) {
	b := t.rows[i]
	buf := b.Buffers()
	after := (int(buf.Player[0]) - int(t.seat[i]) + t.spec.Players) % t.spec.Players
	if err := t.policies[after-1].Probs(t.probs, b.Decisions(nil)); err != nil {
		return false, fmt.Errorf("opponent: %w", err)
	}
	buf.Action[0] = env.SampleAction(t.probs, &buf.Noise[0])
	if err := b.Step(); err != nil {
		return false, fmt.Errorf("opponent: %v", err) // the caller's action is not illegal
	}
	return buf.Terminated[0] || buf.Truncated[0], nil
}

// Step implements [rows].
func (t *seated) Step() error {
	for i, a := range t.buf.Action {
		if a == env.Hold {
			continue
		}
		if uint(a) >= uint(t.spec.Actions) || !t.buf.Mask[i*t.spec.Actions+int(a)] {
			return &env.RowError{Row: i, Action: a, Err: game.ErrIllegalAction}
		}
	}
	for i, b := range t.rows {
		b.Buffers().Action[0] = t.buf.Action[i]
		if err := t.step(i); err != nil {
			return err
		}
	}
	return nil
}

// step plays the learner's action of row i and the replies.
func (t *seated) step(i int) error {
	b, p, d := t.rows[i], t.spec.Players, t.spec.ObsLen()
	buf, reward := b.Buffers(), t.buf.Reward[i*p:(i+1)*p]
	clear(reward)
	t.buf.Terminated[i], t.buf.Truncated[i] = false, false
	if t.buf.Action[i] == env.Hold {
		return nil
	}
	if err := b.Step(); err != nil {
		return err
	}
	for ended := buf.Terminated[0] || buf.Truncated[0]; ; {
		for seat, r := range buf.Reward {
			reward[seat] += r
		}
		if ended {
			t.buf.Terminated[i], t.buf.Truncated[i] = buf.Terminated[0], buf.Truncated[0]
			t.final[i] = b.Final(0)
			t.final[i].Observe(t.buf.FinalObs[i*d:(i+1)*d], t.seat[i])
			t.buf.FinalPlayer[i] = t.seat[i]
			return t.begin(i)
		}
		if buf.Player[0] == t.seat[i] {
			return nil
		}
		var err error
		if ended, err = t.reply(i); err != nil {
			return err
		}
	}
}

// At implements [rows].
func (t *seated) At(i int, final bool) (env.Position, []game.Action) {
	if final {
		return t.final[i], nil
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
	clear(t.buf.Reward)
	clear(t.buf.Terminated)
	clear(t.buf.Truncated)
	return nil
}
