package expert

import (
	"math"
	"math/rand/v2"

	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/internal/intern"
)

// afterstate is a state just after a move, with the seat that moved.
type afterstate[S comparable] struct {
	state S
	mover game.Player
}

// expansion lists what can follow a move, down to the states that the network evaluates.
type expansion struct {
	branch []game.Branch // its own, or those of the game
	move   []int32       // of the game: by branch, into leaf; nil if leaf is by branch
	leaf   []int32       // the numbers of the leaves
	value  []float64     // [P] backed up, by seat

	buffer []game.Branch // its own
}

// expansions are those of a search, and its leaves.
type expansions[S comparable] struct {
	*searcher[S]
	merges game.ChanceExpander[S] // nil where the network values decisions, else it values afterstates
	chance core.Chance[S]

	known intern.Table[expansionKey[S]] // all of this search, where the network values afterstates
	all   []*expansion                  // those in use first, then others to reuse
	used  int
	fresh int // the first that is not backed up

	leaf     intern.Table[afterstate[S]] // the leaves of this search, each with the seat that sees it
	estimate []float64                   // [leaves, P] the network's values, or returns, by seat
	score    []float64                   // [leaves] by which moves after chance are chosen: of the policy, or the viewer's value
	byScore  bool                        // of the policy
	requests []request                   // leaves that the network has to evaluate

	scores   []float32 // [requests]
	listed   game.Expansion[S]
	outcomes []game.Outcome[S]
	moves    []game.Action
	options  []float64 // [leaves of an expansion] their scores
	best     []int32   // [branches of an expansion] the leaf after the best move
}

// expansionKey identifies an expansion. If dice is false, its only leaf is the state.
type expansionKey[S comparable] struct {
	afterstate[S]
	dice bool
}

// request is a leaf for the network to evaluate.
type request struct {
	leaf   int32
	viewer game.Player
	over   bool // the game is over: the network's value is not used, only its score
}

func newExpansions[S comparable](s *searcher[S], merges game.ChanceExpander[S]) expansions[S] {
	return expansions[S]{searcher: s, merges: merges, chance: core.Chance[S]{Rules: &s.rules}}
}

// begin begins a search.
func (x *expansions[S]) begin(byScore bool) {
	x.known.Clear()
	x.leaf.Clear()
	x.used, x.estimate, x.score = 0, x.estimate[:0], x.score[:0]
	x.byScore = byScore && x.merges != nil
}

// next begins the next decision of all rows.
func (x *expansions[S]) next() {
	if x.merges == nil {
		x.used = 0 // samples are not used again
	}
	x.fresh, x.requests = x.used, x.requests[:0]
	x.obs.Reset()
}

// of returns the expansion of what follows a move, or, without dice, of the state alone.
// Samples are drawn with dice.
func (x *expansions[S]) of(m afterstate[S], chance bool, dice *rand.PCG) *expansion {
	if x.merges != nil {
		if k, added := x.known.Add(expansionKey[S]{m, chance}); !added {
			return x.all[k]
		}
	}
	if x.used == len(x.all) {
		x.all = append(x.all, &expansion{value: make([]float64, x.spec.Players)})
	}
	f := x.all[x.used]
	f.branch, f.move, f.leaf = f.buffer[:0], nil, f.leaf[:0]
	x.used++
	switch {
	case !chance:
		x.addLeaf(f, game.Outcome[S]{State: m.state, Prob: 1}, m.mover)
	case x.merges == nil:
		x.outcomes, _ = x.chance.Follow(x.outcomes[:0], m.state, x.cfg.Outcomes, dice)
		for _, o := range x.outcomes {
			viewer := x.rules.CurrentPlayer(o.State)
			if viewer < 0 { // after ChanceLimit transitions, or at the end
				viewer = m.mover
			}
			x.addLeaf(f, o, viewer)
		}
	case x.rules.CurrentPlayer(m.state) != game.Chance:
		x.addMoves(f, game.Outcome[S]{State: m.state, Prob: 1}, m.mover)
	case x.merges.Expand(&x.listed, m.state):
		x.addListed(f, m.mover)
		return f
	default:
		x.outcomes = x.rules.Outcomes(x.outcomes[:0], m.state)
		for _, o := range x.outcomes {
			x.addMoves(f, game.Outcome[S]{State: x.rules.Representative(o.State), Prob: o.Prob}, m.mover)
		}
	}
	f.buffer = f.branch
	return f
}

// addLeaf adds a branch with one leaf.
func (x *expansions[S]) addLeaf(f *expansion, o game.Outcome[S], viewer game.Player) {
	f.leaf = append(f.leaf, x.number(o.State, viewer))
	f.branch = append(f.branch, game.Branch{Prob: o.Prob, Mover: viewer, Moves: 1})
}

// addMoves adds a branch for the moves of a decision or, where no seat decides, for the
// state, seen by the seat that moved last.
func (x *expansions[S]) addMoves(f *expansion, o game.Outcome[S], last game.Player) {
	who := x.rules.CurrentPlayer(o.State)
	if who < 0 {
		x.addLeaf(f, o, last)
		return
	}
	x.moves = x.rules.Legal(x.moves[:0], o.State)
	for _, a := range x.moves {
		f.leaf = append(f.leaf, x.number(x.rules.After(o.State, a), who))
	}
	f.branch = append(f.branch, game.Branch{Prob: o.Prob, Mover: who, Moves: int32(len(x.moves))})
}

// addListed adds the branches that the game has listed.
func (x *expansions[S]) addListed(f *expansion, last game.Player) {
	f.branch, f.move = x.listed.Branch, x.listed.Move
	f.leaf = core.Resize(f.leaf, len(x.listed.Leaf))
	for k, s := range x.listed.Leaf {
		viewer := x.listed.Mover[k]
		if viewer < 0 {
			viewer = last
		}
		f.leaf[k] = x.number(s, viewer)
	}
}

// number returns the number of a leaf. If the leaf is new, the network has to evaluate it.
func (x *expansions[S]) number(s S, viewer game.Player) int32 {
	number, added := x.leaf.Add(afterstate[S]{s, viewer})
	k := int32(number)
	if !added {
		return k
	}
	over := x.rules.CurrentPlayer(s) == game.Terminal
	if x.byScore || !over {
		x.requests = append(x.requests, request{k, viewer, over})
		if x.rules.Sparse != nil {
			x.obs.AppendAlike(x.encode(s, viewer))
		} else {
			x.observe(x.obs, s, viewer)
		}
	}
	x.estimate = x.rules.Returns(x.estimate, s) // zeros, unless it is over
	x.score = append(x.score, x.leafValues(k)[viewer])
	return k
}

// leafValues returns the values of a leaf by seat [P].
func (x *expansions[S]) leafValues(leaf int32) []float64 {
	return x.estimate[int(leaf)*x.spec.Players:][:x.spec.Players]
}

// evaluate calls the network with the requests, and backs up the fresh expansions.
func (x *expansions[S]) evaluate(net Network) {
	var scores []float32
	if x.byScore {
		x.scores = core.Resize(x.scores, len(x.requests))
		scores = x.scores
	}
	x.searcher.evaluate(net, scores)
	for i, r := range x.requests {
		if !r.over {
			x.seatValues(x.leafValues(r.leaf), i, r.viewer)
			x.score[r.leaf] = x.leafValues(r.leaf)[r.viewer]
		}
		if scores != nil {
			x.score[r.leaf] = float64(scores[i])
		}
	}
	for _, f := range x.all[x.fresh:x.used] {
		x.backUp(f)
	}
}

// backUp computes the value of an expansion from its leaves.
func (x *expansions[S]) backUp(f *expansion) {
	x.options = core.Resize(x.options, len(f.leaf))
	for k, leaf := range f.leaf {
		x.options[k] = x.score[leaf]
	}
	x.best = x.best[:0]
	at := 0
	for _, b := range f.branch {
		to := at + int(b.Moves)
		if f.move != nil {
			x.best = append(x.best, f.leaf[bestMove(x.options, f.move[at:to])])
		} else {
			x.best = append(x.best, f.leaf[at+max(0, game.BestOption(x.options[at:to]))])
		}
		at = to
	}
	p := x.spec.Players
	for j := range f.value {
		sum := 0.0
		for i, b := range f.branch {
			sum += float64(b.Prob * x.estimate[int(x.best[i])*p+j])
		}
		f.value[j] = sum
	}
}

// bestMove returns the leaf after the best of some moves, or after the first if a score is NaN:
// it is [game.BestOption] of the scores of these leaves.
func bestMove(score []float64, moves []int32) (leaf int32) {
	most := math.Inf(-1)
	for _, k := range moves {
		most = max(most, score[k])
	}
	leaf = moves[0]
	for i := len(moves) - 1; i >= 0; i-- {
		if score[moves[i]] >= most-game.Tie {
			leaf = moves[i]
		}
	}
	return leaf
}
