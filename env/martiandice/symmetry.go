package martiandice

import "marsgym/env/game"

// relabels lists for each order of the three earthling types the actions that
// stand behind the representative's. Row 0 is the identity.
var relabels = func() (list [6][actions]game.Action) {
	orders := [6][3]int{{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	for i, o := range orders {
		list[i] = [actions]game.Action{Rays, Humans, Cows, Chickens, Roll, Stop}
		for j, t := range o {
			list[i][int(Humans)+j] = Humans + game.Action(t)
		}
	}
	return list
}()

// Canonical keeps [game.Symmetry]: the earthling types are put in order of how
// many are set aside, then of how many were rolled, most first.
func (r *Rules) Canonical(s State) (State, []game.Action) {
	key := func(t int) int { return int(s.Aside[t])<<8 | int(s.Roll[t]) }
	h, c, k := key(human), key(cow), key(chicken)
	var order int
	switch {
	case h >= c && c >= k:
		return s, nil
	case c > h && h >= k:
		order = 1
	case h >= k && k > c:
		order = 2
	case c >= k && k > h:
		order = 3
	case k > h && h >= c:
		order = 4
	default:
		order = 5
	}
	relabel := relabels[order][:]
	from := s
	for j := range 3 {
		t := kept(relabel[int(Humans)+j])
		s.Aside[human+j], s.Roll[human+j] = from.Aside[t], from.Roll[t]
	}
	return s, relabel
}
