package martiandice

import (
	"slices"

	"marsgym/env/game"
)

// fan is what may follow a roll and the choice after it, whatever the scores.
type expansion struct {
	branch []game.Branch
	move   []int32
	leaf   []leaf
}

// leaf is where a choice leads: more dice are set aside, or the turn ends.
type leaf struct {
	aside  Counts
	ends   bool
	points int // if it ends
}

// Expand implements [game.ChanceExpander]: dice that cannot be set aside make no difference.
func (r *Rules) Expand(dst *game.Expansion[State], s State) bool {
	if s.Phase != Rolling {
		return false
	}
	key := expansionKey{s.Aside, s.Seat}
	known, ok := r.expansions.Load(key)
	if !ok {
		known, _ = r.expansions.LoadOrStore(key, r.newExpansion(key))
	}
	f := known.(*expansion)
	dst.Branch, dst.Move, dst.Leaf = f.branch, f.move, dst.Leaf[:0]
	after := s
	after.Phase = Decide
	for _, l := range f.leaf {
		if l.ends {
			dst.Leaf = append(dst.Leaf, r.score(s, l.points))
			continue
		}
		after.Aside = l.aside
		dst.Leaf = append(dst.Leaf, after)
	}
	return true
}

// fanKey is what a fan depends on.
type expansionKey struct {
	aside Counts
	seat  uint8
}

// newFan lists what may follow when so much is set aside.
func (r *Rules) newExpansion(key expansionKey) *expansion {
	f := &expansion{}
	start := State{Aside: key.aside}
	branches := map[State]int{}
	dead := make([]float64, maxDice+maxBonus+1) // probability that the turn ends so, by points
	for _, x := range r.of[r.free(&start)] {
		s := start
		s.Aside[tank] += x.Counts[tank]
		s.Roll, s.Phase = x.Counts, Select
		s.Roll[tank] = 0
		if stuck(&s) {
			dead[r.Points(s.Aside)] += x.prob
			continue
		}
		for t := human; t <= chicken; t++ {
			if s.Aside[t] > 0 {
				s.Roll[t] = 0
			}
		}
		s, _ = r.Canonical(s)
		i, ok := branches[s]
		if !ok {
			i = len(f.branch)
			branches[s] = i
			f.add(r, s, game.Player(key.seat))
		}
		f.branch[i].Prob += x.prob
	}
	for points, p := range dead {
		if p > 0 {
			f.move = append(f.move, int32(len(f.leaf))) // nobody's, and no leaf of the seat's
			f.leaf = append(f.leaf, leaf{ends: true, points: points})
			f.branch = append(f.branch, game.Branch{Prob: p, Mover: game.Terminal, Moves: 1})
		}
	}
	return f
}

// add adds the choice in s.
func (f *expansion) add(r *Rules, s State, seat game.Player) {
	legal := r.Legal(nil, s)
	for _, a := range legal {
		l := leaf{aside: s.asideAfter(a)}
		if after := (State{Aside: l.aside}); a == Stop || r.free(&after) == 0 {
			l = leaf{ends: true, points: r.Points(l.aside)}
		} else {
			after, _ = r.Canonical(after)
			l.aside = after.Aside
		}
		f.move = append(f.move, f.number(l))
	}
	f.branch = append(f.branch, game.Branch{Mover: seat, Moves: int32(len(legal))})
}

// number is the index of a leaf.
func (f *expansion) number(l leaf) int32 {
	if i := slices.Index(f.leaf, l); i >= 0 {
		return int32(i)
	}
	f.leaf = append(f.leaf, l)
	return int32(len(f.leaf) - 1)
}
