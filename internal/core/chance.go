package core

import (
	"math/rand/v2"

	"marsgym/env/game"
)

// maxChance is the number of successive chance states whose outcomes are listed. Chosen.
const maxChance = 4

// Chance expands chance to the next decision. One goroutine owns it.
type Chance[S comparable] struct {
	Rules    *Rules[S]
	outcomes [maxChance][]game.Outcome[S] // of successive chance states
	end      int                          // the most states of the list
}

// Follow appends the decisions and ends that can follow s, at most limit of them, each with the
// probability of all the chance before it: representatives, if s is one. Where there are
// more, or chance follows chance more than maxChance times, it samples with dice; without
// dice it gives up, and ok is false.
func (x *Chance[S]) Follow(dst []game.Outcome[S], s S, limit int, dice *rand.PCG) (_ []game.Outcome[S], ok bool) {
	x.end = len(dst) + limit
	return x.follow(dst, game.Outcome[S]{State: s, Prob: 1}, 0, limit, dice)
}

// follow is Follow after some levels of chance. With dice, the outcomes of a state share
// what the list has room for.
func (x *Chance[S]) follow(dst []game.Outcome[S], at game.Outcome[S], level, limit int, dice *rand.PCG) (_ []game.Outcome[S], ok bool) {
	if x.Rules.CurrentPlayer(at.State) != game.Chance {
		if level > 0 { // else it is s
			at.State = x.Rules.Representative(at.State)
		}
		return append(dst, at), len(dst) < x.end
	}
	if level < maxChance {
		x.outcomes[level] = x.Rules.Outcomes(x.outcomes[level][:0], at.State)
		if n := len(x.outcomes[level]); n <= limit {
			if dice != nil {
				limit /= n
			}
			for k := range n {
				o := &x.outcomes[level][k]
				if dst, ok = x.follow(dst, game.Outcome[S]{State: o.State, Prob: at.Prob * o.Prob}, level+1, limit, dice); !ok {
					return dst, false
				}
			}
			return dst, true
		}
	}
	if dice == nil {
		return dst, false
	}
	for range limit {
		s := at.State
		x.Rules.Settle(&s, dice)
		dst = append(dst, game.Outcome[S]{State: x.Rules.Representative(s), Prob: at.Prob / float64(limit)})
	}
	return dst, true
}
