package martianrisk

import (
	"fmt"
	"math/bits"
	"strings"

	"marsgym/env/game"
	"marsgym/internal/colour"
)

// Render implements [game.Renderer]: the next step, the seats, and the map with its
// borders, in colours for a terminal. A region shows its name, its owner, the number of
// armies and its tower pieces. A > marks the attacking region, a ! the region that is
// attacked, was just conquered, or got a split tower. Lines join regions that share a
// border; the borders that no line can show are listed below. Without colours:
//
//	round 3 of 20, seat 1: ID attacks MT
//	seat 0    7 regions   12 armies   13 in supply  pieces 4L 4M 4S  unions a
//	seat 1    1 region     3 armies   22 in supply  pieces 4L 4M 4S
//	...
//	WA 0:2 --- ID 1:3LMS> - MT 2:1! -- ND 1:1
//	 |     /   |      X     |     X
//	OR 0:4 --- NV 0:1       WY 2:2
//	borders without a line: ID-UT NV-AZ
//	unions: a AZ CO ID, b CA MT NM
func (r *Rules) Render(s State) string {
	var b strings.Builder
	b.WriteString(r.headline(&s))
	if w := r.cfg.Warning(); w != "" && s.Phase <= Filling {
		fmt.Fprintf(&b, " (nobody can conquer the map: %s)", w)
	}
	b.WriteByte('\n')
	for p := range r.cfg.Players {
		b.WriteString(r.seatLine(&s, uint8(p)) + "\n")
	}
	b.WriteString(r.drawMap(&s))
	return b.String()
}

// headline describes the next step.
func (r *Rules) headline(s *State) string {
	text := ""
	if s.Round > 0 {
		text = fmt.Sprintf("round %d of %d, ", s.Round, r.cfg.MaxRounds)
	}
	name := func(i uint8) string { return r.board.names[i] }
	setup := func(what string) string {
		return fmt.Sprintf("setup: seat %d %s; armies to place: %d", s.Mover, what, r.cfg.SetupArmies-s.onMap(s.Mover))
	}
	switch s.Phase {
	case Ordering:
		return text + "the dice decide who begins"
	case Towers, Claiming:
		return setup("occupies a region")
	case Filling:
		return setup("adds an army")
	case Rolling:
		return text + fmt.Sprintf("seat %d rolls the die", s.Mover)
	case Reinforce:
		text += fmt.Sprintf("seat %d reinforces, points %d", s.Mover, s.Points)
		if s.Low != 0 {
			text += ", too low a roll to begin a tower"
		}
		return text
	case Attack:
		return text + fmt.Sprintf("seat %d attacks", s.Mover)
	case Battle:
		return text + fmt.Sprintf("seat %d: %s attacks %s", s.Mover, name(s.From), name(s.To))
	case Occupy:
		return text + fmt.Sprintf("seat %d has conquered %s from %s", s.Mover, name(s.To), name(s.From))
	case Fortify:
		return text + fmt.Sprintf("seat %d may split a tower", s.Mover)
	case Small:
		return text + fmt.Sprintf("seat %d has moved a tower to %s, and places its small piece", s.Mover, name(s.To))
	}
	if s.Own[s.Mover] == r.board.all {
		return text + fmt.Sprintf("seat %d has conquered the map", s.Mover)
	}
	text += "over, shares of the win:"
	for p, ret := range r.Returns(nil, *s) {
		text += fmt.Sprintf(" seat %d %.4g,", p, r.spec.WinShare(ret))
	}
	return strings.TrimSuffix(text, ",")
}

// seatLine describes what a seat has.
func (r *Rules) seatLine(s *State, p uint8) string {
	text := colour.Paint(colour.Seats[p], fmt.Sprintf("seat %d", p))
	if s.Phase >= Rolling && s.Own[p] == 0 {
		return text + "  is out"
	}
	text += fmt.Sprintf("  %-11s  %-10s  %3d in supply", plural("%3d", bits.OnesCount64(s.Own[p]), "region", "regions"), plural("%3d", s.onMap(p), "army", "armies"), r.supply(s, p))
	if r.cfg.Trios > 0 {
		large, medium, small := r.pieces(s, p)
		text += fmt.Sprintf("  pieces %dL %dM %dS", large, medium, small)
	}
	var held []string
	for i, u := range r.board.unions {
		if u&^s.Own[p] == 0 {
			held = append(held, unionName(i))
		}
	}
	if held != nil {
		text += "  unions " + strings.Join(held, " ")
	}
	return text
}

// plural returns a number in a format, and the noun that fits it.
func plural(format string, n int, one, many string) string {
	if n != 1 {
		one = many
	}
	return fmt.Sprintf(format+" %s", n, one)
}

func unionName(i int) string { return string(rune('a' + i%26)) }

// DescribeAction implements [game.Renderer]. For an attack it includes the odds.
func (r *Rules) DescribeAction(s State, a game.Action) string {
	name := func(i game.Action) string { return r.board.names[i] }
	switch {
	case a == r.end:
		return r.describeEnd(&s)
	case a == r.stack:
		return "leave it on the medium piece in " + r.board.names[s.To]
	case a >= r.small:
		return "the small piece into " + name(a-r.small) + r.describeTower(&s, int(a-r.small))
	case a >= r.split:
		e := r.board.edges[a-r.split]
		return fmt.Sprintf("split the tower in %s; all but its large piece to %s%s", r.board.names[e[0]], r.board.names[e[1]], r.describeTower(&s, int(e[1])))
	case a >= r.occupy:
		n := int(a-r.occupy) + 1
		return fmt.Sprintf("armies from %s into %s: %d stay", r.board.names[s.From], r.board.names[s.To], int(s.Armies[s.From])-n)
	case a >= r.battle:
		e := r.board.edges[a-r.battle]
		higher := s.height(e[0]) - s.height(e[1])
		c := NewConquest(int(s.Armies[e[0]]), int(s.Armies[e[1]]), higher)
		return fmt.Sprintf("attack (armies, odds of battle, conquest): %d-%d %.0f %% %.0f %%",
			s.Armies[e[0]], s.Armies[e[1]], 100*BattleOdds(higher), 100*c.Odds)
	case a >= r.piece:
		i := int(a - r.piece)
		return "place a " + nextPiece(&s, i)
	}
	if s.Phase == Towers && r.cfg.Trios > 0 {
		return "place your tower and an army"
	}
	return "place an army"
}

// describeBattle describes the losses of a battle.
func (r *Rules) describeBattle(s, next *State) string {
	from, to := r.board.names[s.From], r.board.names[s.To]
	defender := s.owner(int(s.To))
	switch left := s.Armies[s.To] - 1; {
	case next.Own[s.Mover]>>s.To&1 == 0 && next.Armies[s.To] == s.Armies[s.To]:
		return fmt.Sprintf("lost: %s loses an army, %d left", from, s.Armies[s.From]-1)
	case left > 0:
		return fmt.Sprintf("won: %s loses an army, %d left", to, left)
	case next.Own[defender] == 0:
		return fmt.Sprintf("won: %s falls to seat %d, and seat %d is out", to, s.Mover, defender)
	}
	return fmt.Sprintf("won: %s falls to seat %d", to, s.Mover)
}

// describeTower describes the tower of a region, if there is one.
func (r *Rules) describeTower(s *State, i int) string {
	if s.tower(i) == "" {
		return ""
	}
	return fmt.Sprintf(", which has %d%s", s.Armies[i], s.tower(i))
}

// describeEnd describes the end of a phase.
func (r *Rules) describeEnd(s *State) string {
	switch s.Phase {
	case Reinforce:
		return fmt.Sprintf("reinforce no more; points lost: %d", s.Points)
	case Attack:
		return "attack no more"
	}
	return "split no tower"
}
