package tabular

import (
	"context"
	"fmt"
	"math"

	"marsgym/env/game"
)

// enumeration lists the positions of a game by a depth-first search, and finds their strongly
// connected components at the same time. It does not recurse.
//
// Source: Tarjan, "Depth-first search and linear graph algorithms", SIAM J.
// Comput. 1(2), 1972.
type enumeration[S comparable] struct {
	*list[S]
	maxStates int

	// place is by the number of a position in the order in which they are found, which
	// successors holds too: 0 if the search has not entered it, isOpen plus its index in open, or
	// 1 + its number in the list.
	place      []uint32
	open       []openPosition // entered, but in no component yet
	successors []uint32       // rows of edges of open
	path       []pathStep
	left       []uint32 // those of open that the search has left, in the order of that

	legal    []game.Action
	outcomes []game.Outcome[S]
	states   []S
	numbers  []float64
	sum      *float64 // of the returns of the first end
}

const isOpen = 1 << 31

// openPosition is a position that the search has entered.
type openPosition struct {
	found    uint32 // its place
	low      uint32 // lowest index in open that it can reach, as far as known
	from, to int    // its row of edges in successors
	mover    game.Player
}

// pathStep is a position on the path of the search.
type pathStep struct {
	at   uint32 // in open
	edge int    // the next, in successors
}

// enumerate lists every reachable representative.
func (l *list[S]) enumerate(ctx context.Context, maxStates int) error {
	spec := l.rules.Spec()
	l.players = spec.Players
	if spec.HasWin() {
		l.equalReturn = (spec.Win + float64(float64(spec.Players-1)*spec.Loss)) / float64(spec.Players)
	}
	l.unique = l.players <= 2
	e := enumeration[S]{list: l, maxStates: min(maxStates, isOpen-1)}
	e.find(e.rules.Representative(e.rules.Initial()))
	if err := e.search(ctx); err != nil {
		return err
	}
	e.rows.known, e.rows.key = nil, nil // no rows follow
	for i := range e.place {
		e.place[i]--
	}
	l.states.Renumber(e.place)
	return nil
}

// find appends the numbers of representatives to successors. It adds the positions that are new.
func (e *enumeration[S]) find(states ...S) {
	e.successors = e.list.states.AddAll(e.successors, states)
	for len(e.place) < e.list.states.Len() {
		e.place = append(e.place, 0)
	}
}

// search enters all positions from the one at index 0.
func (e *enumeration[S]) search(ctx context.Context) error {
	e.successors = e.successors[:0]
	if err := e.enter(0); err != nil {
		return err
	}
	for entered := 1; len(e.path) > 0; {
		step := &e.path[len(e.path)-1]
		o := &e.open[step.at]
		if step.edge == o.to {
			e.path, e.left = e.path[:len(e.path)-1], append(e.left, step.at)
			if o.low == step.at {
				e.close(step.at)
			} else {
				up := &e.open[e.path[len(e.path)-1].at]
				up.low = min(up.low, o.low)
			}
			continue
		}
		to := e.successors[step.edge]
		step.edge++
		switch place := e.place[to]; {
		case place == 0:
			if entered++; entered%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if err := e.enter(to); err != nil {
				return err
			}
		case place >= isOpen:
			o.low = min(o.low, place-isOpen)
		}
	}
	return nil
}

// enter adds a position to open and to path, with its successors.
func (e *enumeration[S]) enter(found uint32) error {
	s := e.list.states.Key(found)
	o := openPosition{found: found, low: uint32(len(e.open)), from: len(e.successors), mover: e.rules.CurrentPlayer(s)}
	e.states, e.numbers = e.states[:0], e.numbers[:0]
	switch o.mover {
	case game.Terminal:
		e.numbers = e.rules.Returns(e.numbers, s)
		e.unique = e.unique && e.sameSum()
	case game.Chance:
		e.outcomes = e.rules.Outcomes(e.outcomes[:0], s)
		for _, x := range e.outcomes {
			e.states, e.numbers = append(e.states, e.rules.Representative(x.State)), append(e.numbers, x.Prob)
		}
	default:
		e.legal = e.rules.Legal(e.legal[:0], s)
		for _, a := range e.legal {
			next, err := e.rules.Apply(s, a)
			if err != nil {
				return fmt.Errorf("in position %s, legal action %d: %w", text(e.rules, s), a, err)
			}
			e.states = append(e.states, e.rules.Representative(next))
		}
	}
	if o.mover != game.Terminal && len(e.states) == 0 {
		return fmt.Errorf("position %s has no successor; run gametest.Check on the rules", text(e.rules, s))
	}
	if o.mover < 0 {
		e.successors = append(e.successors, e.rows.add(e.numbers))
	}
	e.find(e.states...)
	o.to = len(e.successors)
	if n := e.list.states.Len(); n > e.maxStates {
		return fmt.Errorf("%w: more than %d positions", game.ErrNoSolution, e.maxStates)
	} else if e.edges.n+len(e.successors) > math.MaxInt32 || len(e.rows.numbers) > math.MaxInt32 {
		return fmt.Errorf("%w: more than %d moves from %d positions", game.ErrNoSolution, math.MaxInt32, n)
	}
	e.place[found] = isOpen + o.low
	e.path = append(e.path, pathStep{o.low, o.from + skipped(o.mover, o.to-o.from)})
	e.open = append(e.open, o)
	return nil
}

// sameSum reports whether the returns in numbers have the sum of the first end, or one seat.
func (e *enumeration[S]) sameSum() bool {
	sum := 0.0
	for _, x := range e.numbers {
		sum += x
	}
	if e.sum == nil || len(e.numbers) == 1 {
		e.sum = &sum
	}
	return math.Abs(sum-*e.sum) <= game.Tie*max(1, math.Abs(sum))
}

// close makes the open positions from an index on a component, in the order in which the search
// has left them. So the position at which it was entered is its last, and each follows its
// successors except the targets of edges back to the path: these cut all cycles.
func (e *enumeration[S]) close(from uint32) {
	start, left := uint32(e.Len()), len(e.left)-(len(e.open)-int(from))
	comp := e.left[left:]
	for _, at := range comp {
		o := e.open[at]
		e.place[o.found] = uint32(e.Len()) + 1
		e.mover = append(e.mover, o.mover)
	}
	cyclic := len(comp) > 1
	for _, at := range comp {
		o := e.open[at]
		row := e.edges.add(o.to - o.from)
		copy(row, e.successors[o.from:o.to])
		next := row[skipped(o.mover, len(row)):]
		for k, to := range next {
			next[k] = e.place[to] - 1
			cyclic = cyclic || next[k] == start // a position that leads to itself
		}
	}
	if n := len(e.parts); cyclic || n == 0 || e.parts[n-1].cyclic {
		e.parts = append(e.parts, span{cyclic: cyclic})
	}
	e.parts[len(e.parts)-1].end = uint32(e.Len())
	e.successors, e.open, e.left = e.successors[:e.open[from].from], e.open[:from], e.left[:left]
}
