package record

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"marsgym/env"
	"marsgym/env/game"
)

// Step is a transition of a game.
type Step struct {
	Before env.Position
	Action game.Action // of the current player of Before; not used where chance moves
	After  env.Position
}

// Chance reports whether chance moves.
func (s Step) Chance() bool { return s.Before.CurrentPlayer() == game.Chance }

// Game is a recorded game, in progress or ended.
type Game struct {
	Rules     env.Game
	Seats     []string // [P] who plays: an agent or a person
	Seed      *uint64  // of the run or match that the game belongs to; nil if not known
	Steps     []Step
	Truncated bool // a limit ended the game, not the rules
}

// New returns a game before its first move.
func New(rules env.Game, seats []string) *Game { return &Game{Rules: rules, Seats: seats} }

// Position returns the last position.
func (g *Game) Position() env.Position {
	if n := len(g.Steps); n > 0 {
		return g.Steps[n-1].After
	}
	return g.Rules.Initial()
}

// Apply records an action of the current player. Its error is that of
// [env.Position.Apply].
func (g *Game) Apply(a game.Action) error {
	before := g.Position()
	after, err := before.Apply(a)
	if err != nil {
		return err
	}
	g.Steps = append(g.Steps, Step{before, a, after})
	return nil
}

// Chance records the outcome of a chance position. It does not check that outcome is
// one of its outcomes; [Read] does.
func (g *Game) Chance(outcome env.Position) {
	g.Steps = append(g.Steps, Step{Before: g.Position(), After: outcome})
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
