package main

import (
	"fmt"
	"io"
	"strings"

	"marsgym/env/game"
	"marsgym/internal/rulesbook"
)

// columns is the width of text for people.
const columns = 79

// printRules writes the rules of a game, or only the part about something.
func printRules(w io.Writer, spec game.Spec, about string) error {
	text := rulesbook.Rules(spec, about, columns)
	switch {
	case text == "" && about == "":
		text = spec.Title + " has no written rules.\n"
	case text == "":
		text = fmt.Sprintf("The rules do not mention %q.\n", about)
	}
	if titles := rulesbook.Sections(spec); about == "" && titles != nil {
		text += "\nAt the prompt, rules WORD shows one part. The parts: " + strings.Join(titles, ", ") + ".\n"
	}
	_, err := io.WriteString(w, "\n"+text)
	return err
}
