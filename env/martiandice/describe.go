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
		return fmt.Sprintf("roll %s; %.0f %% of rolls end the turn without points", game.Plural(r.free(&s), "die"), 100*r.bust(s))
	case a == Stop:
		return "end the turn with " + game.Plural(r.turnPoints(s.Aside), "point")
	}
	t := diceType(a)
	kept := Counts{}
	kept[t] = s.Roll[t]
	return fmt.Sprintf("keep %s; %s left", dice(kept), game.Plural(r.free(&s)-int(s.Roll[t]), "die"))
}

// bust returns the probability that the roll from a decision ends the turn without points.
func (r *Rules) bust(s State) (p float64) {
	for _, x := range r.results[r.free(&s)] {
		after := s
		after.Aside[tank] += x.Counts[tank]
		after.Roll = x.Counts
		if stuck(&after) && r.turnPoints(after.Aside) == 0 {
			p += x.prob
		}
	}
	return p
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
