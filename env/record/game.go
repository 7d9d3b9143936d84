package record

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"marsgym/env"
)

// Game is a recorded game, in progress or ended.
type Game struct {
	*env.Session
	Seats     []string // [P] who plays: an agent or a person
	Seed      *uint64  // of the run or match that the game belongs to; nil if not known
	Truncated bool     // a limit ended the game, not the rules
}

// New returns a game before its first move.
func New(rules env.Game, seats []string) *Game {
	return &Game{Session: env.NewSession(rules), Seats: seats}
}

// maxName bounds the name of a seat, in bytes. Chosen: above every path of a file that
// is an agent.
const maxName = 4096

// checkName returns an error for a name that cannot be written on a line.
func checkName(name string) error {
	switch {
	case name == "" || strings.TrimSpace(name) != name:
		return errors.New("it is empty, or begins or ends with a space")
	case len(name) > maxName:
		return fmt.Errorf("it has %d bytes; want at most %d", len(name), maxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return errors.New("it holds characters that are no text")
	}
	return nil
}
