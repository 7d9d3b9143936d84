//go:build cgo

package main

/*
#include <stdint.h>
*/
import "C"

import (
	"fmt"
	"math/rand/v2"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/message"
)

// positionInfo describes a position.
type positionInfo struct {
	Text    string        `json:"text"`
	Player  game.Player   `json:"player"` // -1 chance, -2 terminal
	Legal   []game.Action `json:"legal"`
	Returns []float64     `json:"returns"`
}

func describe(p env.Position) positionInfo {
	legal := p.Legal()
	if legal == nil {
		legal = []game.Action{}
	}
	return positionInfo{p.String(), p.CurrentPlayer(), legal, p.Returns()}
}

// outcomeInfo is a successor of a chance position.
type outcomeInfo struct {
	Prob float64 `json:"prob"`
	positionInfo
}

// parse returns the position of a text; an empty one is the initial position.
func (g *openGame) parse(text string) (env.Position, error) {
	if text == "" {
		return g.Initial(), nil
	}
	return g.Parse(text)
}

// resolvePosition returns the game of a handle, and its position of a text.
func resolvePosition(h C.uintptr_t, text *C.char) (*openGame, env.Position, error) {
	g, err := resolve[*openGame](h)
	if err != nil {
		return nil, nil, err
	}
	p, err := g.parse(C.GoString(text))
	return g, p, err
}

// marsgym_position answers a question about a position, whose argument is an action, a
// number or a seed:
//
//	"describe"   text, player, legal actions, returns
//	"apply"      the same after an action
//	"outcomes"   the same of each successor of a chance position, with its probability
//	"outcome"    the same of the successor of a number
//	"sample"     the same of one that is sampled with a seed
//	"draw"       the same and its number, with its probability in outcomes
//	"render"     the position for people
//	"scene"      the position as data for programs that draw it, see game.Scene; null if
//	             the game has none
//	"describe_action"
//	"value"      expected return of each seat under optimal play
//
//export marsgym_position
func marsgym_position(g C.uintptr_t, text, question *C.char, argument C.int64_t, out **C.char) result {
	return document(out, func() (any, error) {
		g, p, err := resolvePosition(g, text)
		if err != nil {
			return nil, err
		}
		return g.ask(p, C.GoString(question), int64(argument))
	})
}

// drawn is a successor of a chance position and its number.
type drawn struct {
	Index int `json:"index"`
	positionInfo
}

func (g *openGame) ask(p env.Position, question string, argument int64) (any, error) {
	switch question {
	case "outcomes", "outcome", "sample", "draw":
		if p.CurrentPlayer() != game.Chance {
			return nil, fmt.Errorf("chance does not move in %s: %w", p, game.ErrIllegalAction)
		}
	}
	a := game.Action(argument)
	switch question {
	case "describe":
		return describe(p), nil
	case "apply":
		next, err := p.Apply(a)
		if err != nil {
			return nil, err
		}
		return describe(next), nil
	case "outcomes":
		list := []outcomeInfo{}
		for _, o := range p.Outcomes() {
			list = append(list, outcomeInfo{o.Prob, describe(o.State)})
		}
		return list, nil
	case "outcome":
		next, err := p.OutcomeAt(int(argument))
		if err != nil {
			return nil, err
		}
		return describe(next), nil
	case "sample":
		return describe(p.Sample(rand.NewPCG(uint64(argument), 0))), nil
	case "draw":
		i, next := p.DrawOutcome(rand.NewPCG(uint64(argument), 0))
		return drawn{i, describe(next)}, nil
	case "render":
		return p.Render(message.Speaker{}), nil
	case "scene":
		return p.Scene(), nil
	case "describe_action":
		return p.DescribeAction(a), nil
	}
	s, err := g.solved()
	if err != nil {
		return nil, err
	}
	if question == "value" {
		return s.Value(p)
	}
	return nil, fmt.Errorf("unknown question %q", question)
}

// marsgym_options writes the mover's expected return of each legal action to values [n], where n is the
// number of legal actions.
//
//export marsgym_options
func marsgym_options(g C.uintptr_t, text *C.char, values *C.double, n C.int, out **C.char) result {
	return call(out, func() error {
		g, p, err := resolvePosition(g, text)
		if err != nil {
			return err
		}
		s, err := g.solved()
		if err != nil {
			return err
		}
		if p.CurrentPlayer() < 0 {
			return fmt.Errorf("no seat is to move in %s", p)
		}
		options, err := s.Options(p)
		if err != nil {
			return err
		}
		if len(options) != int(n) {
			return fmt.Errorf("%d values for %d legal actions", n, len(options))
		}
		copy(view[float64](values, len(options)), options)
		return nil
	})
}

// marsgym_observe writes what a seat observes in a position to obs [D].
//
//export marsgym_observe
func marsgym_observe(g C.uintptr_t, text *C.char, seat C.int, obs *C.float, out **C.char) result {
	return call(out, func() error {
		g, p, err := resolvePosition(g, text)
		if err != nil {
			return err
		}
		if seat < 0 || int(seat) >= g.spec.Players {
			return fmt.Errorf("seat is %d; want 0 to %d", seat, g.spec.Players-1)
		}
		p.Observe(view[float32](obs, g.spec.ObsLen()), game.Player(seat))
		return nil
	})
}

// marsgym_chance writes the probabilities of the successors of a chance position to probs,
// if they are at most size, and their number to n.
//
//export marsgym_chance
func marsgym_chance(g C.uintptr_t, text *C.char, probs *C.double, size C.int64_t, n *C.int64_t, out **C.char) result {
	return call(out, func() error {
		_, p, err := resolvePosition(g, text)
		if err != nil {
			return err
		}
		*n = 0
		if p.CurrentPlayer() != game.Chance {
			return nil
		}
		list := p.OutcomeProbs(nil)
		*n = C.int64_t(len(list))
		if len(list) <= int(size) {
			copy(view[float64](probs, len(list)), list)
		}
		return nil
	})
}
