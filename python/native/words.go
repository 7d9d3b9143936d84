//go:build cgo

package main

/*
#include <stdint.h>
*/
import "C"

import (
	"encoding/json"
	"fmt"
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
//	"rules"     the rules of the game; the argument is a language, such as "de"
//	"describe"  the position; the argument is JSON of [description]
//	"parse"     the number of the action that the answer in the argument names, or nothing
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
		case "describe":
			var d description
			if err := json.Unmarshal([]byte(argument), &d); err != nil {
				return "", err
			}
			return g.inWords(p, d)
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

// description is how to describe a position.
type description struct {
	Lang  string `json:"lang"`
	Seat  *int   `json:"seat"` // who reads; nil is the seat to move, or nobody
	Legal bool   `json:"legal"`
}

func (g *openGame) inWords(p env.Position, d description) (string, error) {
	language, err := g.language(d.Lang)
	if err != nil {
		return "", err
	}
	seat := p.CurrentPlayer()
	if d.Seat != nil {
		seat = game.Player(*d.Seat)
	}
	return words.Describe(g, p, words.Options{Language: language, Seat: seat, Legal: d.Legal}), nil
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
