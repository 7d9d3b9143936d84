package search

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/internal/parallel"
)

// maxTurns bounds the number of turns that are planned for one decision. Chosen: in
// Martian Dice they take some 50 ms and 50 MB.
const maxTurns = 5000

// turnLookahead plans the turn of each decision on values of starts of turns.
type turnLookahead[S comparable] struct {
	rules     core.Rules[S]
	spec      game.Spec
	ahead     int // turns
	evaluator *Evaluator
	planner   game.TurnPlanner[S]
	free      sync.Pool // of *turnPlans[S]
}

func newTurnLookahead[S comparable](rules game.Rules[S], planner game.TurnPlanner[S], turns int, e *Evaluator) game.Lookahead[S] {
	return &turnLookahead[S]{rules: core.New(rules), spec: rules.Spec(), ahead: turns, evaluator: e, planner: planner}
}

// Plies implements [game.Lookahead].
func (*turnLookahead[S]) Plies() int { return -1 }

// Turns implements [game.Lookahead].
func (x *turnLookahead[S]) Turns() int { return x.ahead }

// Values implements [game.Lookahead].
func (x *turnLookahead[S]) Values(_ context.Context, dst []float64, starts []S) error {
	t := x.take()
	defer x.free.Put(t)
	return t.forward(dst, starts)
}

// Probs implements [game.Policy].
func (x *turnLookahead[S]) Probs(dst []float64, states []S) error {
	return x.ProbsContext(context.Background(), dst, states)
}

// ProbsContext implements [game.ContextPolicy].
func (x *turnLookahead[S]) ProbsContext(ctx context.Context, dst []float64, states []S) error {
	// Chosen: as many turns are planned at once in Martian Dice; a solver asks for all
	// decisions of a turn.
	const group, most = 16, 4096
	clear(dst)
	return parallel.ForContext(ctx, len(states), min(max(group, len(states)/64), most), func(from, to int) error {
		t := x.take()
		defer x.free.Put(t)
		for from < to {
			n, err := t.probs(ctx, dst[from*x.spec.Actions:], states[from:to], group)
			if err != nil {
				return fmt.Errorf("look-ahead: %w", err)
			}
			from += n
		}
		return nil
	})
}

func (x *turnLookahead[S]) take() *turnPlans[S] {
	if t, ok := x.free.Get().(*turnPlans[S]); ok {
		return t
	}
	t := &turnPlans[S]{turnLookahead: x, levels: make([]turnLevel[S], x.ahead+2)}
	for i := range t.levels {
		t.levels[i].index = map[S]int32{}
	}
	return t
}

// turnPlans plans turns, level by level: the turns of the decisions, then the turns that can
// follow them. The starts in the last level have the network's values. One
// goroutine owns it.
type turnPlans[S comparable] struct {
	*turnLookahead[S]
	levels  []turnLevel[S] // [turns ahead + 2]
	plans   []game.Plan[S] // of the starts of all levels but the last, in their order
	planned []S            // starts of the first level whose plans are in plans
	turn    []int32        // of each state of a call, in the first level
	legal   []game.Action
	options []float64
	obs     []float32 // of one call of the network
	out     []float32 // its values
}

// turnLevel holds starts of turns, each once.
type turnLevel[S comparable] struct {
	starts []S
	index  map[S]int32
	values []float64   // [starts, P] by seat
	next   []int32     // of each end of the turns: its place in the next level, or known
	ends   [][]float64 // [starts][ends, P] values of the ends
}

// known is the place of an end whose returns are known.
const known = -1

func (l *turnLevel[S]) reset() {
	clear(l.index)
	l.starts, l.next = l.starts[:0], l.next[:0]
}

// add adds a start and returns its place.
func (l *turnLevel[S]) add(s S) int32 {
	i, ok := l.index[s]
	if !ok {
		i = int32(len(l.starts))
		l.index[s] = i
		l.starts = append(l.starts, s)
	}
	return i
}

// probs writes the choices in the first states, which have at most that many turns, to dst. It
// returns the number of these states.
func (t *turnPlans[S]) probs(ctx context.Context, dst []float64, states []S, turns int) (n int, err error) {
	root := &t.levels[0]
	root.reset()
	t.turn = t.turn[:0]
	for _, s := range states {
		start := t.rules.Representative(t.planner.TurnOf(s))
		if _, ok := root.index[start]; !ok && len(root.starts) == turns {
			break
		}
		t.turn = append(t.turn, root.add(start))
	}
	if !slices.Equal(root.starts, t.planned) { // else they are decisions of the same turns as in the last call
		t.planned = t.planned[:0]
		if err := t.plan(ctx); err != nil {
			return 0, err
		}
		t.planned = append(t.planned, root.starts...)
	}
	for i, k := range t.turn {
		t.legal = t.rules.Legal(t.legal[:0], states[i])
		t.options = t.plans[k].Options(t.options[:0], states[i])
		dst[i*t.spec.Actions+int(t.legal[game.BestOption(t.options)])] = 1
	}
	return len(t.turn), nil
}

// plan plans the turns from the starts of the first level.
func (t *turnPlans[S]) plan(ctx context.Context) error {
	last, p := len(t.levels)-1, t.spec.Players
	used := 0
	for d := range last {
		l, next := &t.levels[d], &t.levels[d+1]
		next.reset()
		if used+len(l.starts) > maxTurns {
			return fmt.Errorf("%w, more than %d turns: use a smaller number of plies", ErrBranches, maxTurns)
		}
		for i, start := range l.starts {
			if used++; used > len(t.plans) {
				t.plans = append(t.plans, t.planner.NewPlan())
			}
			if i == len(l.ends) {
				l.ends = append(l.ends, nil)
			}
			l.ends[i] = t.expand(l, next, t.plans[used-1], start, l.ends[i][:0])
		}
	}
	leaves := &t.levels[last]
	leaves.values = core.Resize(leaves.values, len(leaves.starts)*p)
	if err := t.forward(leaves.values, leaves.starts); err != nil {
		return err
	}
	for d := last - 1; d >= 0; d-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := len(t.levels[d].starts)
		t.solve(&t.levels[d], t.levels[d+1].values, t.plans[used-n:used])
		used -= n
	}
	return nil
}

// expand lists the ends of the turn from start, and returns room for their values with the
// known ones.
func (t *turnPlans[S]) expand(l, next *turnLevel[S], plan game.Plan[S], start S, values []float64) []float64 {
	for _, end := range plan.Begin(start) {
		end = t.rules.Representative(end)
		var ok bool
		if values, ok = plan.Known(values, end); ok {
			l.next = append(l.next, known)
			continue
		}
		values = slices.Grow(values, t.spec.Players)[:len(values)+t.spec.Players]
		l.next = append(l.next, next.add(end))
	}
	return values
}

// solve solves the plans of a level, given the values of the next, and fills in its values.
func (t *turnPlans[S]) solve(l *turnLevel[S], next []float64, plans []game.Plan[S]) {
	p, e := t.spec.Players, 0
	for _, values := range l.ends[:len(plans)] {
		for k := 0; k < len(values); k += p {
			if i := int(l.next[e]); i != known {
				copy(values[k:k+p], next[i*p:])
			}
			e++
		}
	}
	t.planner.SolveAll(plans, l.ends[:len(plans)])
	l.values = l.values[:0]
	for _, plan := range plans {
		l.values = plan.Value(l.values)
	}
}

// forward writes the network's values of starts of turns, by seat, to dst [n, P].
func (t *turnPlans[S]) forward(dst []float64, starts []S) error {
	n, p, d := len(starts), t.spec.Players, t.spec.ObsLen()
	if n == 0 {
		return nil
	}
	t.obs, t.out = core.Resize(t.obs, n*d), core.Resize(t.out, n*p)
	for i, s := range starts {
		t.rules.Encode(t.obs[i*d:][:d], s, t.viewer(s))
	}
	t.evaluator.Forward(nil, t.out, t.obs)
	for i, s := range starts {
		if err := readValue(dst[i*p:][:p], t.out[i*p:][:p], t.viewer(s)); err != nil {
			return err
		}
	}
	return nil
}

// viewer returns the seat that sees the start of a turn: its mover or, if the values are of
// afterstates, the seat whose turn ended there.
func (t *turnPlans[S]) viewer(start S) game.Player {
	mover, _ := t.planner.TurnStart(start)
	if t.evaluator.Target == TurnStart {
		return mover
	}
	return core.Previous(mover, t.spec.Players)
}
