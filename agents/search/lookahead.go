package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/internal/kernel/elementary"
	"marsgym/internal/parallel"
)

// MaxPlies is the largest number of plies of a look-ahead. Chosen: no game has few
// enough moves for more.
const MaxPlies = 20

// maxBranches bounds the moves and outcomes that the look-ahead of one decision lists.
// Chosen: they take some 100 MB, and their evaluation about a second.
const maxBranches = 1 << 18

// ErrBranches is returned by a look-ahead for a decision with too many moves and
// outcomes ahead.
var ErrBranches = errors.New("too many moves and outcomes ahead")

// NewLookahead returns the policy that is greedy on the values of e after some further
// plies. Chance is expanded completely. With 0 plies the value of an action is the
// expectation of the next decision's value or, if the values are of afterstates, the
// afterstate's value. Each further ply replaces the value of a decision by that of its
// mover's best action. If the values are of afterstates or of starts of turns, and the
// rules plan turns from their decisions, plies are turns: it plans the whole turn (see
// [game.Lookahead]).
func NewLookahead(g env.Game, plies int, e *Evaluator) (env.Policy, error) {
	s, err := of(g)
	if err != nil {
		return nil, err
	}
	return s.newLookahead(plies, e)
}

func (x *searches[S]) newLookahead(plies int, e *Evaluator) (env.Policy, error) {
	p, err := LookaheadOf(x.rules.Rules, plies, e)
	if err != nil {
		return nil, err
	}
	return env.StatePolicy[S]{Policy: p}, nil
}

// LookaheadOf is [NewLookahead] as a policy over the states of a game.
func LookaheadOf[S comparable](rules game.Rules[S], plies int, e *Evaluator) (game.ContextPolicy[S], error) {
	if plies < 0 || plies > MaxPlies {
		return nil, fmt.Errorf("look-ahead by %d plies; want 0 to %d", plies, MaxPlies)
	}
	if e.Target != Decision {
		if planner, ok := rules.(game.TurnPlanner[S]); ok {
			return newTurnLookahead(rules, planner, plies, e), nil
		}
	}
	if e.Target == TurnStart {
		return nil, errors.New("its values are of starts of turns, and the game plans no turns from their decisions; use search")
	}
	return &lookahead[S]{rules: core.New(rules), spec: rules.Spec(), plies: plies, evaluator: e}, nil
}

type lookahead[S comparable] struct {
	rules     core.Rules[S]
	spec      game.Spec
	plies     int
	evaluator *Evaluator
	free      sync.Pool // of *aheadGraph[S]
}

// Plies implements [game.Lookahead].
func (x *lookahead[S]) Plies() int {
	if x.evaluator.Target == Afterstate {
		return x.plies - 1 // Values look one ply ahead
	}
	return x.plies
}

// Turns implements [game.Lookahead].
func (*lookahead[S]) Turns() int { return -1 }

// Values implements [game.Lookahead]. If the network values afterstates, the value of
// a decision is that of its mover's best afterstate.
func (x *lookahead[S]) Values(ctx context.Context, dst []float64, states []S) error {
	p, plies := x.spec.Players, -1
	if x.evaluator.Target == Afterstate {
		plies = 0
	}
	return x.run(ctx, plies, states, func(g *aheadGraph[S], from, to int) {
		for i := from; i < to; i++ {
			copy(dst[i*p:][:p], g.layers[0].value(g.roots[i-from], p))
		}
	})
}

// Probs implements [game.Policy].
func (x *lookahead[S]) Probs(dst []float64, states []S) error {
	return x.ProbsContext(context.Background(), dst, states)
}

// ProbsContext implements [game.ContextPolicy].
func (x *lookahead[S]) ProbsContext(ctx context.Context, dst []float64, states []S) error {
	clear(dst)
	return x.run(ctx, x.plies, states, func(g *aheadGraph[S], from, to int) {
		for i := from; i < to; i++ {
			root := g.layers[0].nodes[g.roots[i-from]]
			legal := g.legalIn(root.state)
			dst[i*x.spec.Actions+int(legal[root.best])] = 1
		}
	})
}

// run evaluates states by a look-ahead and calls read with the graph of each group of
// states.
func (x *lookahead[S]) run(ctx context.Context, plies int, states []S, read func(g *aheadGraph[S], from, to int)) error {
	const group = 64 // states in one graph; chosen: their leaves fill some calls of the network
	return parallel.ForContext(ctx, len(states), group, func(from, to int) error {
		g, _ := x.free.Get().(*aheadGraph[S])
		if g == nil {
			g = &aheadGraph[S]{lookahead: x}
		}
		defer x.free.Put(g)
		return g.split(ctx, plies, states, from, to, read)
	})
}

// split evaluates the states from <= i < to in one graph or, if that has too many
// branches, in two halves.
func (g *aheadGraph[S]) split(ctx context.Context, plies int, states []S, from, to int, read func(g *aheadGraph[S], from, to int)) error {
	const most = 1 << 16 // branches of a graph of several states; chosen: some 10 MB
	g.most = most
	if to-from == 1 {
		g.most = maxBranches
	}
	err := g.expand(plies, states[from:to])
	if errors.Is(err, ErrBranches) && to-from > 1 {
		half := (from + to) / 2
		if err := g.split(ctx, plies, states, from, half, read); err != nil {
			return err
		}
		return g.split(ctx, plies, states, half, to, read)
	}
	if err == nil {
		err = g.evaluate(ctx)
	}
	if err != nil {
		return fmt.Errorf("look-ahead: %w", err)
	}
	read(g, from, to)
	return nil
}

// aheadGraph holds what can follow some decisions: layer k has the decisions after k
// plies, each once, and the chance states and ends between them. The last layer has
// the leaves. One goroutine owns it.
type aheadGraph[S comparable] struct {
	*lookahead[S]
	most     int // branches
	branches int
	layers   []aheadLayer[S]
	roots    []int32 // of the states, in layer 0

	legal    []game.Action
	outcomes []game.Outcome[S] // of the chance states that are being expanded
	children []int32
	options  []float64
	obs      []float32 // of one call of the network
	out      []float32 // its values
}

// aheadLayer lists states, representatives.
type aheadLayer[S comparable] struct {
	index  map[seen[S]]int32
	nodes  []aheadNode[S]
	chance []int32   // its chance states, after their outcomes unless these lead back
	cyclic bool      // some do
	to     []int32   // the branches: of chance to this layer, of a decision to the next
	probs  []float64 // of the branches of chance
	values []float64 // [nodes, P] by seat
}

// seen is a state, and the seat that sees it if it is an afterstate as a leaf.
type seen[S comparable] struct {
	state  S
	viewer game.Player // or nobody
}

const nobody game.Player = -1

// aheadNode is a state. player is the seat that decides or, at a leaf, sees it;
// game.Chance or game.Terminal.
type aheadNode[S comparable] struct {
	state    S
	player   game.Player
	first, n int32 // branches
	best     int32 // the best of the branches of a decision
}

// pending is aheadNode.n of a chance state whose outcomes are being listed.
const pending = -1

// Chance can lead back to a state without a decision: in Martian Dice, if no seat can
// set a die aside. Then values are iterated until no sweep changes one by more than
// sweepTolerance, or maxSweeps are done. Chosen: a rounding error; far more than a game
// needs in which chance nearly always leads to a decision.
const (
	sweepTolerance = 1e-15
	maxSweeps      = 10_000
)

func (l *aheadLayer[S]) value(i int32, players int) []float64 {
	return l.values[int(i)*players:][:players]
}

func (l *aheadLayer[S]) reset() {
	if l.index == nil {
		l.index = map[seen[S]]int32{}
	}
	clear(l.index)
	l.nodes, l.chance, l.cyclic, l.to, l.probs = l.nodes[:0], l.chance[:0], false, l.to[:0], l.probs[:0]
}

func (l *aheadLayer[S]) append(key seen[S], x aheadNode[S]) int32 {
	i := int32(len(l.nodes))
	l.nodes, l.index[key] = append(l.nodes, x), i
	return i
}

func (g *aheadGraph[S]) legalIn(s S) []game.Action {
	g.legal = g.rules.Legal(g.legal[:0], s)
	return g.legal
}

// expand lists what follows the states: plies+1 decisions, or none if plies is -1.
func (g *aheadGraph[S]) expand(plies int, states []S) error {
	g.branches, g.roots, g.outcomes, g.children = 0, g.roots[:0], g.outcomes[:0], g.children[:0]
	for len(g.layers) < plies+2 {
		g.layers = append(g.layers, aheadLayer[S]{})
	}
	g.layers = g.layers[:plies+2]
	for k := range g.layers {
		g.layers[k].reset()
	}
	for _, s := range states {
		i, err := g.add(&g.layers[0], s)
		if err != nil {
			return err
		}
		g.roots = append(g.roots, i)
	}
	for k := range plies + 1 {
		l, next := &g.layers[k], &g.layers[k+1]
		for i := range l.nodes {
			x := &l.nodes[i]
			if x.player < 0 {
				continue
			}
			x.first = int32(len(l.to))
			for _, a := range g.legalIn(x.state) {
				after := g.rules.After(x.state, a)
				var child int32
				var err error
				if k == plies && g.evaluator.Target == Afterstate && g.rules.CurrentPlayer(after) != game.Terminal {
					child = g.leaf(next, after, x.player)
				} else if child, err = g.add(next, after); err != nil {
					return err
				}
				l.to, l.probs = append(l.to, child), append(l.probs, 1)
			}
			x.n = int32(len(l.to)) - x.first
			if err := g.count(int(x.n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// count adds to the number of branches.
func (g *aheadGraph[S]) count(n int) error {
	if g.branches += n; g.branches > g.most {
		return fmt.Errorf("%w, more than %d from one decision: use a smaller number of plies", ErrBranches, g.most)
	}
	return nil
}

// leaf adds an afterstate, seen by the seat that moved.
func (g *aheadGraph[S]) leaf(l *aheadLayer[S], s S, viewer game.Player) int32 {
	key := seen[S]{s, viewer}
	if i, ok := l.index[key]; ok {
		return i
	}
	return l.append(key, aheadNode[S]{state: s, player: viewer})
}

// add adds a representative and, after a chance state, all that can follow until the
// next decision.
func (g *aheadGraph[S]) add(l *aheadLayer[S], s S) (int32, error) {
	key := seen[S]{s, nobody}
	if i, ok := l.index[key]; ok {
		l.cyclic = l.cyclic || l.nodes[i].n == pending
		return i, nil
	}
	x := aheadNode[S]{state: s, player: g.rules.CurrentPlayer(s)}
	if x.player != game.Chance {
		return l.append(key, x), nil
	}
	x.n = pending
	at := l.append(key, x)
	from := len(g.outcomes)
	g.outcomes = g.rules.Outcomes(g.outcomes, s)
	to := len(g.outcomes)
	if err := g.count(to - from); err != nil {
		return 0, err
	}
	children := len(g.children)
	for k := from; k < to; k++ {
		i, err := g.add(l, g.rules.Representative(g.outcomes[k].State))
		if err != nil {
			return 0, err
		}
		g.children = append(g.children, i)
	}
	l.nodes[at].first, l.nodes[at].n = int32(len(l.to)), int32(to-from)
	l.chance = append(l.chance, at)
	l.to = append(l.to, g.children[children:]...)
	for _, o := range g.outcomes[from:to] {
		l.probs = append(l.probs, o.Prob)
	}
	g.outcomes, g.children = g.outcomes[:from], g.children[:children]
	return at, nil
}

// evaluate computes the values of all states, from the last layer to the first.
func (g *aheadGraph[S]) evaluate(ctx context.Context) error {
	p := g.spec.Players
	for k := len(g.layers) - 1; k >= 0; k-- {
		l := &g.layers[k]
		l.values = core.Resize(l.values, len(l.nodes)*p)
		last := k == len(g.layers)-1
		if last {
			if err := g.forward(ctx, l); err != nil {
				return err
			}
		}
		for i := range l.nodes {
			x := &l.nodes[i]
			value := l.value(int32(i), p)
			switch {
			case x.player == game.Terminal:
				g.rules.Returns(value[:0], x.state)
			case x.player >= 0 && !last:
				next := &g.layers[k+1]
				g.options = g.options[:0]
				for _, j := range l.to[x.first : x.first+x.n] {
					g.options = append(g.options, next.value(j, p)[x.player])
				}
				x.best = int32(game.BestOption(g.options))
				copy(value, next.value(l.to[x.first+x.best], p))
			}
		}
		if err := l.expect(p); err != nil {
			return err
		}
	}
	return nil
}

// expect fills the values of the chance states, given those of the others.
func (l *aheadLayer[S]) expect(players int) error {
	for _, i := range l.chance {
		clear(l.value(i, players))
	}
	for range maxSweeps {
		change := 0.0
		for _, i := range l.chance {
			x := &l.nodes[i]
			for seat, old := range l.value(i, players) {
				sum := 0.0
				for e := x.first; e < x.first+x.n; e++ {
					sum += float64(l.probs[e] * l.values[int(l.to[e])*players+seat])
				}
				l.values[int(i)*players+seat] = sum
				change = max(change, math.Abs(sum-old))
			}
		}
		if !l.cyclic || change <= sweepTolerance {
			return nil
		}
	}
	return errors.New("chance hardly ever leads to a decision")
}

// forward fills the values of the leaves.
func (g *aheadGraph[S]) forward(ctx context.Context, l *aheadLayer[S]) error {
	const most = 2048 // rows of one call of the network; chosen: their observations take some MB
	p, d := g.spec.Players, g.spec.ObsLen()
	var rows []int32
	flush := func() error {
		n := len(rows)
		g.out = core.Resize(g.out, n*p)
		g.evaluator.Forward(nil, g.out, g.obs[:n*d])
		for r, i := range rows {
			if err := readValue(l.value(i, p), g.out[r*p:][:p], l.nodes[i].player); err != nil {
				return err
			}
		}
		rows = rows[:0]
		return ctx.Err()
	}
	g.obs = core.Resize(g.obs, min(most, len(l.nodes))*d)
	for i := range l.nodes {
		x := &l.nodes[i]
		if x.player < 0 {
			continue
		}
		g.rules.Encode(g.obs[len(rows)*d:][:d], x.state, x.player)
		if rows = append(rows, int32(i)); len(rows) == most {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// readValue writes a row of the network's values, in the order of play from the viewer, to
// dst [P] by seat.
func readValue(dst []float64, row []float32, viewer game.Player) error {
	game.SeatOrder(dst, row, viewer)
	for _, v := range dst {
		if !elementary.Finite(v) {
			return fmt.Errorf("the network's value is %v", v)
		}
	}
	return nil
}
