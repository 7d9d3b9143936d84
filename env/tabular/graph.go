package tabular

import (
	"context"
	"math"
	"slices"

	"marsgym/env/game"
)

// Graph says where the positions of a game lead, which are numbered from 0, the initial one. Its
// memory is 7 bytes a position, 4 a move, 12 an outcome, and the returns.
type Graph struct {
	Mover []game.Player // [positions]
	// First [positions] is the index of the first move of a decision in Next, that of the first
	// outcome of a chance position in Outcome and Probability, or the row of an end in Returns.
	// Count [positions] is the number of its moves or outcomes.
	First []uint32
	Count []uint16

	Next        []uint32  // successors of decisions, in the order of Legal
	Outcome     []uint32  // successors of chance positions
	Probability []float64 // of outcomes
	Returns     []float64 // by seat [*, P]
}

// Ascends reports whether every successor has a higher number. Then no position can recur, and each
// is a component of its own.
func (g *Graph) Ascends() bool {
	for i := range uint32(len(g.Mover)) {
		for _, j := range g.Successors(i) {
			if j <= i {
				return false
			}
		}
	}
	return true
}

// Successors returns the successors of position i.
func (g *Graph) Successors(i uint32) []uint32 {
	first, n := uint(g.First[i]), uint(g.Count[i])
	switch g.Mover[i] {
	case game.Terminal:
		return nil
	case game.Chance:
		return g.Outcome[first : first+n]
	}
	return g.Next[first : first+n]
}

// graph is a Graph with its strongly connected components.
type graph struct {
	*Graph
	players     int
	equalReturn float64 // return of each seat if all have the same

	// components are the strongly connected components, each after all its successors.
	// Component k is order[bounds[k]:bounds[k+1]], and the search entered it at its last
	// element.
	order  []uint32
	bounds []uint32
}

func newGraph(spec game.Spec, of *Graph) graph {
	g := graph{Graph: of, players: spec.Players}
	if spec.HasWin() {
		g.equalReturn = (spec.Win + float64(float64(spec.Players-1)*spec.Loss)) / float64(spec.Players)
	}
	return g
}

// Len implements [Numbering].
func (g *graph) Len() int { return len(g.Mover) }

// Node implements [Numbering].
func (g *graph) Node(n *Node, at uint32) {
	n.Mover, n.Moves, n.Probs = g.Mover[at], n.Moves[:0], nil
	for _, to := range g.Successors(at) {
		n.Moves = append(n.Moves, Move{To: to, Prob: 1})
	}
	if n.Mover == game.Chance {
		n.Probs = g.probs(at)
	}
}

// Layers implements [Numbering]. Each component is a part. They are not solved at once, so that
// all are in one layer, although they depend on each other.
func (g *graph) Layers() []int { return []int{len(g.bounds) - 1} }

// Part implements [Numbering].
func (g *graph) Part(p *Part, _, part int) {
	comp := g.component(part)
	p.Lists, p.Cyclic = append(p.Lists[:0], comp), g.cyclic(comp)
}

// Numbers gives the states of a [Graph] their numbers.
type Numbers[S comparable] interface {
	// Number returns the number of a state, and State the state of a number.
	Number(s S) (at uint32, err error)
	State(at uint32) S
}

// SolveGraph is [Solve] for a game whose positions are numbered already. It lists nothing, needs
// no map, and keeps g. Positions to which no play leads have values too.
func SolveGraph[S comparable](ctx context.Context, r game.Rules[S], g *Graph, n Numbers[S], progress func(done float64)) (*Solution[S], error) {
	x := &numbered[S]{newGraph(r.Spec(), g), n}
	return solve(ctx, r, x, &x.graph, progress)
}

// numbered is a [Numbering] of a graph. Roles are seats.
type numbered[S comparable] struct {
	graph
	numbers Numbers[S]
}

// Number implements [Numbering].
func (n *numbered[S]) Number(s S) (at uint32, first game.Player, err error) {
	at, err = n.numbers.Number(s)
	return at, 0, err
}

// State implements [Numbering].
func (n *numbered[S]) State(at uint32, _ game.Player) S { return n.numbers.State(at) }

// component returns a component.
func (g *graph) component(k int) []uint32 { return g.order[g.bounds[k]:g.bounds[k+1]] }

// cyclic reports whether positions of a component can recur.
func (g *graph) cyclic(comp []uint32) bool {
	return len(comp) > 1 || slices.Contains(g.Successors(comp[0]), comp[0])
}

// probs returns the probabilities of the outcomes of the chance position i.
func (g *graph) probs(i uint32) []float64 {
	first := uint(g.First[i])
	return g.Probability[first : first+uint(g.Count[i])]
}

// findComponents fills in order and bounds. It does not recurse.
//
// Source: Tarjan, "Depth-first search and linear graph algorithms", SIAM J.
// Comput. 1(2), 1972.
func (g *graph) findComponents() {
	n := g.Len()
	if g.Ascends() {
		g.order, g.bounds = make([]uint32, n), make([]uint32, n+1)
		for k := range g.order {
			g.order[k], g.bounds[k+1] = uint32(n-1-k), uint32(k+1)
		}
		return
	}
	g.order, g.bounds = make([]uint32, 0, n), []uint32{0}
	const done = math.MaxInt32
	low := make([]int32, n) // 0 if not visited, done if in a component
	var open []uint32       // visited, but in no component yet
	var path []visit
	seen := int32(0)
	enter := func(i uint32) {
		seen++
		low[i] = seen
		open = append(open, i)
		path = append(path, visit{node: i, at: seen})
	}
	for root := range uint32(n) { // the first reaches all positions that a game can
		if low[root] == 0 {
			enter(root)
		}
		for len(path) > 0 {
			v := &path[len(path)-1]
			i := v.node
			if next := g.Successors(i); v.edge < int32(len(next)) {
				j := next[v.edge]
				v.edge++
				if low[j] == 0 {
					enter(j)
				} else if low[j] != done {
					low[i] = min(low[i], low[j])
				}
				continue
			}
			if low[i] == v.at {
				for {
					j := open[len(open)-1]
					open = open[:len(open)-1]
					low[j] = done
					g.order = append(g.order, j)
					if j == i {
						break
					}
				}
				g.bounds = append(g.bounds, uint32(len(g.order)))
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1].node
				low[up] = min(low[up], low[i]) // done is the largest number
			}
		}
	}
}

// visit is a step on the path of a depth-first search.
type visit struct {
	node     uint32
	edge, at int32
}
