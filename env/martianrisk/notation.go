package martianrisk

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"marsgym/env/game"
)

// phaseNames are the words of the notation.
var phaseNames = [phases]string{
	"order", "tower", "claim", "fill", "roll", "reinforce", "attack", "battle", "occupy", "fortify", "small", "over",
}

// ActionName implements [game.Presenter]:
//
//	ca        an army into California
//	ca+       the next tower piece there
//	nv>ca     a battle
//	move:3    three armies into the conquered region
//	nv/ca     a tower split
//	small:ca  the small piece into California; stack: on the medium piece
//	end       of the phase
func (r *Rules) ActionName(a game.Action) string {
	name := func(i game.Action) string { return strings.ToLower(r.board.names[i]) }
	edge := func(i game.Action, by string) string {
		e := r.board.edges[i]
		return name(game.Action(e[0])) + by + name(game.Action(e[1]))
	}
	switch {
	case a == r.end:
		return endName
	case a == r.stack:
		return stackName
	case a >= r.small:
		return "small:" + name(a-r.small)
	case a >= r.split:
		return edge(a-r.split, "/")
	case a >= r.occupy:
		return "move:" + strconv.Itoa(int(a-r.occupy)+1)
	case a >= r.battle:
		return edge(a-r.battle, ">")
	case a >= r.piece:
		return name(a-r.piece) + "+"
	}
	return name(a)
}

// Format implements [game.Presenter]: the number of regions by seat, the seat to move,
// the phase and its details, the seat that began, the regions of each seat with armies
// and tower pieces, and the round.
//
//	0-0-0 order ; ; ;
//	7-8-6@1 battle NV>CA start 0 ; OR:2 CA:1LMS ... ; NV:4 ... ; WA:1 ... round 12
//	7-8-6@1 reinforce 3 start 0 ; ...
func (r *Rules) Format(s State) string {
	var b strings.Builder
	b.WriteString(game.JoinSeats(r.cfg.Players, func(p int) int { return bits.OnesCount64(s.Own[p]) }))
	if s.Phase != Ordering {
		fmt.Fprintf(&b, "@%d", s.Mover)
	}
	b.WriteByte(' ')
	b.WriteString(phaseNames[s.Phase])
	switch {
	case s.Phase == Small:
		b.WriteString(" " + r.board.names[s.To])
	case s.From != s.To:
		b.WriteString(" " + r.board.names[s.From] + ">" + r.board.names[s.To])
	case s.Phase == Reinforce:
		fmt.Fprintf(&b, " %d", s.Points)
		if s.Low != 0 {
			b.WriteString(" low")
		}
	}
	if s.Phase != Ordering {
		fmt.Fprintf(&b, " start %d", s.Start)
	}
	for p := range r.cfg.Players {
		b.WriteString(" ;")
		if s.Lost[p] > 0 {
			fmt.Fprintf(&b, " lost %d", s.Lost[p])
		}
		for set := s.Own[p]; set != 0; set &= set - 1 {
			i := bits.TrailingZeros64(set)
			fmt.Fprintf(&b, " %s:%d%s", r.board.names[i], s.Armies[i], s.tower(i))
		}
	}
	if s.Round > 0 {
		fmt.Fprintf(&b, " round %d", s.Round)
	}
	return b.String()
}

// tower writes the tower pieces of a region, from the bottom.
func (s *State) tower(i int) string {
	k := s.Large>>i&1 | s.Medium>>i&1<<1 | s.Small>>i&1<<2
	return [8]string{"", "L", "M", "LM", "S", "LS", "MS", "LMS"}[k]
}
