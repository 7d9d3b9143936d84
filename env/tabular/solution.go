package tabular

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"marsgym/env/game"
	"marsgym/env/game/chart"
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
// [game.Solution] and [game.Reporter].
type Solution[S comparable] struct {
	noCharts
	rules    game.Rules[S]
	symmetry game.Symmetry[S] // nil if the rules do not implement it

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
	sol := &Solution[S]{noCharts: noCharts{rules.Spec().ID}, rules: rules, index: make(map[S]int32)}
	sol.symmetry, _ = rules.(game.Symmetry[S])
	if err := sol.enumerate(ctx, opts.MaxStates); err != nil {
		return nil, fmt.Errorf("tabular: %w", err)
	}
	sol.components = sol.graph.components()
	ev, err := sol.evaluate(ctx, make([][]float64, sol.players), opts.Progress)
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

// evaluate returns the evaluation of the game for the given policies.
func (sol *Solution[S]) evaluate(ctx context.Context, seats [][]float64, progress func(float64)) (*evaluation, error) {
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

// Facts implements [game.Reporter]: the number of positions.
func (sol *Solution[S]) Facts() []game.Fact {
	return []game.Fact{{Name: "positions", Value: float64(sol.Len())}}
}

// noCharts is the part of [game.Reporter] of a game, given its ID, without charts.
type noCharts struct{ id string }

// Charts implements [game.Reporter]. There are none.
func (n noCharts) Charts() ([]chart.Chart, error) {
	return nil, fmt.Errorf("%s: %w", n.id, game.ErrNoCharts)
}

// PolicyCharts implements [game.Reporter]. There are none.
func (n noCharts) PolicyCharts(_ game.TabularPolicy, name string) ([]chart.Chart, error) {
	return nil, fmt.Errorf("%s: the losses of %s: %w", n.id, name, game.ErrNoCharts)
}

// Residual returns the largest violation of the optimality equations: about 1e-15 times
// the largest return, or up to game.Tie where options nearly tie.
func (sol *Solution[S]) Residual() float64 { return sol.residual }

// Value appends the values of s [P]. It returns an error if s cannot come up in the
// game.
func (sol *Solution[S]) Value(dst []float64, s S) ([]float64, error) {
	i, _, err := sol.find(s)
	if err != nil {
		return dst, err
	}
	return append(dst, sol.at(i)...), nil
}

// Options appends the value of each legal action in s to the mover, in the order of
// Legal; nothing where no seat moves. It returns an error if s cannot come up in the
// game.
func (sol *Solution[S]) Options(dst []float64, s S) ([]float64, error) {
	i, relabel, err := sol.find(s)
	if err != nil || sol.nodes[i].mover < 0 {
		return dst, err
	}
	mover := sol.nodes[i].mover
	n := len(dst)
	for _, j := range sol.next(i) {
		dst = append(dst, sol.at(j)[mover])
	}
	if relabel != nil {
		values := slices.Clone(dst[n:])
		legal := sol.rules.Legal(nil, s)
		for k, a := range sol.rules.Legal(nil, sol.states[i]) {
			at, _ := slices.BinarySearch(legal, relabel[a])
			dst[n+at] = values[k]
		}
	}
	return dst, nil
}

// at returns the values of position i [P].
func (sol *Solution[S]) at(i int32) []float64 {
	k := int(i) * sol.players
	return sol.value[k : k+sol.players]
}

func (sol *Solution[S]) canonical(s S) (S, []game.Action) {
	if sol.symmetry == nil {
		return s, nil
	}
	return sol.symmetry.Canonical(s)
}

// find returns the index of the representative of s, and its relabelling of the actions
// (see [game.Symmetry]).
func (sol *Solution[S]) find(s S) (int32, []game.Action, error) {
	c, relabel := sol.canonical(s)
	i, ok := sol.index[c]
	if !ok {
		return 0, nil, fmt.Errorf("tabular: position %s cannot come up in this game", sol.text(s))
	}
	return i, relabel, nil
}

func (sol *Solution[S]) text(s S) string { return text(sol.rules, s) }

// Policy returns best play. Ties go to the lowest index of the actions that can end the
// game.
func (sol *Solution[S]) Policy() game.Policy[S] { return bestPolicy[S]{sol} }

type bestPolicy[S comparable] struct{ sol *Solution[S] }

// Probs implements [game.Policy]. It returns an error for a position that cannot come up
// or is not a decision.
func (b bestPolicy[S]) Probs(dst []float64, states []S) error {
	actions := b.sol.rules.Spec().Actions
	clear(dst)
	var legal []game.Action
	for row, s := range states {
		i, relabel, err := b.sol.find(s)
		if err != nil {
			return err
		}
		if b.sol.nodes[i].mover < 0 {
			return fmt.Errorf("tabular: position %s is not a decision", b.sol.text(s))
		}
		legal = b.sol.rules.Legal(legal[:0], b.sol.states[i])
		a := legal[b.sol.choice[i]]
		if relabel != nil {
			a = relabel[a]
		}
		dst[row*actions+int(a)] = 1
	}
	return nil
}
