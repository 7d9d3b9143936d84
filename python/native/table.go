//go:build cgo

package main

/*
#include <stdint.h>

// A table game of S states, A actions in all, O outcomes, R rows of returns; see
// tablegame.Table. Texts and one of the observations may be NULL.
typedef struct {
	int8_t   *player;             // [S]
	uint32_t *first;              // [S]
	uint16_t *count;              // [S]
	uint16_t *action;             // [A]
	uint32_t *next;               // [A]
	uint32_t *outcome;            // [O]
	double   *probability;        // [O]
	double   *returns;            // [R, P]
	uint8_t  *observation_bytes;  // [S, seats, numbers]
	float    *observation_floats; // [S, seats, numbers]
	uint8_t  *state_text;
	uint64_t *state_text_end;     // [S]
	uint8_t  *action_text;
	uint32_t *action_text_end;    // [actions]
	char     *name;
	char     *about;
	int64_t players;              // P
	int64_t actions;              // the number of action numbers
	int64_t move_limit;
	int64_t states, moves, outcomes, ends; // S, A, O, R
	int64_t seats, numbers;       // of observations
} marsgym_table;
*/
import "C"

import (
	"fmt"
	"math"
	"slices"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/tablegame"
)

// copied returns a copy of the caller's memory of n elements.
func copied[T, C any](p *C, n C.int64_t) []T {
	if p == nil || n == 0 {
		return nil
	}
	return slices.Clone(view[T](p, int(n)))
}

// marsgym_open_table opens a game of a table, which it copies, and writes its specification.
//
//export marsgym_open_table
func marsgym_open_table(t *C.marsgym_table, g *C.uintptr_t, out **C.char) result {
	return document(out, func() (any, error) {
		rules, err := tablegame.New(&tablegame.Table{
			Name: C.GoString(t.name), About: C.GoString(t.about),
			Players: int(t.players), Actions: int(t.actions), MoveLimit: int(t.move_limit),
			Graph: tablegame.Graph{
				Mover: copied[game.Player](t.player, t.states),
				First: copied[uint32](t.first, t.states),
				Count: copied[uint16](t.count, t.states),
				Next:  copied[uint32](t.next, t.moves), Outcome: copied[uint32](t.outcome, t.outcomes),
				Probability: copied[float64](t.probability, t.outcomes),
				Returns:     copied[float64](t.returns, t.ends*t.players),
			},
			Action: copied[uint16](t.action, t.moves),
			Observation: tablegame.Observation{
				Seats: int(t.seats), Len: int(t.numbers),
				Bytes:  copied[byte](t.observation_bytes, t.states*t.seats*t.numbers),
				Floats: copied[float32](t.observation_floats, t.states*t.seats*t.numbers),
			},
			StateText:  texts(t.state_text, copied[uint64](t.state_text_end, t.states)),
			ActionText: texts(t.action_text, widened(copied[uint32](t.action_text_end, t.actions))),
		})
		if err != nil {
			return nil, err
		}
		opened := catalog.OpenTable(rules)
		*g = handle(newOpenGame(opened))
		return specify(opened), nil
	})
}

// texts copies texts, the last of which ends at the last end.
func texts(text *C.uint8_t, end []uint64) tablegame.Texts {
	if len(end) == 0 {
		return tablegame.Texts{}
	}
	return tablegame.Texts{Bytes: copied[byte](text, C.int64_t(end[len(end)-1])), End: end}
}

func widened(list []uint32) []uint64 {
	var wide []uint64
	for _, x := range list {
		wide = append(wide, uint64(x))
	}
	return wide
}

// resolveTable returns the rules of the table game of a handle.
func resolveTable(handle C.uintptr_t) (*tablegame.Rules, error) {
	g, err := resolve[*openGame](handle)
	if err != nil {
		return nil, err
	}
	rules, ok := g.Rules().(*tablegame.Rules)
	if !ok {
		return nil, fmt.Errorf("%s is no table game", g.spec.ID)
	}
	return rules, nil
}

// marsgym_save_game writes the file of a table game. A file that is there is an error.
//
//export marsgym_save_game
func marsgym_save_game(g C.uintptr_t, path *C.char, out **C.char) result {
	return call(out, func() error {
		rules, err := resolveTable(g)
		if err != nil {
			return err
		}
		return rules.Save(C.GoString(path))
	})
}

// tablePolicy is a policy of a table game: the probability of each action of each state, in the
// order of the table.
type tablePolicy struct {
	table *tablegame.Table
	probs []float64
}

// Probs implements [game.Policy].
func (p *tablePolicy) Probs(dst []float64, states []tablegame.State) error {
	t := p.table
	clear(dst)
	for i, s := range states {
		first, n := uint(t.First[s.At]), uint(t.Count[s.At])
		row := dst[i*t.Actions : (i+1)*t.Actions]
		for k, a := range t.Action[first : first+n] {
			row[a] = p.probs[first+uint(k)]
		}
	}
	return nil
}

// marsgym_policy returns a policy of a table game, whose probabilities it copies and checks: n of them,
// one for each action of each state, in the order of the table.
//
//export marsgym_policy
func marsgym_policy(g C.uintptr_t, probabilities *C.double, n C.int64_t, object *C.uintptr_t, out **C.char) result {
	return call(out, func() error {
		rules, err := resolveTable(g)
		if err != nil {
			return err
		}
		t := rules.Table()
		if int(n) != len(t.Action) {
			return fmt.Errorf("the policy has %d probabilities; want %d, one for each action of each state", n, len(t.Action))
		}
		p := &tablePolicy{t, copied[float64](probabilities, n)}
		if err := p.normalise(); err != nil {
			return err
		}
		*object = handle(p)
		return nil
	})
}

// normalise divides the probabilities of each decision by their sum, or returns an error if they are
// no probabilities. It tolerates what [request.check] does.
func (p *tablePolicy) normalise() error {
	t := p.table
	for at, mover := range t.Mover {
		if mover < 0 {
			continue
		}
		row, sum := p.probs[t.First[at]:][:t.Count[at]], 0.0
		for k, x := range row {
			if !(x >= 0 && x <= 1+sumTolerance) {
				return fmt.Errorf("policy: the probability of action %d in s%d is %v; want 0 to 1", t.Action[int(t.First[at])+k], at, x)
			}
			sum += x
		}
		if !(math.Abs(sum-1) <= sumTolerance) {
			return fmt.Errorf("policy: the probabilities of s%d add up to %v; want 1", at, sum)
		}
		for k := range row {
			row[k] /= sum
		}
	}
	return nil
}

func (p *tablePolicy) agent(name string) *agents.Agent {
	return &agents.Agent{Name: name, Policy: env.StatePolicy[tablegame.State]{Policy: p}}
}
