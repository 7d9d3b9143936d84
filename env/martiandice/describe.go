package martiandice

import (
	"fmt"
	"strings"

	"marsgym/env/game"
	"marsgym/internal/figure"
)

// DescribeAction implements [game.Presenter].
func (r *Rules) DescribeAction(s State, a game.Action) string {
	switch {
	case a == Roll:
		return fmt.Sprintf("roll %s; %s %% of rolls leave the turn without points", game.Plural(r.free(&s), "die"), figure.Chance(r.bust(s)))
	case a == Stop:
		return "end the turn with " + game.Plural(r.turnPoints(s.Aside), "point")
	}
	t := diceType(a)
	kept := Counts{}
	kept[t] = s.Roll[t]
	return fmt.Sprintf("keep %s; %s left", dice(kept), game.Plural(r.free(&s)-int(s.Roll[t]), "die"))
}

// bust returns the probability that the turn has no points left to win after the roll from a
// decision, whatever the seat chooses.
func (r *Rules) bust(s State) (p float64) {
	for _, x := range r.results[r.free(&s)] {
		after := s
		after.Aside[tank] += x.Counts[tank]
		after.Roll, after.Phase = x.Counts, Select
		lost := !stuck(&after) || r.turnPoints(after.Aside) == 0
		r.eachOption(after, func(a game.Action, aside Counts) {
			lost = lost && r.turnPoints(aside) == 0 && (a == Stop || !r.scores(aside))
		})
		if lost {
			p += x.prob
		}
	}
	return p
}

// scores reports whether the dice that are not set aside can win points: those that the tanks need
// as rays leave one for an earthling, if there is none.
func (r *Rules) scores(aside Counts) bool {
	spare := r.cfg.Dice - aside.total() - max(0, int(aside[tank])-int(aside[ray]))
	return spare > 0 || spare == 0 && aside[human]+aside[cow]+aside[chicken] > 0
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
