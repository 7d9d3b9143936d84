package tabular

import (
	"context"
	"errors"
	"fmt"
	"math"

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

// enumerate lists every reachable representative.
func (l *list[S]) enumerate(ctx context.Context, maxStates int) error {
	l.graph = newGraph(l.rules.Spec(), new(Graph))
	g := l.Graph
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
		if max(len(g.Next), len(g.Outcome)) > math.MaxInt32 {
			return fmt.Errorf("%w: more than %d moves from %d positions", game.ErrNoSolution, math.MaxInt32, i)
		}
		s := l.states[i]
		mover, first, n := l.rules.CurrentPlayer(s), 0, 0
		switch mover {
		case game.Terminal:
			first = len(g.Returns) / l.players
			g.Returns = l.rules.Returns(g.Returns, s)
		case game.Chance:
			outcomes = l.rules.Outcomes(outcomes[:0], s)
			first, n = len(g.Outcome), len(outcomes)
			for _, o := range outcomes {
				g.Outcome = append(g.Outcome, l.number(o.State))
				g.Probability = append(g.Probability, o.Prob)
			}
		default:
			legal = l.rules.Legal(legal[:0], s)
			first, n = len(g.Next), len(legal)
			for _, a := range legal {
				next, err := l.rules.Apply(s, a)
				if err != nil {
					return fmt.Errorf("in position %s, legal action %d: %w", text(l.rules, s), a, err)
				}
				g.Next = append(g.Next, l.number(next))
			}
		}
		if mover != game.Terminal && n == 0 {
			return fmt.Errorf("position %s has no successor; run gametest.Check on the rules", text(l.rules, s))
		}
		if n > math.MaxUint16 {
			return fmt.Errorf("%w: position %s has %d successors, over %d", game.ErrNoSolution, text(l.rules, s), n, math.MaxUint16)
		}
		g.Mover, g.First, g.Count = append(g.Mover, mover), append(g.First, uint32(first)), append(g.Count, uint16(n))
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
