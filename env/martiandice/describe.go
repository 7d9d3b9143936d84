package martiandice

import (
	"fmt"
	"strings"

	"marsgym/env/game"
)

// DescribeAction implements [game.Presenter].
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
