package pig

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"marsgym/env/game"
)

// AskRoll implements [game.Presenter].
func (r *Rules) AskRoll(State) string { return "the die, 1 to 6" }

// ReadRoll implements [game.Presenter]: a face, 1 to 6.
func (r *Rules) ReadRoll(s State, roll string) (State, error) {
	face, err := number("die", strings.TrimSpace(roll), 6)
	if err != nil || face == 0 {
		return s, errors.New("want a number from 1 to 6")
	}
	r.land(&s, face)
	return s, nil
}

// DrawRoll implements [game.Presenter]. Each outcome has one roll.
func (r *Rules) DrawRoll(s, next State, _ *rand.PCG) string { return r.OutcomeName(s, next) }

// Narrate implements [game.Presenter].
func (r *Rules) Narrate(dst []string, s, next State, a game.Action, roll string) []string {
	if s.Phase == Rolling && roll == "" {
		roll = r.OutcomeName(s, next)
	}
	switch {
	case s.Phase == Rolling && roll == "1":
		return append(dst, fmt.Sprintf("a 1 ends the turn: seat %d loses %d points and has %d", s.Seat, s.Total, next.Score[s.Seat]))
	case s.Phase == Rolling && next.Phase == Over:
		return append(dst, fmt.Sprintf("a %s", roll), fmt.Sprintf("seat %d reaches %d with %d points", s.Seat, r.cfg.Target, next.Score[s.Seat]))
	case s.Phase == Rolling:
		return append(dst, fmt.Sprintf("a %s, turn total %d", roll, next.Total))
	case a == Hold:
		return append(dst, fmt.Sprintf("seat %d has %d points", s.Seat, next.Score[s.Seat]))
	}
	return dst
}
