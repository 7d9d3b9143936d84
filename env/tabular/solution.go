package tabular

import (
	"context"
	"errors"
	"fmt"
	"math"

	"marsgym/env/game"
)

// MaxStates is the largest number of positions that is solved by default. Chosen: they
// take 10 s of one core, and up to 3.3 GB in the games of this module.
const MaxStates = 5_000_000

// Options are the options of Solve. The zero value is usable.
type Options struct {
	// MaxStates is the largest number of positions that is solved, symmetric ones
	// counted once; 0 stands for [MaxStates]. Each takes about 150 bytes of memory, and
	// each outcome 12.
	MaxStates int
	// Progress, if not nil, is called at intervals with the fraction of positions
	// solved, 0 to 1. It is 0 while the positions are enumerated.
	Progress func(done float64)
}

// Solution is the exact solution of a game as a table of all positions. It implements
// [game.Solution].
type Solution[S comparable] struct {
	solved[S]
	graph
	components components
	states     []S // representatives, by index
	index      map[S]int32

	value    []float64 // [positions, P]
	choice   []int32   // of each decision, in the order of Legal
	residual float64
}

// Solve solves a game. The error wraps [game.ErrNoSolution] if the game has too many
// positions, a cycle that best play never leaves, or a cycle in which the choices do
// not converge.
func Solve[S comparable](ctx context.Context, rules game.Rules[S], opts Options) (*Solution[S], error) {
	if opts.MaxStates == 0 {
		opts.MaxStates = MaxStates
	}
	if opts.Progress != nil {
		opts.Progress(0)
	}
	sol := &Solution[S]{solved: newSolved(rules), index: make(map[S]int32)}
	sol.best, sol.evaluate = sol.bestMove, sol.evaluateTables
	if err := sol.enumerate(ctx, opts.MaxStates); err != nil {
		return nil, fmt.Errorf("tabular: %w", err)
	}
	sol.components = sol.graph.components()
	ev, err := sol.run(ctx, make([][]float64, sol.players), opts.Progress)
	if errors.Is(err, errEndless) {
		return nil, fmt.Errorf("%w: %w", game.ErrNoSolution, err)
	}
	if err != nil {
		return nil, err
	}
	sol.value, sol.choice = ev.value, ev.choice
	sol.residual = ev.residual()
	return sol, nil
}

// run returns the evaluation of the game for the given policies.
func (sol *Solution[S]) run(ctx context.Context, seats [][]float64, progress func(float64)) (*evaluation, error) {
	ev := newEvaluation(&sol.graph, seats)
	if err := ev.run(ctx, sol.components, progress); err != nil {
		return nil, fmt.Errorf("tabular: from position %s: %w", sol.text(sol.states[ev.entry]), err)
	}
	return ev, nil
}

// residual returns the largest violation of the optimality equations.
func (ev *evaluation) residual() (most float64) {
	for i := range int32(len(ev.nodes)) {
		if ev.nodes[i].mover == game.Terminal {
			continue
		}
		if ev.free(i) {
			mover := ev.nodes[i].mover
			for _, j := range ev.next(i) {
				most = max(most, ev.at(j)[mover]-ev.at(i)[mover])
			}
		}
		to, w := ev.successors(i)
		for seat, have := range ev.at(i) {
			want := 0.0
			for k, j := range to {
				want += float64(w[k] * ev.at(j)[seat])
			}
			most = max(most, math.Abs(want-have))
		}
	}
	return most
}

// Len returns the number of positions, symmetric ones counted once.
func (sol *Solution[S]) Len() int { return len(sol.states) }

// Facts implements [game.Solution]: the number of positions.
func (sol *Solution[S]) Facts() []game.Fact {
	return []game.Fact{{Name: "positions", Value: float64(sol.Len())}}
}

// Residual returns the largest violation of the optimality equations: about 1e-15 times
// the largest return, or up to game.Tie where options nearly tie.
func (sol *Solution[S]) Residual() float64 { return sol.residual }

// Value appends the values of s [P]. It returns an error if s cannot come up in the
// game.
func (sol *Solution[S]) Value(dst []float64, s S) ([]float64, error) {
	i, err := sol.find(s)
	if err != nil {
		return dst, err
	}
	return append(dst, sol.at(i)...), nil
}

// Options appends the value of each legal action in s to the mover, in the order of
// Legal; nothing where no seat moves. It returns an error if s cannot come up in the
// game.
func (sol *Solution[S]) Options(dst []float64, s S) ([]float64, error) {
	if _, err := sol.find(s); err != nil {
		return dst, err
	}
	return OptionValues(dst, sol.rules, s, sol.Value)
}

// at returns the values of position i [P].
func (sol *Solution[S]) at(i int32) []float64 {
	k := int(i) * sol.players
	return sol.value[k : k+sol.players]
}

// find returns the index of the representative of s.
func (sol *Solution[S]) find(s S) (int32, error) {
	c, _ := sol.canonical(s)
	i, ok := sol.index[c]
	if !ok {
		return 0, fmt.Errorf("tabular: position %s cannot come up in this game", sol.text(s))
	}
	return i, nil
}

// bestMove implements solved.best.
func (sol *Solution[S]) bestMove(s S) (S, int, error) {
	i, err := sol.find(s)
	if err != nil {
		return s, 0, err
	}
	return sol.states[i], int(sol.choice[i]), nil
}
