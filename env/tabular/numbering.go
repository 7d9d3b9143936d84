package tabular

import (
	"math"
	"slices"

	"marsgym/env/game"
)

// Numbering numbers the positions of a game. [Solve] numbers them by listing them; a game
// for two seats with a win may do so itself (see [SolveNumbered]).
//
// Seats are roles: a position has the same number whichever seat has role 0. Equivalent
// positions (see [game.Symmetry]) have the same number.
type Numbering[S comparable] interface {
	nodes
	// Number returns the number of a decision, or of the end of a game, and the seat with
	// role 0. Ends of games may share the numbers of decisions.
	Number(s S) (at uint32, first game.Player, err error)
	// State returns the representative of the decision at a number.
	State(at uint32, first game.Player) S
	// Layers returns the number of parts of each layer. Parts depend on earlier layers and
	// on no other part of their own.
	Layers() []int
	// Part fills in a part of a layer. It reuses the lists of p.
	Part(p *Part, layer, part int)
}

// nodes are numbered positions and where they lead.
type nodes interface {
	// Len returns the number of numbers, which start at 0.
	Len() int
	// Node fills in the node at a number. It reuses n.Moves.
	Node(n *Node, at uint32)
}

// Node is a position and what its moves lead to.
type Node struct {
	// Mover is the role to move. It is [game.Chance] also where the rules make the only
	// move, and [game.Terminal] at the end of a game.
	Mover game.Player
	Moves []Move    // in the order of Legal, or of chance; none at an end
	Probs []float64 // of the moves of chance
	Share float64   // role 0's share of the win at an end, or if a move leads to Ended
}

// Move leads to the number To with a probability, and otherwise to Else.
type Move struct {
	To, Else uint32
	Prob     float64
}

// Ended is in place of a number where a move ends the game.
const Ended = math.MaxUint32

// each calls f with each number that a move leads to, and its probability.
func (m Move) each(f func(to uint32, prob float64)) {
	if m.To == Ended {
		return
	}
	f(m.To, m.Prob)
	if m.Prob < 1 {
		f(m.Else, 1-m.Prob)
	}
}

// expect returns the expected value after a move, given that of an end and those of numbers.
func (m Move) expect(ended float64, value func(at uint32) float64) float64 {
	switch {
	case m.To == Ended:
		return ended
	case m.Prob == 1:
		return value(m.To)
	}
	return float64(m.Prob*value(m.To)) + float64((1-m.Prob)*value(m.Else))
}

// Part holds numbers of positions in an order in which each follows its successors.
type Part struct {
	Lists  [][]uint32 // to be solved one after the other
	Cyclic bool       // positions of the last list can recur
}

// Clear empties n lists.
func (p *Part) Clear(n int) {
	p.Lists = slices.Grow(p.Lists[:0], n)[:n]
	for i := range p.Lists {
		p.Lists[i] = p.Lists[i][:0]
	}
}
