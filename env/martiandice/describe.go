package martiandice

import (
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/figure"
)

// DescribeAction implements [game.Presenter].
func (r *Rules) DescribeAction(s State, a game.Action) message.Message {
	switch {
	case a == Roll:
		return message.Note(message.New("dice.roll", r.free(&s)), message.New("dice.lost", message.Figure(figure.Chance(r.bust(s)))))
	case a == Stop:
		return message.New("dice.stop", r.turnPoints(s.Aside))
	}
	t := diceType(a)
	return message.Note(message.New("dice.keep", message.New("dice.kept."+faceNames[t], s.Roll[t])), message.New("dice.left", r.free(&s)-int(s.Roll[t])))
}

// bust returns the probability that the turn has no points left to win after the roll from a
// decision, whatever the seat chooses. It keeps the probabilities: there are up to 2,380 rolls, and
// one for each of at most 8,568 counts of dice set aside.
func (r *Rules) bust(s State) (p float64) {
	if known, ok := r.busts.Load(s.Aside); ok {
		return known.(float64)
	}
	defer func(aside Counts) { r.busts.Store(aside, p) }(s.Aside)
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

// dice lists counts.
func dice(c Counts) (list []message.Message) {
	for t, n := range c {
		if n > 0 {
			list = append(list, message.Count(n, faceNames[t]))
		}
	}
	if list == nil {
		return []message.Message{message.New("nothing")}
	}
	return list
}
