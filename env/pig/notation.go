package pig

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/input"
)

// ActionName implements [game.Presenter].
func (r *Rules) ActionName(a game.Action) string { return [actions]string{"roll", "hold"}[a] }

// OutcomeName implements [game.Presenter]: the face of the die.
func (r *Rules) OutcomeName(s, next State) string {
	switch {
	case next.Phase == Over:
		return strconv.Itoa(int(next.Score[s.Seat]) - int(s.Score[s.Seat]) - int(s.Total))
	case next.Seat != s.Seat:
		return "1"
	}
	return strconv.Itoa(int(next.Total) - int(s.Total))
}

// Format implements [game.Presenter]: scores in seat order, the seat whose turn it is, and
// the turn total if it is above 0.
//
//	0-0@0                      the start of a turn
//	37-52@0 turn 14            to roll or hold
//	37-52@0 turn 14 rolling    the die is rolled
//	37-103 over 1              won by seat 1
func (r *Rules) Format(s State) string {
	var b strings.Builder
	b.WriteString(game.JoinSeats(r.cfg.Players, func(seat int) int { return int(s.Score[seat]) }))
	if s.Phase == Over {
		fmt.Fprintf(&b, " over %d", s.Seat)
		return b.String()
	}
	fmt.Fprintf(&b, "@%d", s.Seat)
	if s.Total > 0 {
		fmt.Fprintf(&b, " turn %d", s.Total)
	}
	if s.Phase == Rolling {
		b.WriteString(" rolling")
	}
	return b.String()
}

// Parse implements [game.Presenter]. It rejects positions that cannot come up, such as a
// score of 1.
func (r *Rules) Parse(text string) (State, error) {
	s, err := r.parse(text)
	if err == nil {
		err = r.check(s)
	}
	if err != nil {
		return State{}, fmt.Errorf("position %q: %w; want a position such as %q", text, err, "37-52@0 turn 14")
	}
	return s, nil
}

func (r *Rules) parse(text string) (s State, err error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return s, errors.New("it is empty")
	}
	scores, seat, running := strings.Cut(words[0], "@")
	parts := strings.Split(scores, "-")
	if len(parts) != r.cfg.Players {
		return s, fmt.Errorf("it has %d scores for %d players", len(parts), r.cfg.Players)
	}
	for i, part := range parts {
		if s.Score[i], err = number("score", part, r.cfg.Target+5); err != nil {
			return s, err
		}
	}
	words = words[1:]
	if !running {
		if len(words) != 2 || words[0] != "over" {
			return s, errors.New("it names no seat to move and no winner")
		}
		s.Phase = Over
		s.Seat, err = number("seat", words[1], r.cfg.Players-1)
		return s, err
	}
	if s.Seat, err = number("seat", seat, r.cfg.Players-1); err != nil {
		return s, err
	}
	if len(words) >= 2 && words[0] == "turn" {
		if s.Total, err = number("turn total", words[1], r.cfg.Target-1); err != nil {
			return s, err
		}
		words = words[2:]
	}
	if len(words) >= 1 && words[0] == "rolling" {
		s.Phase = Rolling
		words = words[1:]
	}
	if len(words) > 0 {
		return s, fmt.Errorf("%q has no meaning there", words[0])
	}
	return s, nil
}

// check returns an error for positions that cannot come up.
func (r *Rules) check(s State) error {
	for i, n := range s.Score[:r.cfg.Players] {
		won := int(n) >= r.cfg.Target
		switch {
		case n == 1:
			return errors.New("no turn scores 1 point")
		case won && (s.Phase != Over || i != int(s.Seat)):
			return fmt.Errorf("seat %d has won with %d points", i, n)
		case !won && s.Phase == Over && i == int(s.Seat):
			return fmt.Errorf("seat %d cannot have won with %d points", i, n)
		}
	}
	switch {
	case s.Total == 1:
		return errors.New("no roll leaves a turn total of 1")
	case s.Phase != Over && int(s.Score[s.Seat])+int(s.Total) >= r.cfg.Target:
		return fmt.Errorf("seat %d has won with its turn total of %d", s.Seat, s.Total)
	}
	return nil
}

// number parses a number from 0 to most.
func number(what, text string, most int) (uint8, error) {
	n, err := input.Number(what, text, 0, most)
	return uint8(n), err
}

// DescribeAction implements [game.Presenter].
func (r *Rules) DescribeAction(s State, a game.Action) message.Message {
	switch {
	case a == Hold:
		return message.Note(message.New("pig.hold"), message.New("pig.bank", s.Total, s.Score[s.Seat]+s.Total))
	case s.Total == 0:
		return message.Note(message.New("pig.roll"), message.New("pig.ends"))
	}
	return message.Note(message.New("pig.roll"), message.New("pig.loses", s.Total))
}
