package env

import (
	"marsgym/env/game"
)

// moved is a state just after a move, with who made it.
type moved[S comparable] struct {
	state S
	mover game.Player
}

// fan is what may follow a state just after a move, in the present search.
type fan[S comparable] struct {
	game.Expansion[S]
	from  int       // where the estimates of its leaves begin
	value []float64 // [P] what it is worth

	branch []game.Branch // its own, to be used again; Branch may be the game's
	move   []int32
}

// estimates are what a network says of the states that a search asks about.
type estimates struct {
	p      int
	pay    []float64 // [n, P] what they are worth to each seat
	score  []float32 // [n] how the policy scores them
	scored bool      // moves are chosen by that, and not by pay
}

// worth is what state i is worth to each seat [P].
func (x *estimates) worth(i int) []float64 { return x.pay[i*x.p:][:x.p] }

// prefers reports whether who rather moves to a than to b.
func (x *estimates) prefers(a, b int, who game.Player) bool {
	if x.scored {
		return x.score[a] > x.score[b]
	}
	return x.pay[a*x.p+int(who)] > x.pay[b*x.p+int(who)]+game.Tie
}

// backUp fills value.
func (f *fan[S]) backUp(says *estimates) {
	clear(f.value)
	move := f.Move
	for _, b := range f.Branch {
		best := f.from + int(move[0])
		for _, k := range move[1:b.Moves] {
			if k := f.from + int(k); says.prefers(k, best, b.Mover) {
				best = k
			}
		}
		for j, v := range says.worth(best) {
			f.value[j] += b.Prob * v
		}
		move = move[b.Moves:]
	}
}

// fanLister lists fans.
type fanLister[S comparable] struct {
	k      *kit[S]
	fanner game.ChanceExpander[S] // or nil

	branch map[S]int          // of the fan that is listed
	leaf   map[moved[S]]int32 // of it; nobody's are the chance's
	roll   []game.Outcome[S]
	legal  []game.Action
}

func newFanLister[S comparable](k *kit[S]) fanLister[S] {
	x := fanLister[S]{k: k, branch: map[S]int{}, leaf: map[moved[S]]int32{}}
	x.fanner, _ = k.rules.(game.ChanceExpander[S])
	return x
}

// list fills f with what may follow s.
func (x *fanLister[S]) list(f *fan[S], s S) {
	who := x.k.rules.CurrentPlayer(s)
	if who == game.Chance && x.fanner != nil && x.fanner.Expand(&f.Expansion, s) {
		return
	}
	f.Branch, f.Move, f.Leaf = f.branch[:0], f.move[:0], f.Leaf[:0]
	clear(x.branch)
	clear(x.leaf)
	if who == game.Chance {
		x.roll = x.k.rules.Outcomes(x.roll[:0], s)
		for _, o := range x.roll {
			x.add(&f.Expansion, o.State, o.Prob)
		}
	} else {
		x.add(&f.Expansion, s, 1)
	}
	f.branch, f.move = f.Branch, f.Move
}

// leave makes s itself the one leaf.
func (f *fan[S]) leave(s S) {
	f.branch, f.move = append(f.branch[:0], game.Branch{Prob: 1, Mover: game.Terminal, Moves: 1}), append(f.move[:0], 0)
	f.Branch, f.Move, f.Leaf = f.branch, f.move, append(f.Leaf[:0], s)
}

// add adds the decision in s with its moves, or s itself where nobody decides.
func (x *fanLister[S]) add(dst *game.Expansion[S], s S, prob float64) {
	s, _ = x.k.canonical(s)
	if i, ok := x.branch[s]; ok {
		dst.Branch[i].Prob += prob
		return
	}
	x.branch[s] = len(dst.Branch)
	who, n := x.k.rules.CurrentPlayer(s), len(dst.Move)
	if who >= 0 {
		x.legal = x.k.rules.Legal(x.legal[:0], s)
		for _, a := range x.legal {
			dst.Move = append(dst.Move, x.number(dst, moved[S]{x.k.apply(s, a), who}))
		}
	} else {
		dst.Move = append(dst.Move, x.number(dst, moved[S]{s, game.Chance}))
	}
	dst.Branch = append(dst.Branch, game.Branch{Prob: prob, Mover: who, Moves: int32(len(dst.Move) - n)})
}

// number is the index of a leaf.
func (x *fanLister[S]) number(dst *game.Expansion[S], m moved[S]) int32 {
	i, ok := x.leaf[m]
	if !ok {
		i = int32(len(dst.Leaf))
		x.leaf[m] = i
		dst.Leaf = append(dst.Leaf, m.state)
	}
	return i
}
