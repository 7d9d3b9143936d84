package martiandice

import "marsgym/env/game"

// relabels lists, for each order of the three earthling types, the action of the
// position for each action of its representative. The bits of the index, from the
// lowest: humans before cows, cows before chickens, humans before chickens.
var relabels = func() (list [8][actions]game.Action) {
	for i, order := range [8][3]game.Action{
		0b111: {Humans, Cows, Chickens},
		0b110: {Cows, Humans, Chickens},
		0b101: {Humans, Chickens, Cows},
		0b010: {Cows, Chickens, Humans},
		0b001: {Chickens, Humans, Cows},
		0b000: {Chickens, Cows, Humans},
	} {
		list[i] = [actions]game.Action{Rays, order[0], order[1], order[2], Roll, Stop}
	}
	return list
}()

// Canonical implements [game.Symmetry]. It sorts the earthling types: those set aside
// first, then by the number rolled. How the earthlings set aside are distributed over
// their types no longer matters: the first type gets all but one of each other type.
func (r *Rules) Canonical(s State) (State, []game.Action) {
	key := func(t int) int { return int(min(s.Aside[t], 1))<<8 | int(s.Roll[t]) }
	h, c, k := key(human), key(cow), key(chicken)
	order := bit(h >= c) | bit(c >= k)<<1 | bit(h >= k)<<2
	var relabel []game.Action
	if order != 0b111 {
		relabel = relabels[order][:]
		from := s
		for j := range 3 {
			t := diceType(relabel[int(Humans)+j])
			s.Aside[human+j], s.Roll[human+j] = from.Aside[t], from.Roll[t]
		}
	}
	for t := cow; t <= chicken && s.Aside[t] > 0; t++ {
		s.Aside[human] += s.Aside[t] - 1
		s.Aside[t] = 1
	}
	return s, relabel
}

// bit returns 1 for true and 0 for false, without a branch.
func bit(b bool) (i uint8) {
	if b {
		i = 1
	}
	return i
}
