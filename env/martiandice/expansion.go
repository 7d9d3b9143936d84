package martiandice

import (
	"slices"

	"marsgym/env/game"
)

// expansion is a [game.Expansion] of a roll and the choice after it, without the
// scores.
type expansion struct {
	branch []game.Branch
	move   []int32
	leaf   []leaf
	mover  []game.Player // by leaf
}

// leaf is the result of a choice: more dice are set aside, or the turn ends.
type leaf struct {
	aside  Counts
	ends   bool
	points int // if it ends
}

// Expand implements [game.ChanceExpander]. Rolls that differ only in dice that cannot
// be set aside are merged.
func (r *Rules) Expand(dst *game.Expansion[State], s State) bool {
	if s.Phase != Rolling {
		return false
	}
	key := expansionKey{s.Aside, s.Seat}
	known, ok := r.expansions.Load(key)
	if !ok {
		known, _ = r.expansions.LoadOrStore(key, r.newExpansion(key))
	}
	e := known.(*expansion)
	dst.Branch, dst.Move, dst.Mover, dst.Leaf = e.branch, e.move, e.mover, dst.Leaf[:0]
	after := s
	after.Phase = Decide
	for _, l := range e.leaf {
		if l.ends {
			dst.Leaf = append(dst.Leaf, r.score(s, l.points))
			continue
		}
		after.Aside = l.aside
		dst.Leaf = append(dst.Leaf, after)
	}
	return true
}

// expansionKey is what an expansion depends on.
type expansionKey struct {
	aside Counts
	seat  uint8
}

// newExpansion returns the expansion of the roll with these dice set aside.
func (r *Rules) newExpansion(key expansionKey) *expansion {
	e := &expansion{}
	branches := map[State]int{}
	ended := make([]float64, maxDice+maxBonus+1) // probability that the roll ends the turn, by points
	r.eachRoll(r.holdOf(key.aside), func(prob float64, s State) {
		if s.Phase != Select {
			ended[r.turnPoints(s.Aside)] += prob
			return
		}
		for t := human; t <= chicken; t++ {
			if s.Aside[t] > 0 {
				s.Roll[t] = 0
			}
		}
		s, _ = r.Canonical(s)
		i, ok := branches[s]
		if !ok {
			i = len(e.branch)
			branches[s] = i
			e.add(r, s, game.Player(key.seat))
		}
		e.branch[i].Prob += prob
	})
	for points, p := range ended {
		if p > 0 {
			e.move = append(e.move, int32(len(e.leaf))) // not shared with a branch of the seat
			e.leaf = append(e.leaf, leaf{ends: true, points: points})
			e.mover = append(e.mover, game.Terminal)
			e.branch = append(e.branch, game.Branch{Prob: p, Mover: game.Terminal, Moves: 1})
		}
	}
	return e
}

// add adds a branch for the choice in s.
func (e *expansion) add(r *Rules, s State, seat game.Player) {
	from := len(e.move)
	r.eachOption(s, func(a game.Action, aside Counts) {
		l := leaf{ends: true, points: r.turnPoints(aside)}
		if a != Stop && aside.total() < r.cfg.Dice {
			after, _ := r.Canonical(State{Aside: aside})
			l = leaf{aside: after.Aside}
		}
		e.move = append(e.move, e.number(l, seat))
	})
	e.branch = append(e.branch, game.Branch{Mover: seat, Moves: int32(len(e.move) - from)})
}

// number returns the index of a leaf of a seat. It adds the leaf if it is new.
func (e *expansion) number(l leaf, seat game.Player) int32 {
	if i := slices.Index(e.leaf, l); i >= 0 {
		return int32(i)
	}
	e.leaf, e.mover = append(e.leaf, l), append(e.mover, seat)
	return int32(len(e.leaf) - 1)
}
