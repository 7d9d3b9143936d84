package martianrisk

import (
	"fmt"
	"math/bits"
	"strings"

	"marsgym/env/game"
)

// Picture keeps [game.Guide]: what happens, the seats, and the map. A region
// shows its name and, in small letters, its union; below, who holds it with how
// many armies and which tower pieces.
//
//	round 3 of 100, seat 1 attacks
//	seat 0    7 regions   12 armies   13 in supply   towers 4L 4M 4S left   unions a
//	...
//	WA c    ID b    MT e
//	0:2     1:3LMS  2:1
//	OR f    NV a    WY c
//	0:4L    0:1     2:2
func (r *Rules) Picture(s State) string {
	var b strings.Builder
	b.WriteString(r.headline(&s))
	if w := r.cfg.Warning(); w != "" && s.Phase <= Filling {
		fmt.Fprintf(&b, " (nobody can conquer the map: %s)", w)
	}
	b.WriteByte('\n')
	for p := range r.cfg.Players {
		b.WriteString(r.seatLine(&s, uint8(p)) + "\n")
	}
	b.WriteString(r.drawing(&s))
	return b.String()
}

// headline says what happens.
func (r *Rules) headline(s *State) string {
	text := ""
	if s.Round > 0 {
		text = fmt.Sprintf("round %d of %d, ", s.Round, r.cfg.MaxRounds)
	}
	name := func(i uint8) string { return r.board.names[i] }
	switch s.Phase {
	case Ordering:
		return text + "the dice decide who begins"
	case Towers, Claiming:
		return text + fmt.Sprintf("setup: seat %d occupies a region", s.Mover)
	case Filling:
		return text + fmt.Sprintf("setup: seat %d adds an army", s.Mover)
	case Rolling:
		return text + fmt.Sprintf("seat %d rolls the die", s.Mover)
	case Reinforce:
		text += fmt.Sprintf("seat %d reinforces, %d points", s.Mover, s.Points)
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
	text += "over:"
	for p, ret := range r.Returns(nil, *s) {
		text += fmt.Sprintf(" seat %d gets %.4g of the win,", p, r.spec.WinShare(ret))
	}
	return strings.TrimSuffix(text, ",")
}

// seatLine says what a seat has.
func (r *Rules) seatLine(s *State, p uint8) string {
	text := fmt.Sprintf("seat %d  %3d regions  %3d armies  %3d in supply", p, bits.OnesCount64(s.Own[p]), s.onMap(p), r.supply(s, p))
	if r.cfg.Trios > 0 {
		large, medium, small := r.pieces(s, p)
		text += fmt.Sprintf("  tower pieces left %dL %dM %dS", large, medium, small)
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

func unionName(i int) string { return string(rune('a' + i%26)) }

// drawing draws the map.
func (r *Rules) drawing(s *State) string {
	regions := r.cfg.Map.Regions
	left, top := regions[0].At[0], regions[0].At[1]
	right, bottom, width := left, top, 8
	for _, g := range regions {
		left, right = min(left, g.At[0]), max(right, g.At[0])
		top, bottom = min(top, g.At[1]), max(bottom, g.At[1])
		width = max(width, len(g.Name)+3)
	}
	index := make(map[[2]int]int)
	for i, g := range regions {
		index[g.At] = i
	}
	var lines []string
	for y := top; y <= bottom; y++ {
		var names, held strings.Builder
		for x := left; x <= right; x++ {
			name, holds := "", ""
			if i, ok := index[[2]int{x, y}]; ok {
				name, holds = r.board.names[i], "-"
				for u, set := range r.board.unions {
					if set>>i&1 != 0 {
						name += " " + unionName(u)
					}
				}
				if p := s.owner(i); p >= 0 {
					holds = fmt.Sprintf("%d:%d%s", p, s.Armies[i], s.tower(i))
				}
			}
			fmt.Fprintf(&names, "%-*s", width, name)
			fmt.Fprintf(&held, "%-*s", width, holds)
		}
		lines = append(lines, strings.TrimRight(names.String(), " "), strings.TrimRight(held.String(), " "))
	}
	return strings.Join(lines, "\n")
}

// Explain keeps [game.Guide]. Of an attack it says the odds.
func (r *Rules) Explain(s State, a game.Action) string {
	name := func(i game.Action) string { return r.board.names[i] }
	switch {
	case a == r.end:
		return r.explainEnd(&s)
	case a == r.stack:
		return "leave it on the medium piece in " + r.board.names[s.To]
	case a >= r.small:
		return "the small piece into " + name(a-r.small)
	case a >= r.split:
		e := r.board.edges[a-r.split]
		return fmt.Sprintf("split the tower in %s; all but its large piece to %s", r.board.names[e[0]], r.board.names[e[1]])
	case a >= r.occupy:
		n := int(a-r.occupy) + 1
		return fmt.Sprintf("%d into %s, %d stay in %s", n, r.board.names[s.To], int(s.Armies[s.From])-n, r.board.names[s.From])
	case a >= r.battle:
		e := r.board.edges[a-r.battle]
		higher := s.height(e[0]) - s.height(e[1])
		c := NewConquest(int(s.Armies[e[0]]), int(s.Armies[e[1]]), higher)
		towers := ""
		if higher != 0 {
			towers = fmt.Sprintf(", towers %+d", higher)
		}
		return fmt.Sprintf("%d against %d of seat %d%s: wins the battle with %.1f %%, and if fought to the end conquers with %.1f %%",
			s.Armies[e[0]], s.Armies[e[1]], s.owner(int(e[1])), towers, 100*BattleOdds(higher), 100*c.Odds)
	case a >= r.piece:
		i := int(a - r.piece)
		return fmt.Sprintf("a %s into %s, which has %d%s%s", nextPiece(&s, i), name(a-r.piece), s.Armies[i], s.tower(i), r.against(&s, i))
	}
	what := "an army"
	if s.Phase == Towers && r.cfg.Trios > 0 {
		what = "your tower and an army"
	}
	return fmt.Sprintf("%s into %s, which has %d%s", what, name(a), s.Armies[a], r.against(&s, int(a)))
}

// explainEnd says what it is to end a phase.
func (r *Rules) explainEnd(s *State) string {
	switch s.Phase {
	case Reinforce:
		return fmt.Sprintf("reinforce no more; points lost: %d", s.Points)
	case Attack:
		return "attack no more"
	}
	return "split no tower"
}

// against lists the enemies beside a region.
func (r *Rules) against(s *State, i int) string {
	var list []string
	for set := r.board.adj[i]; set != 0; set &= set - 1 {
		k := bits.TrailingZeros64(set)
		if p := s.owner(k); p >= 0 && p != int(s.Mover) {
			list = append(list, fmt.Sprintf("%s %d:%d%s", r.board.names[k], p, s.Armies[k], s.tower(k)))
		}
	}
	if list == nil {
		return ""
	}
	return "; beside " + strings.Join(list, ", ")
}
