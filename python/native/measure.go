//go:build cgo

package main

/*
#include <stdint.h>
*/
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/eval/regret"
)

// continuation is how to play on from a position.
type continuation struct {
	Seat   int      `json:"seat"`
	Others []string `json:"others"` // agents in the other seats
	Forced bool     `json:"forced"` // whether to play decisions without a choice
	Seed   uint64   `json:"seed"`
}

// reached is a position with the steps that led to it.
type reached struct {
	positionInfo
	Past []pastStep `json:"past"`
}

// marsgym_play_on writes the position to which a game goes on, see [regret.PlayOn], as [reached]; argument
// is JSON of [continuation]. The game must be solved before "exact" plays.
//
//export marsgym_play_on
func marsgym_play_on(g C.uintptr_t, text, argument *C.char, out **C.char) result {
	return document(out, func() (any, error) {
		g, p, err := resolvePosition(g, text)
		if err != nil {
			return nil, err
		}
		var c continuation
		if err := json.Unmarshal([]byte(C.GoString(argument)), &c); err != nil {
			return nil, err
		}
		others, err := g.others(context.Background(), c.Others)
		if err != nil {
			return nil, err
		}
		s := env.NewSession(g)
		s.Begin(p)
		s.Seed(c.Seed)
		if err := regret.PlayOn(context.Background(), s, game.Player(c.Seat), others, c.Forced); err != nil {
			return nil, err
		}
		return reached{describe(s.Position()), pastSteps(s.Steps)}, nil
	})
}

// others returns the agents of these names, each opened once.
func (g *openGame) others(ctx context.Context, names []string) (list []*agents.Agent, err error) {
	g.opening.Lock()
	defer g.opening.Unlock()
	for _, name := range names {
		a := g.opened[name]
		if a == nil {
			if a, err = g.agent(ctx, name, false, 0); err != nil {
				return nil, err
			}
			if g.opened == nil {
				g.opened = map[string]*agents.Agent{}
			}
			g.opened[name] = a
		}
		list = append(list, a)
	}
	return list, nil
}

// inquiry is a question of a measurement to the policy of the caller: what it does in a position.
type inquiry struct {
	Number   int     `json:"number"`
	Position reached `json:"position"`
	reply    chan reply
}

// reply is what the policy of the caller did.
type reply struct {
	Action int     `json:"action"` // -1 if it named no legal action
	Cost   float64 `json:"cost"`
}

// measure measures the policy of the caller, whose decisions it asks for by inquiries.
func (j *job) measure(t task) (any, error) {
	solution, err := j.game.solved()
	if err != nil {
		return nil, err
	}
	others, err := j.game.others(j.ctx, t.Others)
	if err != nil {
		return nil, err
	}
	return regret.Measure(j.ctx, j.game, solution, j.inquire, t.Name, regret.Options{
		Games: t.Games, Seed: t.Seed, Others: others, Concurrency: t.Concurrency, Retries: t.Retries, MaxCalls: t.MaxCalls, MaxCost: t.MaxCost,
		File: t.File, Worst: t.Mistakes, Progress: j.progress,
	})
}

// inquire asks the caller for a decision.
func (j *job) inquire(ctx context.Context, s *env.Session) (c regret.Choice, err error) {
	q := &inquiry{Position: reached{describe(s.Position()), pastSteps(regret.SinceDecision(s))}, reply: make(chan reply, 1)}
	select {
	case j.inquiries <- q:
	case <-ctx.Done():
		return c, ctx.Err()
	}
	select {
	case r := <-q.reply:
		return regret.Choice{Action: game.Action(r.Action), Cost: r.Cost}, nil
	case <-ctx.Done():
		return c, ctx.Err()
	}
}

// marsgym_inquire waits for at most that many milliseconds for inquiries of a job, or for its end. It
// writes {"inquiries": [...], "done": fraction}, or {"result": ...} at the end.
//
//export marsgym_inquire
func marsgym_inquire(object C.uintptr_t, milliseconds C.int, out **C.char) result {
	return document(out, func() (any, error) {
		j, err := resolve[*job](object)
		if err != nil {
			return nil, err
		}
		timeout := time.NewTimer(time.Duration(milliseconds) * time.Millisecond)
		defer timeout.Stop()
		found := struct {
			Inquiries []*inquiry `json:"inquiries"`
			Done      float64    `json:"done"`
			Result    any        `json:"result"`
		}{Inquiries: []*inquiry{}}
		add := func(q *inquiry) {
			j.mu.Lock()
			defer j.mu.Unlock()
			j.inquired++
			q.Number = j.inquired
			j.waiting[q.Number] = q
			found.Inquiries = append(found.Inquiries, q)
		}
		select {
		case q := <-j.inquiries:
			add(q)
		case <-j.ended:
			if j.err != nil {
				return nil, j.err
			}
			found.Result, found.Done = j.result, 1
			return found, nil
		case <-timeout.C:
		}
		for more := true; more; {
			select {
			case q := <-j.inquiries:
				add(q)
			default:
				more = false
			}
		}
		found.Done = j.fraction()
		return found, nil
	})
}

// marsgym_reply answers the inquiry of a number; the argument is JSON of [reply].
//
//export marsgym_reply
func marsgym_reply(object C.uintptr_t, number C.int, argument *C.char, out **C.char) result {
	return call(out, func() error {
		j, err := resolve[*job](object)
		if err != nil {
			return err
		}
		var r reply
		if err := json.Unmarshal([]byte(C.GoString(argument)), &r); err != nil {
			return err
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		q := j.waiting[int(number)]
		if q == nil {
			return fmt.Errorf("there is no inquiry %d", number)
		}
		delete(j.waiting, int(number))
		q.reply <- r
		return nil
	})
}

// marsgym_cancel cancels a job and waits until it has ended: its file is then closed.
//
//export marsgym_cancel
func marsgym_cancel(object C.uintptr_t, out **C.char) result {
	return call(out, func() error {
		j, err := resolve[*job](object)
		if err != nil {
			return err
		}
		j.cancel()
		<-j.ended
		if errors.Is(j.err, context.Canceled) {
			return nil
		}
		return j.err
	})
}
