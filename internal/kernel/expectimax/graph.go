package expectimax

import (
	"fmt"
	"slices"
)

// Width is the number of lanes.
const Width = 16

// Vec is one number for each lane.
type Vec [Width]float64

// Graph is a decision problem of one player. Its elements are numbered: first the ends,
// which have payoffs, then the nodes, which lead to lower numbers only. In a node the
// player stops at an end or rolls on. A roll has a probability and offers one or more
// options, of which the player chooses one. Once built, a Graph may be used by several
// goroutines at once.
type Graph struct {
	ends  int
	tie   float64
	nodes []node // [nodes+1]; the rolls of node i lie between its bounds and the next ones
	edges []edge
	pairs []pair
	picks []pick
	waves []int // the first number of each wave
}

// node has the first index of the edges, pairs and picks of a node, and the end at which
// it can stop.
type node struct {
	edges, pairs, picks uint32
	stop                int32 // an offset, or none
}

const none = -1

// offset stands for a number of the graph: the offset of its Vec in bytes.
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

// maxOptions is the largest number of options of a roll.
const maxOptions = 5

// pick is a roll with three options or more. The rest of to repeats the first.
type pick struct {
	prob float64
	n    uint32
	to   [maxOptions]offset
}

// New returns a graph with the given number of ends and no nodes. Options whose values differ by at
// most tie are equal: the first is chosen, and rolling on before stopping.
func New(ends int, tie float64) *Graph {
	return &Graph{ends: ends, tie: tie, nodes: []node{{}}, waves: []int{ends}}
}

// Len returns the number of ends and nodes.
func (g *Graph) Len() int { return g.ends + len(g.nodes) - 1 }

// Add adds a node that can stop at the end of that number, or cannot stop if stop is
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

// Roll adds to the last node a roll with that probability and these options, which are
// all different. A node gets its rolls with one option first, then those with two, then
// those with more.
func (g *Graph) Roll(prob float64, options ...int) {
	to := make([]offset, len(options))
	for i, o := range options {
		if slices.Contains(options[:i], o) {
			panic(fmt.Sprintf("expectimax: option %d is repeated", o))
		}
		to[i] = g.offset(o, g.Len()-1)
	}
	if len(options) > 0 && slices.Max(options) >= g.waves[len(g.waves)-1] {
		g.waves = append(g.waves, g.Len()-1)
	}
	node := &g.nodes[len(g.nodes)-2]
	switch n := len(options); {
	case n == 1 && int(node.pairs) == len(g.pairs) && int(node.picks) == len(g.picks):
		g.edges = append(g.edges, edge{prob: prob, to: to[0]})
	case n == 2 && int(node.picks) == len(g.picks):
		g.pairs = append(g.pairs, pair{prob, to[0], to[1]})
	case n > 2 && n <= maxOptions:
		p := pick{prob: prob, n: uint32(n)}
		for i := range p.to {
			p.to[i] = to[0]
		}
		copy(p.to[:], to)
		g.picks = append(g.picks, p)
	default:
		panic(fmt.Sprintf("expectimax: a roll with %d options comes too late, or has more than %d", n, maxOptions))
	}
	g.bound()
}

// offset returns the offset of number n, which must be below limit.
func (g *Graph) offset(n, limit int) offset {
	if n < 0 || n >= limit || n > 1<<31/vecSize {
		panic(fmt.Sprintf("expectimax: %d is not below %d", n, limit))
	}
	return offset(n * vecSize)
}

// bound sets the upper bounds of the rolls of the last node.
func (g *Graph) bound() {
	n := &g.nodes[len(g.nodes)-1]
	n.edges, n.pairs, n.picks = uint32(len(g.edges)), uint32(len(g.pairs)), uint32(len(g.picks))
}

// Solve fills value [Len] with the values of all numbers under best play, given the
// payoffs of the ends in value[:ends], and rolling [Len] with the values of rolling on in
// the nodes. Payoffs are not NaN.
//
//	rolling[i] = Σ prob·max value[options],  value[i] = max(rolling[i], value[stop])
//
// The sum is over the rolls of the node in the order in which they were added.
func (g *Graph) Solve(value, rolling []Vec) {
	g.SolveNodes(value, rolling, g.ends, g.Len())
}

// Waves returns the first number of each wave of nodes, and [Graph.Len]. The nodes of a wave lead
// to none of each other.
func (g *Graph) Waves() []int { return append(slices.Clip(g.waves), g.Len()) }

// SolveNodes is [Graph.Solve] for the nodes with the numbers from <= i < to, after those that they
// lead to. Several goroutines may solve nodes of a wave at the same time.
func (g *Graph) SolveNodes(value, rolling []Vec, from, to int) {
	g.check(len(value), g.Len())
	g.check(len(rolling), g.Len())
	if from < to {
		solve(g, value, rolling, from-g.ends, to-g.ends)
	}
}

// Propagate adds to dist [ends] the probability of each end under the best play that
// Solve has found, given the initial probabilities reach [Len]. It clears reach.
func (g *Graph) Propagate(dist, reach, value, rolling []Vec) {
	g.check(len(dist), g.ends)
	g.check(len(reach), g.Len())
	g.check(len(value), g.Len())
	g.check(len(rolling), g.Len())
	propagate(g, dist, reach, value, rolling)
	for i := range dist {
		for l, p := range reach[i] {
			dist[i][l] += p
		}
	}
	clear(reach[:g.ends])
}

func (g *Graph) check(got, want int) {
	if got != want {
		panic(fmt.Sprintf("expectimax: %d vectors, want %d", got, want))
	}
}
