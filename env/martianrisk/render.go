package martianrisk

import (
	"fmt"
	"math/bits"
	"strings"

	"marsgym/env/game"
	"marsgym/internal/colour"
)

// Render implements [game.Renderer]: the next step, the seats, and the map, in colours
// for a terminal. A region shows its name, its owner and the number of armies; below,
// its union as a lower-case letter and its tower pieces. A > marks the attacking
// region, a ! the region that is attacked, was just conquered, or got a split tower.
// Without colours:
//
//	round 3 of 100, seat 1: ID attacks MT
//	seat 0    7 regions   12 armies   13 in supply  tower pieces left 4L 4M 4S  unions a
//	...
//	WA 0:2   ID 1:3>  MT 2:1!
//	c        b LMS    e
//	OR 0:4   NV 0:1   WY 2:2
//	f L      a        c
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
	text += "over:"
	for p, ret := range r.Returns(nil, *s) {
		text += fmt.Sprintf(" seat %d gets %.4g of the win,", p, r.spec.WinShare(ret))
	}
	return strings.TrimSuffix(text, ",")
}

// seatLine describes what a seat has.
func (r *Rules) seatLine(s *State, p uint8) string {
	text := colour.Paint(colour.Seats[p], fmt.Sprintf("seat %d", p))
	text += fmt.Sprintf("  %3d regions  %3d armies  %3d in supply", bits.OnesCount64(s.Own[p]), s.onMap(p), r.supply(s, p))
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

// drawMap draws the map.
func (r *Rules) drawMap(s *State) string {
	regions := r.cfg.Map.Regions
	left, top := regions[0].At[0], regions[0].At[1]
	right, bottom, width := left, top, 0
	for _, g := range regions {
		left, right = min(left, g.At[0]), max(right, g.At[0])
		top, bottom = min(top, g.At[1]), max(bottom, g.At[1])
		width = max(width, len(g.Name)+len(" 0:10! "))
	}
	index := make(map[[2]int]int)
	for i, g := range regions {
		index[g.At] = i
	}
	var lines []string
	for y := top; y <= bottom; y++ {
		var upper, lower strings.Builder
		for x := left; x <= right; x++ {
			above, below, code := "", "", ""
			if i, ok := index[[2]int{x, y}]; ok {
				above, below, code = r.drawRegion(s, i)
			}
			drawCell(&upper, above, code, width)
			drawCell(&lower, below, code, width)
		}
		lines = append(lines, strings.TrimRight(upper.String(), " "), strings.TrimRight(lower.String(), " "))
	}
	return strings.Join(lines, "\n")
}

func drawCell(b *strings.Builder, text, code string, width int) {
	if text != "" {
		b.WriteString(colour.Paint(code, text))
	}
	b.WriteString(strings.Repeat(" ", width-len(text)))
}

// drawRegion returns the two lines of a region on the map, and its colour.
func (r *Rules) drawRegion(s *State, i int) (above, below, code string) {
	above, code = r.board.names[i]+" -", colour.Dim
	if p := s.owner(i); p >= 0 {
		above, code = fmt.Sprintf("%s %d:%d", r.board.names[i], p, s.Armies[i]), colour.Seats[p]
	}
	mark := ""
	switch {
	case s.Phase != Small && s.From == s.To:
	case i == int(s.To):
		mark = "!"
	case i == int(s.From) && s.Phase != Small:
		mark = ">"
	}
	if mark != "" {
		above, code = above+mark, code+";"+colour.Bold
	}
	for u, set := range r.board.unions {
		if set>>i&1 != 0 {
			below = unionName(u)
		}
	}
	return above, strings.TrimSpace(below + " " + s.tower(i)), code
}

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
		return fmt.Sprintf("%d into %s, %d stay in %s", n, r.board.names[s.To], int(s.Armies[s.From])-n, r.board.names[s.From])
	case a >= r.battle:
		e := r.board.edges[a-r.battle]
		higher := s.height(e[0]) - s.height(e[1])
		c := NewConquest(int(s.Armies[e[0]]), int(s.Armies[e[1]]), higher)
		towers := ""
		if higher != 0 {
			towers = fmt.Sprintf(", towers %+d", higher)
		}
		return fmt.Sprintf("%d against %d of seat %d%s: battle won %.1f %%, conquest if fought on %.1f %%",
			s.Armies[e[0]], s.Armies[e[1]], s.owner(int(e[1])), towers, 100*BattleOdds(higher), 100*c.Odds)
	case a >= r.piece:
		i := int(a - r.piece)
		return fmt.Sprintf("a %s into %s, which has %d%s%s", nextPiece(&s, i), name(a-r.piece), s.Armies[i], s.tower(i), r.describeEnemies(&s, i))
	}
	what := "an army"
	if s.Phase == Towers && r.cfg.Trios > 0 {
		what = "your tower and an army"
	}
	has := ""
	if n := s.Armies[a]; n > 0 {
		has = fmt.Sprintf(", which has %d", n)
	}
	return fmt.Sprintf("%s into %s%s%s", what, name(a), has, r.describeEnemies(&s, int(a)))
}

// DescribeChance implements [game.Renderer].
func (r *Rules) DescribeChance(s, next State) string {
	switch s.Phase {
	case Ordering:
		return fmt.Sprintf("seat %d begins", next.Start)
	case Rolling:
		return r.describeRoll(&s, &next)
	case Battle:
		return r.describeBattle(&s, &next)
	}
	return ""
}

func (r *Rules) describeRoll(s, next *State) string {
	if next.Phase != Reinforce {
		return "nothing can be placed"
	}
	unions := r.bonus(s, s.Mover)
	text := fmt.Sprintf("a %d", int(next.Points)-unions)
	if unions > 0 {
		text += fmt.Sprintf(", with unions %d points", next.Points)
	}
	return text
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

// describeEnemies lists the enemies beside a region.
func (r *Rules) describeEnemies(s *State, i int) string {
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
