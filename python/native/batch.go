//go:build cgo

package main

/*
#include <stdint.h>
#include <stdlib.h>

// Buffers of a batch of N rows. See env.Buffers.
typedef struct {
	void    *obs;          // [N, D] float, or [N, C] uint8_t
	int8_t  *mask;         // [N, A] 0 or 1
	int8_t  *player;       // [N]
	int64_t *action;       // [N] the least number leaves a row as it is
	float   *reward;       // [N, P]
	int8_t  *terminated;   // [N] 0 or 1
	int8_t  *truncated;    // [N] 0 or 1
	void    *final_obs;    // as obs
	int8_t  *final_player; // [N]
	double  *acted_reward; // [N] of the last step, of the seat that acted
	int8_t  *ended;        // [N] 0 or 1: terminated or truncated
} marsgym_buffers;
*/
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"marsgym/env"
	"marsgym/env/game"
)

// batch is an object of the library.
type batch struct {
	mu    sync.Mutex
	n     int
	game  *openGame
	rows  *seated
	slow  bool // a call may take long
	begun bool // Reset or RestoreState has succeeded

	action []int64     // the caller's
	buf    env.Buffers // the caller's, but for Action
	acted  []game.Player
	reward []float64            // acted_reward
	ended  []bool               // the caller's
	finals map[int]env.Position // of marsgym_final, until the next step
}

// hold is the action of the caller that stands for [env.Hold].
const hold = math.MinInt64

// step plays the caller's actions and returns the number of games that ended.
func (b *batch) step(j *job) (ended int, err error) {
	buf, n := &b.buf, b.n
	actions, players := len(buf.Mask)/n, len(buf.Reward)/n
	taken := buf.Action[:n]
	for i, a := range b.action[:n] {
		if a == hold {
			taken[i] = env.Hold
			continue
		}
		if uint64(a) >= uint64(actions) {
			return 0, fmt.Errorf("row %d, action %d: %w: actions are 0 to %d", i, a, game.ErrIllegalAction, actions-1)
		}
		taken[i] = game.Action(a)
	}
	copy(b.acted, buf.Player)
	if err := b.rows.Step(j); err != nil {
		return 0, err
	}
	b.finals = nil
	clear(b.reward) // only the last step of a game has rewards
	over, truncated := b.ended[:n], buf.Truncated[:n]
	for i, terminated := range buf.Terminated[:n] {
		over[i] = terminated || truncated[i]
		if over[i] {
			b.reward[i] = float64(buf.Reward[i*players+int(b.acted[i])])
			ended++
		}
	}
	return ended, nil
}

// seating says who else plays in a batch.
type seating struct {
	// Opponents are the agents in the seats after the learner's, in the order of play,
	// one for all of them, or none: the caller plays all seats.
	Opponents []entrant `json:"opponents"`
	Seat      int       `json:"seat"` // of the learner; -1 is drawn for each game
	Sample    bool      `json:"sample"`
	Seed      uint64    `json:"seed"`    // of searches
	Compact   bool      `json:"compact"` // observations are codes
}

// marsgym_batch returns a batch of rows first to first+n-1 of a run, over the caller's
// buffers. It writes to them during marsgym_reset, marsgym_step, marsgym_next and
// marsgym_restore only, and finds there what it wrote.
//
//export marsgym_batch
func marsgym_batch(g C.uintptr_t, n, first C.int, seats *C.char, b *C.marsgym_buffers, object *C.uintptr_t, out **C.char) result {
	return call(out, func() error {
		g, err := resolve[*openGame](g)
		if err != nil {
			return err
		}
		var s seating
		if err := json.Unmarshal([]byte(C.GoString(seats)), &s); err != nil {
			return fmt.Errorf("seats: %w", err)
		}
		if err := resolveTables(s.Opponents); err != nil {
			return err
		}
		if n < 1 || first < 0 {
			return fmt.Errorf("%d rows from row %d; want at least 1, from row 0 on", n, first)
		}
		n, d := int(n), g.spec.ObsLen()
		buf := env.Buffers{
			Mask:        view[bool](b.mask, n*g.spec.Actions),
			Player:      view[game.Player](b.player, n),
			Action:      make([]game.Action, n),
			Reward:      view[float32](b.reward, n*g.spec.Players),
			Terminated:  view[bool](b.terminated, n),
			Truncated:   view[bool](b.truncated, n),
			FinalPlayer: view[game.Player](b.final_player, n),
		}
		if s.Compact {
			codes, err := g.Codes()
			if err != nil {
				return err
			}
			d = codes.Len()
			buf.Codes, buf.FinalCodes = view[uint8]((*byte)(b.obs), n*d), view[uint8]((*byte)(b.final_obs), n*d)
		} else {
			buf.Obs, buf.FinalObs = view[float32]((*byte)(b.obs), n*d), view[float32]((*byte)(b.final_obs), n*d)
		}
		made := &batch{
			n: n, game: g, action: view[int64](b.action, n), buf: buf, acted: make([]game.Player, n),
			reward: view[float64](b.acted_reward, n), ended: view[bool](b.ended, n),
		}
		if made.rows, err = newSeated(context.Background(), g, s, buf, n, int(first)); err != nil {
			return err
		}
		made.slow = made.rows.slow()
		*object = handle(made)
		return nil
	})
}

// with calls f while no other thread uses the batch.
func with(object C.uintptr_t, out **C.char, f func(b *batch) error) result {
	return call(out, func() error {
		b, err := resolve[*batch](object)
		if err != nil {
			return err
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		return f(b)
	})
}

var errNotBegun = errors.New("the batch has not begun; call reset first")

// row returns an error if the batch has no row i, or has not begun.
func (b *batch) row(i int) error {
	if !b.begun {
		return errNotBegun
	}
	if i < 0 || i >= b.n {
		return fmt.Errorf("row is %d; want 0 to %d", i, b.n-1)
	}
	return nil
}

// play calls f while no other thread uses the batch. If f may take long, a job does it:
// *work is then its handle, and *ended the result of the job; else *work is 0.
func play(object C.uintptr_t, ended *C.int, work *C.uintptr_t, out **C.char, f func(b *batch, j *job) (int, error)) result {
	return call(out, func() error {
		b, err := resolve[*batch](object)
		if err != nil {
			return err
		}
		b.mu.Lock()
		if b.slow {
			j := newJob(b.game)
			j.plays = true
			*work = handle(j)
			go func() {
				defer b.mu.Unlock()
				j.run(func() (any, error) { return f(b, j) })
			}()
			return nil
		}
		defer b.mu.Unlock()
		n, err := f(b, &job{ctx: context.Background()})
		*ended = C.int(n)
		return err
	})
}

// marsgym_reset seeds all generators and starts a game in every row. See [play] for
// ended, which is 0, and work.
//
//export marsgym_reset
func marsgym_reset(object C.uintptr_t, seed C.uint64_t, ended *C.int, work *C.uintptr_t, out **C.char) result {
	return play(object, ended, work, out, func(b *batch, j *job) (int, error) {
		b.begun, b.finals = false, nil
		err := b.rows.Reset(j, uint64(seed))
		b.begun = err == nil
		clear(b.ended)
		clear(b.reward)
		return 0, err
	})
}

// marsgym_step plays the actions of all rows. The result is the number of games that
// ended. After an error nothing has changed.
//
//export marsgym_step
func marsgym_step(object C.uintptr_t, ended *C.int, work *C.uintptr_t, out **C.char) result {
	return play(object, ended, work, out, func(b *batch, j *job) (int, error) {
		if !b.begun {
			return 0, errNotBegun
		}
		return b.step(j)
	})
}

// marsgym_begin starts another game in k rows: with generators seeded as by marsgym_reset
// with seeds [k] or, if that is null, with generators as they are. See [play] for ended,
// which is 0, and work.
//
//export marsgym_begin
func marsgym_begin(object C.uintptr_t, k C.int, rows *C.int64_t, seeds *C.uint64_t, ended *C.int, work *C.uintptr_t, out **C.char) result {
	list, of := slices.Clone(view[int64](rows, int(k))), []uint64(nil)
	if seeds != nil {
		of = slices.Clone(view[uint64](seeds, int(k)))
	}
	return play(object, ended, work, out, func(b *batch, j *job) (int, error) {
		which, seen := make([]int, len(list)), make([]bool, b.n)
		for at, i := range list {
			if err := b.row(int(i)); err != nil {
				return 0, err
			}
			if seen[i] {
				return 0, fmt.Errorf("row %d is named twice", i)
			}
			which[at], seen[i] = int(i), true
		}
		return 0, b.rows.Begin(j, which, of)
	})
}

// marsgym_place starts another game in a row from the position of a text.
//
//export marsgym_place
func marsgym_place(object C.uintptr_t, row C.int, text *C.char, ended *C.int, work *C.uintptr_t, out **C.char) result {
	from := C.GoString(text)
	return play(object, ended, work, out, func(b *batch, j *job) (int, error) {
		if err := b.row(int(row)); err != nil {
			return 0, err
		}
		at, err := b.game.Parse(from)
		if err != nil {
			return 0, err
		}
		return 0, b.rows.Place(j, int(row), at)
	})
}

// rowInfo is the position of a row.
type rowInfo struct {
	positionInfo
	// Relabel holds, for each action of the batch, the action of the position that it
	// stands for; null is the identity.
	Relabel []game.Action `json:"relabel"`
}

// marsgym_row writes the position of a row or, if final is not 0, the last one of the
// game that ended there in the last step.
//
//export marsgym_row
func marsgym_row(object C.uintptr_t, row, final C.int, out **C.char) result {
	return document(out, func() (any, error) {
		b, err := resolve[*batch](object)
		if err != nil {
			return nil, err
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		if err := b.row(int(row)); err != nil {
			return nil, err
		}
		if final == 0 {
			p, label := b.rows.At(int(row))
			return rowInfo{describe(p), label}, nil
		}
		if !b.ended[row] {
			return nil, fmt.Errorf("no game ended in row %d in the last step", row)
		}
		p := b.finals[int(row)]
		if p == nil {
			p = b.rows.Final(int(row))
		}
		return rowInfo{describe(p), nil}, nil
	})
}

// marsgym_final says what the last position was of a game that ended in the last step of
// the batch whose state and buffers the caller has restored.
//
//export marsgym_final
func marsgym_final(object C.uintptr_t, row C.int, text *C.char, out **C.char) result {
	return with(object, out, func(b *batch) error {
		if err := b.row(int(row)); err != nil {
			return err
		}
		at, err := b.game.Parse(C.GoString(text))
		if err != nil {
			return err
		}
		if b.finals == nil {
			b.finals = map[int]env.Position{}
		}
		b.finals[int(row)] = at
		return nil
	})
}

// marsgym_save writes the state of a batch: *size bytes at *data, which the caller
// frees with marsgym_free_text.
//
//export marsgym_save
func marsgym_save(object C.uintptr_t, data **C.char, size *C.int64_t, out **C.char) result {
	return with(object, out, func(b *batch) error {
		if !b.begun {
			return errNotBegun
		}
		state, err := b.rows.AppendState(nil)
		if err != nil {
			return err
		}
		*data, *size = (*C.char)(C.CBytes(state)), C.int64_t(len(state))
		return nil
	})
}

// marsgym_restore restores a state that marsgym_save wrote for a batch of this size.
//
//export marsgym_restore
func marsgym_restore(object C.uintptr_t, data *C.char, size C.int64_t, out **C.char) result {
	return with(object, out, func(b *batch) error {
		b.begun, b.finals = false, nil
		err := b.rows.RestoreState(view[byte](data, int(size)))
		b.begun = err == nil
		clear(b.ended)
		clear(b.reward)
		return err
	})
}
