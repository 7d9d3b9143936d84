package tabular

import (
	"context"
	"fmt"
	"math"

	"marsgym/env/game"
)

// graph is a game with its positions numbered in the order in which they are found,
// the initial position first.
type graph struct {
	players     int
	equalReturn float64 // return of each seat if all have the same
	nodes       []node
	moves       []int32   // successors of decisions, in the order of Legal
	rolls       []int32   // successors of chance positions
	probs       []float64 // of rolls
	returns     []float64 // of the ends [*, P]
}

// node is a position. Its successors are moves[first:first+n] for a seat and
// rolls[first:first+n] for chance. At an end, first is its row of returns.
type node struct {
	mover    game.Player
	first, n int32
}

// enumerate fills sol.graph, sol.states and sol.index with every reachable
// representative.
func (sol *Solution[S]) enumerate(ctx context.Context, maxStates int) error {
	spec := sol.rules.Spec()
	g := &sol.graph
	g.players = spec.Players
	if spec.HasWin() {
		g.equalReturn = (spec.Win + float64(float64(spec.Players-1)*spec.Loss)) / float64(spec.Players)
	}
	var legal []game.Action
	var outcomes []game.Outcome[S]
	sol.number(sol.rules.Initial())
	for i := 0; i < len(sol.states); i++ {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if len(sol.states) > maxStates {
			return fmt.Errorf("%w: more than %d positions", game.ErrNoSolution, maxStates)
		}
		if max(len(g.moves), len(g.rolls)) > math.MaxInt32 {
			return fmt.Errorf("%w: more than %d moves from %d positions", game.ErrNoSolution, math.MaxInt32, i)
		}
		s := sol.states[i]
		x := node{mover: sol.rules.CurrentPlayer(s)}
		switch x.mover {
		case game.Terminal:
			x.first = int32(len(g.returns) / g.players)
			g.returns = sol.rules.Returns(g.returns, s)
		case game.Chance:
			outcomes = sol.rules.Outcomes(outcomes[:0], s)
			x.first, x.n = int32(len(g.rolls)), int32(len(outcomes))
			for _, o := range outcomes {
				g.rolls = append(g.rolls, sol.number(o.State))
				g.probs = append(g.probs, o.Prob)
			}
		default:
			legal = sol.rules.Legal(legal[:0], s)
			x.first, x.n = int32(len(g.moves)), int32(len(legal))
			for _, a := range legal {
				next, err := sol.rules.Apply(s, a)
				if err != nil {
					return fmt.Errorf("in position %s, legal action %d: %w", sol.text(s), a, err)
				}
				g.moves = append(g.moves, sol.number(next))
			}
		}
		if x.mover != game.Terminal && x.n == 0 {
			return fmt.Errorf("position %s has no successor; run gametest.Check on the rules", sol.text(s))
		}
		g.nodes = append(g.nodes, x)
	}
	return nil
}

// number returns the index of the representative of s. It adds the position if it is
// new.
func (sol *Solution[S]) number(s S) int32 {
	c, _ := sol.canonical(s)
	i, ok := sol.index[c]
	if !ok {
		i = int32(len(sol.states))
		sol.index[c] = i
		sol.states = append(sol.states, c)
	}
	return i
}

// next returns the successors of position i.
func (g *graph) next(i int32) []int32 {
	x := g.nodes[i]
	switch x.mover {
	case game.Terminal:
		return nil
	case game.Chance:
		return g.rolls[x.first : x.first+x.n]
	}
	return g.moves[x.first : x.first+x.n]
}

// components are the strongly connected components of a graph, each after all its
// successors. Component k is order[bounds[k]:bounds[k+1]], and the search entered it at
// its last element.
type components struct {
	order, bounds []int32
}

func (c *components) len() int { return len(c.bounds) - 1 }

func (c *components) at(k int) []int32 { return c.order[c.bounds[k]:c.bounds[k+1]] }

// components returns the strongly connected components. It does not recurse.
//
// Source: Tarjan, "Depth-first search and linear graph algorithms", SIAM J.
// Comput. 1(2), 1972.
func (g *graph) components() components {
	n := len(g.nodes)
	c := components{order: make([]int32, 0, n), bounds: []int32{0}}
	const done = math.MaxInt32
	low := make([]int32, n) // 0 if not visited, done if in a component
	var open []int32        // visited, but in no component yet
	var path []visit
	seen := int32(0)
	enter := func(i int32) {
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
				c.order = append(c.order, j)
				if j == i {
					break
				}
			}
			c.bounds = append(c.bounds, int32(len(c.order)))
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			up := path[len(path)-1].node
			low[up] = min(low[up], low[i]) // done is the largest number
		}
	}
	return c
}

// visit is a step on the path of a depth-first search.
type visit struct {
	node, edge, at int32
}
