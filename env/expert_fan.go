package env

import (
	"slices"

	"marsgym/env/game"
)

// moved is a state just after a move, with who made it.
type moved[S comparable] struct {
	state S
	mover game.Player
}

// fan is what may follow a move: the decisions that the dice can lead to, each
// with its moves. It spreads from one state just after a move to others, its
// leaves.
type fan[S comparable] struct {
	after  moved[S]
	branch []branch
	move   []int32    // leaves, branch by branch
	leaf   []moved[S] // each once; the last to have moved sees it
	value  []float64  // [P] what it is worth in the present search

	search uint64 // the last that has used it
	first  int    // where its leaves begin in what this search knows of leaves
}

// branch is a decision that may follow, or a state in which nobody is to decide.
type branch struct {
	prob  float64
	mover game.Player // below 0 for the latter, which is its one leaf
	moves int32
}

// backUp fills value, given what the leaves are worth [n, P].
func (f *fan[S]) backUp(pay []float64, p int) {
	clear(f.value)
	move := f.move
	for _, b := range f.branch {
		best := int(move[0]) * p
		for _, k := range move[1:b.moves] {
			if at := int(k) * p; pay[at+int(b.mover)] > pay[best+int(b.mover)]+game.Tie {
				best = at
			}
		}
		for j, v := range pay[best : best+p] {
			f.value[j] += b.prob * v
		}
		move = move[b.moves:]
	}
}

// generation is the number of moves in fans after which those are forgotten that
// have not been asked for since the last time. Chosen: some fifteen megabytes of
// Martian Dice, twice.
const generation = 1 << 20

// fans lists fans, and remembers those asked for lately: with thousands of rolls
// to merge they take longer to list than to price.
type fans[S comparable] struct {
	k        kit[S]
	now, old map[moved[S]]*fan[S]
	size     int // moves in now
	most     int // before old is forgotten
	search   uint64

	// The fan that is listed, and where its branches and leaves are.
	branch   []branch
	move     []int32
	leaf     []moved[S]
	branches map[S]int32
	leaves   map[moved[S]]int32
	roll     []game.Outcome[S]
	legal    []game.Action
}

func newFans[S comparable](k kit[S]) fans[S] {
	return fans[S]{
		k: k, most: generation, now: map[moved[S]]*fan[S]{}, old: map[moved[S]]*fan[S]{},
		branches: map[S]int32{}, leaves: map[moved[S]]int32{},
	}
}

// begin begins a search. Fans stay until the next begins.
func (x *fans[S]) begin() {
	x.search++
	if x.size > x.most {
		x.old, x.now, x.size = x.now, x.old, 0
		clear(x.now)
	}
}

// of returns the fan from a state just after a move, and whether this search
// has had it before.
func (x *fans[S]) of(after moved[S]) (f *fan[S], again bool) {
	f = x.now[after]
	if f == nil {
		if f = x.old[after]; f == nil {
			f = x.list(after)
		}
		x.now[after] = f
		x.size += len(f.move)
	}
	again = f.search == x.search
	f.search = x.search
	return f, again
}

// list lists what may follow.
func (x *fans[S]) list(after moved[S]) *fan[S] {
	x.branch, x.move, x.leaf = x.branch[:0], x.move[:0], x.leaf[:0]
	clear(x.branches)
	clear(x.leaves)
	if x.k.rules.Turn(after.state) == game.Chance {
		x.roll = x.k.rules.Outcomes(x.roll[:0], after.state)
		for _, o := range x.roll {
			next, _ := x.k.canonical(o.State)
			x.add(next, after.mover, o.Prob)
		}
	} else {
		x.add(after.state, after.mover, 1)
	}
	return &fan[S]{
		after: after, branch: slices.Clone(x.branch), move: slices.Clone(x.move), leaf: slices.Clone(x.leaf),
		value: make([]float64, x.k.rules.Spec().Players),
	}
}

// add adds the decision in s with its moves, or s itself where nobody is to
// decide, seen by the last to have moved.
func (x *fans[S]) add(s S, last game.Player, prob float64) {
	if i, ok := x.branches[s]; ok {
		x.branch[i].prob += prob
		return
	}
	x.branches[s] = int32(len(x.branch))
	from := len(x.move)
	who := x.k.rules.Turn(s)
	if who >= 0 {
		x.legal = x.k.rules.Legal(x.legal[:0], s)
		for _, a := range x.legal {
			x.move = append(x.move, x.number(moved[S]{x.k.apply(s, a), who}))
		}
	} else {
		x.move = append(x.move, x.number(moved[S]{s, last}))
	}
	x.branch = append(x.branch, branch{prob, who, int32(len(x.move) - from)})
}

// number is the index of a leaf.
func (x *fans[S]) number(l moved[S]) int32 {
	i, ok := x.leaves[l]
	if !ok {
		i = int32(len(x.leaf))
		x.leaves[l] = i
		x.leaf = append(x.leaf, l)
	}
	return i
}
