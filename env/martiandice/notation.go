package martiandice

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"marsgym/env/game"
	"marsgym/internal/input"
)

const letters = "TRHCK" // tanks, rays, humans, cows, chickens

// ActionName implements [game.Presenter].
func (r *Rules) ActionName(a game.Action) string { return actionNames[a] }

// String returns the counts without zeros, as in "T3R2H4".
func (c Counts) String() string {
	var b strings.Builder
	for t, n := range c {
		if n > 0 {
			fmt.Fprintf(&b, "%c%d", letters[t], n)
		}
	}
	return b.String()
}

// OutcomeName implements [game.Presenter]: the seats that start or roll most rays, as
// in "0,1"; the dice, as in "T1R2C3"; or, for all rolls that end the turn with n points,
// "ends+n".
func (r *Rules) OutcomeName(s, next State) string {
	switch {
	case s.Phase == Drawing:
		return strconv.Itoa(int(next.Seat))
	case s.Phase == TieBreak:
		return seats(next.Tied)
	case next.Phase == Select:
		c := next.Roll
		c[tank] = next.Aside[tank] - s.Aside[tank]
		return c.String()
	}
	return fmt.Sprintf("ends+%d", next.Score[s.Seat]-s.Score[s.Seat])
}

// Format implements [game.Presenter]:
//
//	0-0@0                            the first roll of a turn
//	13-17@1 aside T3R2H4             to roll or stop
//	13-17@1 aside T3R2H4 rolling     about to roll
//	13-17@1 aside T3R2H4 roll R2C3   to choose a type
//	27-27-20 tie 0,1                 about to roll off
//	27-20 over 0                     won by seat 0
//	0-0 draw                         about to draw the seat that starts
//
// Some configs add " start n", " round n" or " turns n".
func (r *Rules) Format(s State) string {
	var b strings.Builder
	b.WriteString(game.JoinSeats(r.cfg.Players, func(seat int) int { return int(s.Score[seat]) }))
	switch s.Phase {
	case Drawing:
		b.WriteString(" draw")
	case TieBreak:
		b.WriteString(" tie " + seats(s.Tied))
	case Over:
		b.WriteString(" over " + seats(s.Tied))
	default:
		fmt.Fprintf(&b, "@%d", s.Seat)
		if s.Aside != (Counts{}) {
			b.WriteString(" aside " + s.Aside.String())
		}
		if s.Phase == Select {
			b.WriteString(" roll " + s.Roll.String())
		} else if s.Phase == Rolling && s.Aside != (Counts{}) {
			b.WriteString(" rolling")
		}
	}
	if s.Start > 0 {
		fmt.Fprintf(&b, " start %d", s.Start)
	}
	if s.Count > 0 {
		unit := "round"
		if r.cfg.Players == 1 {
			unit = "turns"
		}
		fmt.Fprintf(&b, " %s %d", unit, s.Count)
	}
	return b.String()
}

// seats lists the seats of a bit set.
func seats(set uint16) string {
	var list []string
	for _, seat := range tied(set) {
		list = append(list, strconv.Itoa(int(seat)))
	}
	return strings.Join(list, ",")
}

// Parse implements [game.Presenter]. It rejects positions that no turn can reach, such
// as positions with too many dice.
func (r *Rules) Parse(text string) (State, error) {
	s, err := r.parse(text)
	if err == nil {
		err = r.check(s)
	}
	if err != nil {
		return State{}, fmt.Errorf("position %q: %w", text, err)
	}
	return s, nil
}

func (r *Rules) parse(text string) (State, error) {
	var s State
	words := strings.Fields(text)
	if len(words) == 0 {
		return s, errors.New("empty; write scores and the seat to move, as in " + r.Format(State{}))
	}
	scores, mover, moves := strings.Cut(words[0], "@")
	parts := strings.Split(scores, "-")
	if len(parts) != r.cfg.Players {
		return s, fmt.Errorf("has %d scores; want one for each of %d players", len(parts), r.cfg.Players)
	}
	for i, part := range parts {
		n, err := input.Number("score", part, 0, r.cfg.maxScore())
		if err != nil {
			return s, err
		}
		s.Score[i] = uint8(n)
	}
	if moves {
		n, err := input.Number("seat", mover, 0, r.cfg.Players-1)
		if err != nil {
			return s, err
		}
		s.Seat, s.Phase = uint8(n), Rolling
	}
	phased, rolling := moves, false
	for words = words[1:]; len(words) > 0; words = words[1:] {
		key, value := words[0], ""
		switch key {
		case "rolling":
			rolling = true
			continue
		case "draw":
			s.Phase, phased = Drawing, true
			continue
		}
		if len(words) < 2 {
			return s, fmt.Errorf("%q is followed by nothing", key)
		}
		value, words = words[1], words[1:]
		if err := r.parseField(&s, key, value); err != nil {
			return s, err
		}
		phased = phased || key == "tie" || key == "over"
	}
	switch {
	case !phased:
		return s, errors.New("names no seat to move; write @ and the seat after the scores")
	case s.Phase == Rolling && s.Roll != (Counts{}):
		s.Phase = Select
	case s.Phase == Rolling && s.Aside != (Counts{}) && !rolling:
		s.Phase = Decide
	}
	if rolling && (s.Phase != Rolling || s.Aside == (Counts{})) {
		return s, errors.New(`"rolling" is for dice set aside without a roll`)
	}
	return s, nil
}

// parseField reads one keyword and its value into s.
func (r *Rules) parseField(s *State, key, value string) (err error) {
	var n int
	switch key {
	case "aside":
		s.Aside, err = parseCounts(value)
	case "roll":
		s.Roll, err = parseCounts(value)
	case "tie", "over":
		s.Phase = TieBreak
		if key == "over" {
			s.Phase = Over
		}
		s.Tied, err = r.parseSeats(value)
	case "start":
		n, err = input.Number(key, value, 0, r.cfg.Players-1)
		s.Start = uint8(n)
	case "round", "turns":
		n, err = input.Number(key, value, 0, 1<<16-1)
		s.Count = uint32(n)
	default:
		return fmt.Errorf("unknown word %q; want aside, roll, rolling, tie, over, draw, start, round or turns", key)
	}
	return err
}

func (r *Rules) parseSeats(text string) (set uint16, err error) {
	for part := range strings.SplitSeq(text, ",") {
		n, err := input.Number("seat", part, 0, r.cfg.Players-1)
		if err != nil {
			return 0, err
		}
		set |= 1 << n
	}
	return set, nil
}

func parseCounts(text string) (c Counts, err error) {
	for rest := text; rest != ""; {
		t := strings.IndexByte(letters, rest[0])
		digits := len(rest[1:]) - len(strings.TrimLeft(rest[1:], "0123456789"))
		if t < 0 || digits == 0 {
			return c, fmt.Errorf("dice %q are not letters of %s with a number each, as in T3R2H4", text, letters)
		}
		n, err := input.Number(typeNames[t], rest[1:1+digits], 1, maxDice)
		if err != nil {
			return c, err
		}
		if c[t] > 0 {
			return c, fmt.Errorf("dice %q name %s twice", text, typeNames[t])
		}
		c[t], rest = uint8(n), rest[1+digits:]
	}
	return c, nil
}

// check returns an error for states that cannot be reached from any start of a turn.
func (r *Rules) check(s State) error {
	cfg := &r.cfg
	switch {
	case s.Start > 0 && (cfg.FirstPlayer != FirstRandom || s.Phase >= Drawing):
		return errors.New("start: in this game seat 0 starts")
	case s.Phase == Drawing && (cfg.FirstPlayer != FirstRandom || cfg.Players == 1):
		return errors.New("draw: in this game seat 0 starts")
	case s.Phase == Over && s.Tied == 0, s.Phase == TieBreak && s.Tied&(s.Tied-1) == 0:
		return errors.New("names too few seats")
	case cfg.MaxRounds > 0 && s.Phase < TieBreak && (s.Count == 0 || int(s.Count) > cfg.MaxRounds):
		return fmt.Errorf("round is %d; want %s", s.Count, input.Range(1, cfg.MaxRounds))
	case s.Count > 0 && cfg.Players > 1 && (cfg.MaxRounds == 0 || s.Phase >= TieBreak):
		return errors.New("round: this position has no round")
	}
	if s.Phase >= Drawing {
		if s.Aside != (Counts{}) || s.Roll != (Counts{}) {
			return errors.New("this position has no dice")
		}
		return r.checkScores(s)
	}
	for i := range cfg.Players {
		place := (i + cfg.Players - int(s.Start)) % cfg.Players
		turn := (int(s.Seat) + cfg.Players - int(s.Start)) % cfg.Players
		if place >= turn && int(s.Score[i]) >= cfg.Target {
			return fmt.Errorf("seat %d has %d points before its turn; the game would have ended at %d", i, s.Score[i], cfg.Target)
		}
	}
	if s.Aside[tank] > 0 && cfg.Faces.Tank == 0 {
		return errors.New("these dice have no tanks")
	}
	if s.Roll[tank] > 0 {
		return errors.New("tanks of a roll are set aside before a choice; count them there")
	}
	used := s.Aside.total()
	switch s.Phase {
	case Select:
		if used+s.Roll.total() != cfg.Dice {
			return fmt.Errorf("%d dice are set aside and %d were rolled; want %d in all", used, s.Roll.total(), cfg.Dice)
		}
		if stuck(&s) {
			return errors.New("nothing of this roll can be chosen; the turn is over")
		}
	case Decide, Rolling:
		if used >= cfg.Dice {
			return fmt.Errorf("%d dice are set aside; want fewer than %d, since at least one is to be rolled", used, cfg.Dice)
		}
		if used > 0 && used == int(s.Aside[tank]) {
			return errors.New("only tanks are set aside; another type is chosen first")
		}
	}
	return nil
}

// checkScores returns an error for winners and ties that contradict the scores.
func (r *Rules) checkScores(s State) error {
	best := uint8(0)
	for _, n := range s.Score[:r.cfg.Players] {
		best = max(best, n)
	}
	for i, n := range s.Score[:r.cfg.Players] {
		switch {
		case s.Phase == Drawing && n > 0:
			return errors.New("draw: no seat has points yet")
		case s.Phase != Drawing && s.Tied>>i&1 == 1 && n < best:
			return fmt.Errorf("seat %d has %d points, and another seat %d", i, n, best)
		}
	}
	if s.Phase != Drawing && int(best) < r.cfg.Target && r.cfg.MaxRounds == 0 {
		return fmt.Errorf("no seat has %d points", r.cfg.Target)
	}
	return nil
}
