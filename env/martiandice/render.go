package martiandice

import (
	"fmt"
	"math/bits"
	"strings"

	"marsgym/env/game"
)

// Render implements [game.Renderer]: the totals, then the dice of the turn.
//
//	totals   seat 0: 13   seat 1: 17 <
//	aside    3 tanks, 2 rays, 4 humans  (0 points if the turn ends)
//	to roll  4 dice
func (r *Rules) Render(s State) string {
	var b strings.Builder
	b.WriteString("totals   ")
	for i := range r.cfg.Players {
		mark := ""
		if s.Phase <= Decide && int(s.Seat) == i {
			mark = " <"
		}
		fmt.Fprintf(&b, "seat %d: %d%s   ", i, s.Score[i], mark)
	}
	text := strings.TrimRight(b.String(), " ")
	switch s.Phase {
	case Drawing:
		return text + "\nthe dice decide who starts"
	case TieBreak:
		return text + fmt.Sprintf("\ntied     seats %s roll %d dice each; most rays win", seats(s.Tied), r.cfg.TieDice)
	case Over:
		if r.cfg.Players == 1 {
			return text + fmt.Sprintf("\nover     %d turns", s.Count)
		}
		if bits.OnesCount16(s.Tied) > 1 {
			return text + "\nover     shared by seats " + seats(s.Tied)
		}
		return text + "\nover     seat " + seats(s.Tied) + " wins"
	}
	text += fmt.Sprintf("\naside    %s  (%s if the turn ends)", dice(s.Aside), plural(r.turnPoints(s.Aside), "point"))
	if s.Phase == Select {
		return text + "\nrolled   " + dice(s.Roll)
	}
	return text + "\nto roll  " + plural(r.free(&s), "die")
}

// DescribeAction implements [game.Renderer].
func (r *Rules) DescribeAction(s State, a game.Action) string {
	switch {
	case a == Roll:
		return "roll " + plural(r.free(&s), "die")
	case a == Stop:
		return "end the turn with " + plural(r.turnPoints(s.Aside), "point")
	}
	t := diceType(a)
	left := r.free(&s) - int(s.Roll[t])
	return fmt.Sprintf("keep %d, %s left", s.Roll[t], plural(left, "die"))
}

// dice returns counts in words.
func dice(c Counts) string {
	var list []string
	for t, n := range c {
		switch {
		case n == 1:
			list = append(list, "1 "+strings.TrimSuffix(typeNames[t], "s"))
		case n > 1:
			list = append(list, fmt.Sprintf("%d %s", n, typeNames[t]))
		}
	}
	if list == nil {
		return "nothing"
	}
	return strings.Join(list, ", ")
}

// plural returns a number of things in words: "1 die", "2 dice".
func plural(n int, thing string) string {
	if n != 1 {
		thing = map[string]string{"die": "dice", "point": "points", "tank": "tanks", "ray": "rays"}[thing]
	}
	return fmt.Sprintf("%d %s", n, thing)
}
