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
	leaf   []*leaf[S] // each once
	value  []float64  // [P] what it is worth in the present search

	search uint64 // the last that has used it
}

// leaf is a state just after a move, which fans may share; who has made it sees it.
type leaf[S comparable] struct {
	moved[S]
	search uint64 // the last that has asked about it
	at     int32  // where its value is in that search
	list   uint64 // the last fan that has listed it
	number int32  // in that fan
}

// branch is a decision that may follow, or a state in which nobody is to decide.
type branch struct {
	prob  float64
	mover game.Player // below 0 for the latter, which is its one leaf
	moves int32
}

// estimates are what a network says of the leaves of a search.
type estimates struct {
	p      int
	pay    []float64 // [n, P] what they are worth to each seat
	score  []float32 // [n] how the policy scores them
	scored bool      // moves are chosen by that, and not by pay
}

// worth is what a leaf is worth to each seat [P].
func (x *estimates) worth(leaf int32) []float64 { return x.pay[int(leaf)*x.p:][:x.p] }

// prefers reports whether who rather moves to a than to b.
func (x *estimates) prefers(a, b int32, who game.Player) bool {
	if x.scored {
		return x.score[a] > x.score[b]
	}
	return x.pay[int(a)*x.p+int(who)] > x.pay[int(b)*x.p+int(who)]+game.Tie
}

// backUp fills value.
func (f *fan[S]) backUp(says *estimates) {
	clear(f.value)
	move := f.move
	for _, b := range f.branch {
		best := f.leaf[move[0]].at
		for _, k := range move[1:b.moves] {
			if k := f.leaf[k].at; says.prefers(k, best, b.mover) {
				best = k
			}
		}
		for j, v := range says.worth(best) {
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
	k          kit[S]
	now, old   map[moved[S]]*fan[S]
	leaves     map[moved[S]]*leaf[S] // that now and, perhaps, old share
	size, most int                   // moves in now, and before old is forgotten
	search     uint64

	// The fan that is listed, and where its branches and leaves are.
	branch   []branch
	move     []int32
	leaf     []*leaf[S]
	branches map[S]int32
	lists    uint64 // fans listed so far
	roll     []game.Outcome[S]
	legal    []game.Action
}

func newFans[S comparable](k kit[S]) fans[S] {
	return fans[S]{
		k: k, most: generation, now: map[moved[S]]*fan[S]{}, old: map[moved[S]]*fan[S]{},
		leaves: map[moved[S]]*leaf[S]{}, branches: map[S]int32{},
	}
}

// begin begins a search. Fans stay until the next begins.
func (x *fans[S]) begin() {
	x.search++
	if x.size > x.most {
		x.old, x.now, x.size = x.now, x.old, 0
		clear(x.now)
		clear(x.leaves)
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
	x.lists++
	if x.k.rules.Turn(after.state) == game.Chance {
		x.roll = x.k.merged(x.roll[:0], after.state)
		for _, o := range x.roll {
			x.add(o.State, after.mover, o.Prob)
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
func (x *fans[S]) number(m moved[S]) int32 {
	l := x.leafOf(m)
	if l.list != x.lists {
		l.list, l.number = x.lists, int32(len(x.leaf))
		x.leaf = append(x.leaf, l)
	}
	return l.number
}

// leafOf is the leaf for a state just after a move.
func (x *fans[S]) leafOf(m moved[S]) *leaf[S] {
	l := x.leaves[m]
	if l == nil {
		l = &leaf[S]{moved: m}
		x.leaves[m] = l
	}
	return l
}
