package tabular

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"marsgym/env/game"
	"marsgym/internal/core"
)

// list is a [Numbering] of all positions that the rules can reach, in the order in which they
// are found, the initial position first. Roles are seats.
type list[S comparable] struct {
	graph
	rules  core.Rules[S]
	states []S // representatives, by number
	index  map[S]uint32
}

// graph is where the positions of a list lead.
type graph struct {
	players     int
	equalReturn float64 // return of each seat if all have the same
	positions   []position
	moves       []uint32  // successors of decisions, in the order of Legal
	rolls       []uint32  // successors of chance positions
	probs       []float64 // of rolls
	returns     []float64 // of the ends [*, P]

	// components are the strongly connected components, each after all its successors.
	// Component k is order[bounds[k]:bounds[k+1]], and the search entered it at its last
	// element.
	order  []uint32
	bounds []int32
}

// position is one position. Its successors are moves[first:first+n] for a seat and
// rolls[first:first+n] for chance. At an end, first is its row of returns.
type position struct {
	mover    game.Player
	first, n int32
}

// enumerate lists every reachable representative.
func (l *list[S]) enumerate(ctx context.Context, maxStates int) error {
	spec := l.rules.Spec()
	g := &l.graph
	g.players = spec.Players
	if spec.HasWin() {
		g.equalReturn = (spec.Win + float64(float64(spec.Players-1)*spec.Loss)) / float64(spec.Players)
	}
	var legal []game.Action
	var outcomes []game.Outcome[S]
	l.number(l.rules.Initial())
	for i := 0; i < len(l.states); i++ {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if len(l.states) > maxStates {
			return fmt.Errorf("%w: more than %d positions", game.ErrNoSolution, maxStates)
		}
		if max(len(g.moves), len(g.rolls)) > math.MaxInt32 {
			return fmt.Errorf("%w: more than %d moves from %d positions", game.ErrNoSolution, math.MaxInt32, i)
		}
		s := l.states[i]
		x := position{mover: l.rules.CurrentPlayer(s)}
		switch x.mover {
		case game.Terminal:
			x.first = int32(len(g.returns) / g.players)
			g.returns = l.rules.Returns(g.returns, s)
		case game.Chance:
			outcomes = l.rules.Outcomes(outcomes[:0], s)
			x.first, x.n = int32(len(g.rolls)), int32(len(outcomes))
			for _, o := range outcomes {
				g.rolls = append(g.rolls, l.number(o.State))
				g.probs = append(g.probs, o.Prob)
			}
		default:
			legal = l.rules.Legal(legal[:0], s)
			x.first, x.n = int32(len(g.moves)), int32(len(legal))
			for _, a := range legal {
				next, err := l.rules.Apply(s, a)
				if err != nil {
					return fmt.Errorf("in position %s, legal action %d: %w", text(l.rules, s), a, err)
				}
				g.moves = append(g.moves, l.number(next))
			}
		}
		if x.mover != game.Terminal && x.n == 0 {
			return fmt.Errorf("position %s has no successor; run gametest.Check on the rules", text(l.rules, s))
		}
		g.positions = append(g.positions, x)
	}
	return nil
}

// number returns the number of the representative of s. It adds the position if it is
// new.
func (l *list[S]) number(s S) uint32 {
	c := l.rules.Representative(s)
	i, ok := l.index[c]
	if !ok {
		i = uint32(len(l.states))
		l.index[c] = i
		l.states = append(l.states, c)
	}
	return i
}

// Number implements [Numbering]. It numbers chance too.
func (l *list[S]) Number(s S) (at uint32, first game.Player, err error) {
	c := l.rules.Representative(s)
	at, ok := l.index[c]
	if !ok {
		err = errors.New("no play leads to it")
	}
	return at, 0, err
}

// State implements [Numbering].
func (l *list[S]) State(at uint32, _ game.Player) S { return l.states[at] }

// Len implements [Numbering].
func (g *graph) Len() int { return len(g.positions) }

// Node implements [Numbering].
func (g *graph) Node(n *Node, at uint32) {
	x := g.positions[at]
	n.Mover, n.Moves, n.Probs = x.mover, n.Moves[:0], nil
	for _, to := range g.next(at) {
		n.Moves = append(n.Moves, Move{To: to, Prob: 1})
	}
	if x.mover == game.Chance {
		n.Probs = g.probs[x.first : x.first+x.n]
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

// component returns a component.
func (g *graph) component(k int) []uint32 { return g.order[g.bounds[k]:g.bounds[k+1]] }

// cyclic reports whether positions of a component can recur.
func (g *graph) cyclic(comp []uint32) bool {
	return len(comp) > 1 || slices.Contains(g.next(comp[0]), comp[0])
}

// next returns the successors of position i.
func (g *graph) next(i uint32) []uint32 {
	x := g.positions[i]
	switch x.mover {
	case game.Terminal:
		return nil
	case game.Chance:
		return g.rolls[x.first : x.first+x.n]
	}
	return g.moves[x.first : x.first+x.n]
}

// findComponents fills in order and bounds. It does not recurse.
//
// Source: Tarjan, "Depth-first search and linear graph algorithms", SIAM J.
// Comput. 1(2), 1972.
func (g *graph) findComponents() {
	n := g.Len()
	g.order, g.bounds = make([]uint32, 0, n), []int32{0}
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
	enter(0) // reaches all positions
	for len(path) > 0 {
		v := &path[len(path)-1]
		i := v.node
		if next := g.next(i); v.edge < int32(len(next)) {
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
			g.bounds = append(g.bounds, int32(len(g.order)))
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			up := path[len(path)-1].node
			low[up] = min(low[up], low[i]) // done is the largest number
		}
	}
}

// visit is a step on the path of a depth-first search.
type visit struct {
	node     uint32
	edge, at int32
}
