//go:build cgo

package main

/*
#include <stdint.h>
*/
import "C"

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/env/words"
	"marsgym/internal/rulesbook"
)

// rulesWidth is the number of columns of rules, as cmd/play prints them.
const rulesWidth = 79

// marsgym_words writes the answer, as plain text, to a question about a game or a position:
//
//	"rules"  the rules of the game; the argument is a language, such as "de"
//	"parse"  the number of the action that the answer in the argument names, or nothing
//	"agent"  JSON of the sentences that tell an agent how to play, in the language of the argument, by
//	         what their keys have behind "agent."
//
//export marsgym_words
func marsgym_words(g C.uintptr_t, text, question, argument *C.char, out **C.char) result {
	return answer(out, func() (string, error) {
		g, p, err := resolvePosition(g, text)
		if err != nil {
			return "", err
		}
		argument := C.GoString(argument)
		switch question := C.GoString(question); question {
		case "rules":
			return g.writtenRules(argument)
		case "agent":
			return g.agentSentences(argument)
		case "parse":
			if a, ok := g.parser().Parse(p, argument); ok {
				return strconv.Itoa(int(a)), nil
			}
			return "", nil
		default:
			return "", fmt.Errorf("unknown question %q", question)
		}
	})
}

// marsgym_describe writes a position in words, see [words.Describe], for the seat that reads, or below 0
// for the seat to move. past is JSON of what happened before, a list of [pastStep], or empty.
//
//export marsgym_describe
func marsgym_describe(g C.uintptr_t, text *C.char, seat, legal C.int, lang, past *C.char, out **C.char) result {
	return answer(out, func() (string, error) {
		g, p, err := resolvePosition(g, text)
		if err != nil {
			return "", err
		}
		return g.inWords(p, C.GoString(lang), C.GoString(past), words.Options{Seat: game.Player(seat), Legal: legal != 0})
	})
}

// inWords completes the options by those that are texts, see [marsgym_describe].
func (g *openGame) inWords(p env.Position, lang, past string, o words.Options) (text string, err error) {
	if o.Language, err = g.language(lang); err != nil {
		return "", err
	}
	if o.Past, err = g.readPast(p, past); err != nil {
		return "", err
	}
	if o.Seat < 0 {
		o.Seat = p.CurrentPlayer()
	}
	return words.Describe(g, p, o), nil
}

// pastStep is a step of a game before a position: where it was made, and the action, or -1 of chance.
type pastStep struct {
	Position string      `json:"position"`
	Action   game.Action `json:"action"`
}

// pastSteps returns steps for [readPast].
func pastSteps(steps []env.Transition) []pastStep {
	list := []pastStep{}
	for _, t := range steps {
		step := pastStep{t.Before.String(), t.Action}
		if t.Chance() {
			step.Action = -1
		}
		list = append(list, step)
	}
	return list
}

// readPast reads the steps that lead to a position, each from the one before. Where the outcome of
// chance leaves dice open, a step has dice that lead there, which are the same whenever it is read.
func (g *openGame) readPast(p env.Position, text string) (list []env.Transition, err error) {
	if text == "" {
		return nil, nil
	}
	var steps []pastStep
	if err := json.Unmarshal([]byte(text), &steps); err != nil {
		return nil, err
	}
	for i, step := range steps {
		before, err := g.parse(step.Position)
		if err != nil {
			return nil, fmt.Errorf("step %d of past: %w", i, err)
		}
		if i > 0 {
			list[i-1].After = before
		}
		list = append(list, env.Transition{Before: before, Action: step.Action, After: p})
	}
	for i := range list {
		if t := &list[i]; !replay(t) {
			what := "chance"
			if !t.Chance() {
				what = fmt.Sprintf("action %d", t.Action)
			}
			return nil, fmt.Errorf("step %d of past: %s at %s does not lead to %s", i, what, t.Before, t.After)
		}
	}
	return list, nil
}

// replay makes a step again, and reports whether it leads where it says. It gives chance a roll.
func replay(t *env.Transition) bool {
	if !t.Chance() {
		next, err := t.Before.Apply(t.Action)
		return err == nil && next == t.After
	}
	seed := fnv.New64a()
	fmt.Fprint(seed, t.Before, t.After)
	t.Roll = t.Before.DrawRoll(t.After, rand.NewPCG(seed.Sum64(), 0))
	next, err := t.Before.ReadRoll(t.Roll)
	return err == nil && next == t.After
}

func (g *openGame) writtenRules(lang string) (string, error) {
	if _, err := g.language(lang); err != nil {
		return "", err
	}
	text := rulesbook.Read(g.spec, lang, rulesWidth)
	if text == "" {
		return "", fmt.Errorf("%s has no written rules; its descriptions of positions list the legal actions", g.spec.Title)
	}
	return text, nil
}

func (g *openGame) agentSentences(lang string) (string, error) {
	l, err := g.language(lang)
	if err != nil {
		return "", err
	}
	said := map[string]string{}
	for key := range message.English().Messages {
		if name, ok := strings.CutPrefix(key, "agent."); ok {
			said[name] = message.Speaker{Language: l}.Word(key)
		}
	}
	text, err := json.Marshal(said)
	return string(text), err
}

// language returns the language of a code, in which the game must be written.
func (g *openGame) language(code string) (*message.Language, error) {
	var codes []string
	for _, l := range g.languages() {
		if l.Code == code {
			return l, nil
		}
		codes = append(codes, l.Code)
	}
	return nil, fmt.Errorf("%s is not written in %q; its languages are %s", g.spec.Title, code, strings.Join(codes, ", "))
}
