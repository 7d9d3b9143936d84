package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
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

// maxTurns bounds the number of turns of one graph. Chosen: in Martian Dice they take some
// 50 ms and 50 MB.
const maxTurns = 5000

// turnsAtOnce bounds the number of turns at which one graph starts. Chosen: the number that
// Martian Dice plans at once.
const turnsAtOnce = 16

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
	x := &lookahead[S]{rules: core.New(rules), spec: rules.Spec(), plies: plies, evaluator: e}
	if e.Target != Decision {
		x.planner = x.rules.Planner
	}
	if e.Target == TurnStart && x.planner == nil {
		return nil, errors.New("its values are of starts of turns, and the game plans no turns from their decisions; use search")
	}
	return x, nil
}

type lookahead[S comparable] struct {
	rules     core.Rules[S]
	spec      game.Spec
	plies     int
	evaluator *Evaluator
	planner   game.TurnPlanner[S] // nil if plies are decisions
	free      sync.Pool           // of *aheadGraph[S]
	leaves    sync.Pool           // of *leaves
}

// Plies implements [game.Lookahead].
func (x *lookahead[S]) Plies() int {
	switch {
	case x.planner != nil:
		return -1
	case x.evaluator.Target == Afterstate:
		return x.plies - 1 // Values look one ply ahead
	}
	return x.plies
}

// Turns implements [game.Lookahead].
func (x *lookahead[S]) Turns() int {
	if x.planner != nil {
		return x.plies
	}
	return -1
}

// Values implements [game.Lookahead]. If the network values afterstates, the value of
// a decision is that of its mover's best afterstate.
func (x *lookahead[S]) Values(ctx context.Context, dst []float64, states []S) error {
	p, plies := x.spec.Players, -1
	if x.planner == nil && x.evaluator.Target == Afterstate {
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
			root := g.roots[i-from]
			best := int(g.layers[0].nodes[root].best)
			if x.planner != nil {
				g.options = g.plans[root].Options(g.options[:0], states[i])
				best = game.BestOption(g.options)
			}
			dst[i*x.spec.Actions+int(g.legalIn(states[i])[best])] = 1
		}
	})
}

// run evaluates states by a look-ahead and calls read with the graph of each group of
// states.
func (x *lookahead[S]) run(ctx context.Context, plies int, states []S, read func(g *aheadGraph[S], from, to int)) error {
	group := 64 // states in one graph; chosen: their leaves fill some calls of the network
	if x.planner != nil {
		// Chosen: turnsAtOnce; more for a solver, which asks for all decisions of a turn.
		group = min(max(turnsAtOnce, len(states)/64), 4096)
	}
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
	err := g.lookAhead(ctx, plies, states[from:to])
	if errors.Is(err, ErrBranches) && to-from > 1 {
		half := (from + to) / 2
		if err := g.split(ctx, plies, states, from, half, read); err != nil {
			return err
		}
		return g.split(ctx, plies, states, half, to, read)
	}
	if err != nil {
		return fmt.Errorf("look-ahead: %w", err)
	}
	read(g, from, to)
	return nil
}

// aheadGraph holds what can follow some decisions: layer k has the decisions after k
// plies, each once, and the chance states and ends between them, or the starts of turns
// after k turns. The last layer has the leaves. One goroutine owns it.
type aheadGraph[S comparable] struct {
	*lookahead[S]
	branches int
	most     int // branches
	layers   []aheadLayer[S]
	starts   []S            // where the look-ahead begins: the states, or the starts of their turns
	complete []S            // the starts for which the graph is complete
	roots    []int32        // of the starts, in layer 0
	plans    []game.Plan[S] // of the turns of all layers but the last, in their order
	planned  int            // those in use

	legal    []game.Action
	outcomes []game.Outcome[S] // of the chance states that are being expanded
	options  []float64
	rows     []int32 // the leaves that the network values
}

// aheadLayer lists states, representatives.
type aheadLayer[S comparable] struct {
	index  map[seen[S]]int32
	nodes  []aheadNode[S]
	chance []int32     // its chance states, after their outcomes unless these lead back
	cyclic bool        // some do
	to     []int32     // the branches: of chance to this layer, of a decision or a turn to the next
	probs  []float64   // of the branches of chance
	ends   [][]float64 // [turns][ends, P] values of the ends
	values []float64   // [nodes, P] by seat
}

// seen is a state, and the seat that sees it if it is an afterstate or a start of a turn.
type seen[S comparable] struct {
	state  S
	viewer game.Player // or nobody
}

const nobody game.Player = -1

// aheadNode is a state. player is the seat that decides or sees it; game.Chance or
// game.Terminal.
type aheadNode[S comparable] struct {
	state    S
	player   game.Player
	first, n int32 // branches
	best     int32 // the best of the branches of a decision
}

const (
	pending = -1 // aheadNode.n of a chance state whose outcomes are being listed
	known   = -1 // in aheadLayer.to: an end of a turn whose returns are known
)

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

func (g *aheadGraph[S]) legalIn(s S) []game.Action {
	g.legal = g.rules.Legal(g.legal[:0], s)
	return g.legal
}

// lookAhead evaluates states by their next plies+1 plies. The graph stays as it is if it was
// built for the same starts, as for successive decisions of one turn.
func (g *aheadGraph[S]) lookAhead(ctx context.Context, plies int, states []S) error {
	g.starts = append(g.starts[:0], states...)
	if g.planner != nil && plies >= 0 {
		turns := 0
		for i, s := range states {
			g.starts[i] = g.rules.Representative(g.planner.TurnOf(s))
			if i == 0 || g.starts[i] != g.starts[i-1] {
				turns++
			}
		}
		if turns > turnsAtOnce {
			return ErrBranches
		}
	}
	if len(g.layers) == plies+2 && slices.Equal(g.starts, g.complete) {
		return nil
	}
	g.complete = g.complete[:0]
	err := g.expand(plies)
	if err == nil {
		err = g.evaluate(ctx)
	}
	if err == nil {
		g.complete = append(g.complete, g.starts...)
	}
	return err
}

// expand lists what follows the starts: plies+1 decisions or turns, or none if plies is -1.
func (g *aheadGraph[S]) expand(plies int) error {
	g.branches, g.planned, g.roots, g.outcomes = 0, 0, g.roots[:0], g.outcomes[:0]
	switch {
	case g.planner != nil:
		g.most = maxTurns
	case len(g.starts) == 1:
		g.most = maxBranches
	default:
		g.most = maxBranches / 4 // chosen: some 10 MB
	}
	for len(g.layers) < plies+2 {
		g.layers = append(g.layers, aheadLayer[S]{})
	}
	g.layers = g.layers[:plies+2]
	for k := range g.layers {
		g.layers[k].reset()
	}
	for _, s := range g.starts {
		i, err := g.add(&g.layers[0], s)
		if err != nil {
			return err
		}
		g.roots = append(g.roots, i)
	}
	for k := range plies + 1 {
		l, next := &g.layers[k], &g.layers[k+1]
		for i := range l.nodes {
			x, first := &l.nodes[i], len(l.to)
			var err error
			switch {
			case g.planner != nil:
				err = g.expandTurn(l, next, i)
			case x.player >= 0:
				err = g.expandMoves(l, next, x, k == plies)
			default:
				continue
			}
			if err != nil {
				return err
			}
			x.first, x.n = int32(first), int32(len(l.to)-first)
		}
	}
	return nil
}

// expandMoves lists the states after the moves of a decision.
func (g *aheadGraph[S]) expandMoves(l, next *aheadLayer[S], x *aheadNode[S], last bool) (err error) {
	legal := g.legalIn(x.state)
	for _, a := range legal {
		after := g.rules.After(x.state, a)
		var child int32
		if last && g.evaluator.Target == Afterstate && g.rules.CurrentPlayer(after) != game.Terminal {
			child, _ = next.add(seen[S]{after, x.player})
		} else if child, err = g.add(next, after); err != nil {
			return err
		}
		l.to, l.probs = append(l.to, child), append(l.probs, 1)
	}
	return g.count(len(legal))
}

// expandTurn lists the ends of a turn, and makes room for their values.
func (g *aheadGraph[S]) expandTurn(l, next *aheadLayer[S], i int) error {
	if g.planned == len(g.plans) {
		g.plans = append(g.plans, g.planner.NewPlan())
	}
	if i == len(l.ends) {
		l.ends = append(l.ends, nil)
	}
	plan, values := g.plans[g.planned], l.ends[i][:0]
	g.planned++
	for _, end := range plan.Begin(l.nodes[i].state) {
		end = g.rules.Representative(end)
		child, ok := int32(known), false
		if values, ok = plan.Known(values, end); !ok {
			values = slices.Grow(values, g.spec.Players)[:len(values)+g.spec.Players]
			child, _ = g.add(next, end) // no chance is expanded
		}
		l.to = append(l.to, child)
	}
	l.ends[i] = values
	return g.count(1)
}

// count adds to the number of branches.
func (g *aheadGraph[S]) count(n int) error {
	if g.branches += n; g.branches <= g.most {
		return nil
	}
	what := "from one decision"
	if g.planner != nil {
		what = "turns"
	}
	return fmt.Errorf("%w, more than %d %s: use a smaller number of plies", ErrBranches, g.most, what)
}

// add adds a state as a seat sees it, and reports whether it is new.
func (l *aheadLayer[S]) add(key seen[S]) (at int32, added bool) {
	at, ok := l.index[key]
	if !ok {
		at = int32(len(l.nodes))
		l.index[key] = at
		l.nodes = append(l.nodes, aheadNode[S]{state: key.state, player: key.viewer})
	}
	return at, !ok
}

// add adds a representative and, after a chance state, all that can follow until the
// next decision. The start of a turn is seen by its mover or, if the values are of
// afterstates, by the seat whose turn ended there.
func (g *aheadGraph[S]) add(l *aheadLayer[S], s S) (int32, error) {
	key := seen[S]{s, nobody}
	if g.planner != nil {
		if key.viewer, _ = g.planner.TurnStart(s); g.evaluator.Target == Afterstate {
			key.viewer = core.Previous(key.viewer, g.spec.Players)
		}
	}
	at, added := l.add(key)
	if !added {
		l.cyclic = l.cyclic || l.nodes[at].n == pending
	}
	if !added || key.viewer != nobody {
		return at, nil
	}
	who := g.rules.CurrentPlayer(s)
	l.nodes[at].player = who
	if who != game.Chance {
		return at, nil
	}
	from, first := len(g.outcomes), len(l.to)
	g.outcomes = g.rules.Outcomes(g.outcomes, s)
	n := len(g.outcomes) - from
	if err := g.count(n); err != nil {
		return 0, err
	}
	l.nodes[at].n = pending
	for _, o := range g.outcomes[from:] {
		l.to, l.probs = append(l.to, 0), append(l.probs, o.Prob) // to is set below
	}
	for k := range n {
		child, err := g.add(l, g.rules.Representative(g.outcomes[from+k].State))
		if err != nil {
			return 0, err
		}
		l.to[first+k] = child
	}
	l.nodes[at].first, l.nodes[at].n = int32(first), int32(n)
	l.chance = append(l.chance, at)
	g.outcomes = g.outcomes[:from]
	return at, nil
}

// evaluate computes the values of all states, from the last layer to the first.
func (g *aheadGraph[S]) evaluate(ctx context.Context) error {
	p, planned := g.spec.Players, g.planned
	for k := len(g.layers) - 1; k >= 0; k-- {
		l := &g.layers[k]
		l.values = core.Resize(l.values, len(l.nodes)*p)
		var next *aheadLayer[S]
		if k < len(g.layers)-1 {
			next = &g.layers[k+1]
		} else if err := g.forward(ctx, l); err != nil {
			return err
		}
		if g.planner == nil {
			g.choose(l, next)
		} else if next != nil {
			planned -= len(l.nodes)
			g.solve(l, next, g.plans[planned:][:len(l.nodes)])
		}
		if err := cmp.Or(l.expect(p), ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// choose fills the values of the decisions of a layer, given those of the next if there is
// one, and of the ends.
func (g *aheadGraph[S]) choose(l, next *aheadLayer[S]) {
	p := g.spec.Players
	for i := range l.nodes {
		x := &l.nodes[i]
		value := l.value(int32(i), p)
		switch {
		case x.player == game.Terminal:
			g.rules.Returns(value[:0], x.state)
		case x.player >= 0 && next != nil:
			g.options = g.options[:0]
			for _, j := range l.to[x.first : x.first+x.n] {
				g.options = append(g.options, next.value(j, p)[x.player])
			}
			x.best = int32(game.BestOption(g.options))
			copy(value, next.value(l.to[x.first+x.best], p))
		}
	}
}

// solve solves the plans of a layer, given the values of the next, and fills its values.
func (g *aheadGraph[S]) solve(l, next *aheadLayer[S], plans []game.Plan[S]) {
	p, ends := g.spec.Players, l.ends[:len(plans)]
	for i, values := range ends {
		for e, j := range l.to[l.nodes[i].first:][:l.nodes[i].n] {
			if j != known {
				copy(values[e*p:][:p], next.value(j, p))
			}
		}
	}
	g.planner.SolveAll(plans, ends)
	l.values = l.values[:0]
	for _, plan := range plans {
		l.values = plan.Value(l.values)
	}
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

// leafRows is the number of leaves that a goroutine evaluates in one call of the network.
// Chosen: as many as a network's layers process together.
const leafRows = 256

// leaves are the input and output of one call of the network.
type leaves struct {
	obs []float32 // [n, D]
	out []float32 // [n, P] values
}

// forward fills the values of the leaves.
func (g *aheadGraph[S]) forward(ctx context.Context, l *aheadLayer[S]) error {
	p, d := g.spec.Players, g.spec.ObsLen()
	g.rows = g.rows[:0]
	for i, x := range l.nodes {
		if x.player >= 0 {
			g.rows = append(g.rows, int32(i))
		}
	}
	return parallel.ForContext(ctx, len(g.rows), leafRows, func(from, to int) error {
		b, _ := g.leaves.Get().(*leaves)
		if b == nil {
			b = new(leaves)
		}
		defer g.leaves.Put(b)
		rows := g.rows[from:to]
		b.obs, b.out = core.Resize(b.obs, len(rows)*d), core.Resize(b.out, len(rows)*p)
		for r, i := range rows {
			g.rules.Encode(b.obs[r*d:][:d], l.nodes[i].state, l.nodes[i].player)
		}
		g.evaluator.Forward(nil, b.out, b.obs)
		for r, i := range rows {
			value := l.value(i, p)
			game.SeatOrder(value, b.out[r*p:][:p], l.nodes[i].player)
			for _, v := range value {
				if !elementary.Finite(v) {
					return fmt.Errorf("the network's value is %v", v)
				}
			}
		}
		return nil
	})
}
