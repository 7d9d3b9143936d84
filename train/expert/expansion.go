package expert

import (
	"marsgym/env/game"
	"marsgym/internal/core"
)

// afterstate is a state just after a move, with the seat that moved.
type afterstate[S comparable] struct {
	state S
	mover game.Player
}

// expansion lists the moves that can follow an afterstate, in the current search.
type expansion[S comparable] struct {
	game.Expansion[S]
	from  int       // index of the estimate of its first leaf
	value []float64 // [P] backed up, by seat

	branch []game.Branch // buffers of its own; Branch and Move may be those of the game
	move   []int32
}

// estimates are the network's outputs for the leaves of a search.
type estimates struct {
	p       int
	value   []float64 // [n, P] by seat
	score   []float32 // [n] the policy's scores
	byScore bool      // moves are chosen by score, not by value
}

// values are the values of leaf i by seat [P].
func (x *estimates) values(i int) []float64 { return x.value[i*x.p:][:x.p] }

// prefers reports whether leaf a is better than leaf b for who.
func (x *estimates) prefers(a, b int, who game.Player) bool {
	if x.byScore {
		return x.score[a] > x.score[b]
	}
	return x.value[a*x.p+int(who)] > x.value[b*x.p+int(who)]+game.Tie
}

// backUp computes value from the estimates of the leaves.
func (f *expansion[S]) backUp(est *estimates) {
	clear(f.value)
	move := f.Move
	for _, b := range f.Branch {
		best := f.from + int(move[0])
		for _, k := range move[1:b.Moves] {
			if k := f.from + int(k); est.prefers(k, best, b.Mover) {
				best = k
			}
		}
		for j, v := range est.values(best) {
			f.value[j] += float64(b.Prob * v)
		}
		move = move[b.Moves:]
	}
}

// expander lists expansions.
type expander[S comparable] struct {
	rules *core.Rules[S]
	game  game.ChanceExpander[S] // or nil

	branch   map[S]int               // by decision, of the current expansion
	leaf     map[afterstate[S]]int32 // likewise; the mover of a leaf after no move is game.Chance
	outcomes []game.Outcome[S]
	legal    []game.Action
}

func newExpander[S comparable](rules *core.Rules[S]) expander[S] {
	x := expander[S]{rules: rules, branch: map[S]int{}, leaf: map[afterstate[S]]int32{}}
	x.game, _ = rules.Rules.(game.ChanceExpander[S])
	return x
}

// list fills f with the moves that can follow s.
func (x *expander[S]) list(f *expansion[S], s S) {
	who := x.rules.CurrentPlayer(s)
	if who == game.Chance && x.game != nil && x.game.Expand(&f.Expansion, s) {
		return
	}
	f.Branch, f.Move, f.Leaf = f.branch[:0], f.move[:0], f.Leaf[:0]
	clear(x.branch)
	clear(x.leaf)
	if who == game.Chance {
		x.outcomes = x.rules.Outcomes(x.outcomes[:0], s)
		for _, o := range x.outcomes {
			x.add(&f.Expansion, o.State, o.Prob)
		}
	} else {
		x.add(&f.Expansion, s, 1)
	}
	f.branch, f.move = f.Branch, f.Move
}

// setLeaf makes s the only leaf.
func (f *expansion[S]) setLeaf(s S) {
	f.branch, f.move = append(f.branch[:0], game.Branch{Prob: 1, Mover: game.Terminal, Moves: 1}), append(f.move[:0], 0)
	f.Branch, f.Move, f.Leaf = f.branch, f.move, append(f.Leaf[:0], s)
}

// add adds the decision in s with its moves, or s as a leaf where no seat decides.
func (x *expander[S]) add(dst *game.Expansion[S], s S, prob float64) {
	s, _ = x.rules.Canonical(s)
	if i, ok := x.branch[s]; ok {
		dst.Branch[i].Prob += prob
		return
	}
	x.branch[s] = len(dst.Branch)
	who, n := x.rules.CurrentPlayer(s), len(dst.Move)
	if who >= 0 {
		x.legal = x.rules.Legal(x.legal[:0], s)
		for _, a := range x.legal {
			dst.Move = append(dst.Move, x.number(dst, afterstate[S]{x.rules.After(s, a), who}))
		}
	} else {
		dst.Move = append(dst.Move, x.number(dst, afterstate[S]{s, game.Chance}))
	}
	dst.Branch = append(dst.Branch, game.Branch{Prob: prob, Mover: who, Moves: int32(len(dst.Move) - n)})
}

// number returns the index of a leaf, and adds the leaf if it is new.
func (x *expander[S]) number(dst *game.Expansion[S], m afterstate[S]) int32 {
	i, ok := x.leaf[m]
	if !ok {
		i = int32(len(dst.Leaf))
		x.leaf[m] = i
		dst.Leaf = append(dst.Leaf, m.state)
	}
	return i
}
