package lanes

import (
	"fmt"
	"slices"
)

// Width is the number of lanes.
const Width = 8

// Vec is one number for each lane.
type Vec [Width]float64

// Graph is what a player can come to, by number: first the ends, which pay, then
// the nodes, each of which leads to lower numbers only. In a node the player may
// stop and be paid as an end is, or roll on, to one of some options of its choice
// that chance offers. Once built, it may be used from several goroutines at once.
type Graph struct {
	ends  int
	tie   float64
	nodes []node // [nodes+1]; node i owns what lies between its own bounds and the next
	edges []edge
	pairs []pair
	picks []pick
}

// node is where the edges, pairs and picks of a node begin, and what it pays.
type node struct {
	edges, pairs, picks uint32
	stop                int32 // a place, or none
}

const none = -1

// offset is a number of the graph, as the offset of its Vec in bytes.
type offset uint32

const vecSize = 8 * Width

func (p offset) in(v []Vec) *Vec { return &v[p/vecSize] }

// edge is a roll without a choice.
type edge struct {
	prob float64
	to   offset
	_    uint32
}

// pair is a roll with two options.
type pair struct {
	prob float64
	a, b offset
}

// maxOptions is what a roll can offer.
const maxOptions = 5

// pick is a roll with three options or more; what is left of to repeats the
// first.
type pick struct {
	prob float64
	n    uint32
	to   [maxOptions]offset
}

// New returns a graph of so many ends and no node. Options that differ by no
// more than tie are equal: the first is taken, and rolling on before stopping.
func New(ends int, tie float64) *Graph {
	return &Graph{ends: ends, tie: tie, nodes: []node{{}}}
}

// Len is the number of ends and nodes.
func (g *Graph) Len() int { return g.ends + len(g.nodes) - 1 }

// Add adds a node, which pays what that end does, or cannot stop if stop is
// negative.
func (g *Graph) Add(stop int) {
	last := &g.nodes[len(g.nodes)-1]
	last.stop = none
	if stop >= 0 {
		last.stop = int32(g.offset(stop, g.ends))
	}
	g.nodes = append(g.nodes, node{})
	g.bound()
}

// Roll adds to the last node a roll of that probability and with these options,
// all different. Where there are few options they are added first: one, then
// two, then more.
func (g *Graph) Roll(prob float64, options ...int) {
	to := make([]offset, len(options))
	for i, o := range options {
		if slices.Contains(options[:i], o) {
			panic(fmt.Sprintf("lanes: option %d twice", o))
		}
		to[i] = g.offset(o, g.Len()-1)
	}
	begun := &g.nodes[len(g.nodes)-2]
	switch n := len(options); {
	case n == 1 && int(begun.pairs) == len(g.pairs) && int(begun.picks) == len(g.picks):
		g.edges = append(g.edges, edge{prob: prob, to: to[0]})
	case n == 2 && int(begun.picks) == len(g.picks):
		g.pairs = append(g.pairs, pair{prob, to[0], to[1]})
	case n > 2 && n <= maxOptions:
		p := pick{prob: prob, n: uint32(n)}
		for i := range p.to {
			p.to[i] = to[0]
		}
		copy(p.to[:], to)
		g.picks = append(g.picks, p)
	default:
		panic(fmt.Sprintf("lanes: a roll with %d options, late or more than %d", n, maxOptions))
	}
	g.bound()
}

// offset is number n, which must be below limit.
func (g *Graph) offset(n, limit int) offset {
	if n < 0 || n >= limit || n > 1<<31/vecSize {
		panic(fmt.Sprintf("lanes: %d is not below %d", n, limit))
	}
	return offset(n * vecSize)
}

// bound ends the last node where its rolls end.
func (g *Graph) bound() {
	n := &g.nodes[len(g.nodes)-1]
	n.edges, n.pairs, n.picks = uint32(len(g.edges)), uint32(len(g.pairs)), uint32(len(g.picks))
}

// Solve fills value [Len] with what each number is worth under best play, given
// value[:ends], what the ends pay, and rolling [Len] with what rolling on is
// worth in the nodes. Payoffs are not NaN.
//
//	rolling[i] = Σ prob·max value[options],  value[i] = max(rolling[i], value[stop])
//
// The sum is over the rolls in the order in which they were added.
func (g *Graph) Solve(value, rolling []Vec) {
	g.check(len(value), g.Len())
	g.check(len(rolling), g.Len())
	active.solve(g, value, rolling)
}

// Propagate adds to dist [ends] how the best play that Solve has found ends, from
// the numbers to which reach [Len] gives a probability; it clears reach.
func (g *Graph) Propagate(dist, reach, value, rolling []Vec) {
	g.check(len(dist), g.ends)
	g.check(len(reach), g.Len())
	g.check(len(value), g.Len())
	g.check(len(rolling), g.Len())
	active.propagate(g, dist, reach, value, rolling)
	for i := range dist {
		for l, p := range reach[i] {
			dist[i][l] += p
		}
	}
	clear(reach[:g.ends])
}

func (g *Graph) check(got, want int) {
	if got != want {
		panic(fmt.Sprintf("lanes: %d vectors, want %d", got, want))
	}
}
