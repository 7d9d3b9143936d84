package tabular

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"marsgym/env/game"
)

// Options are limits and a listener. The zero value is usable.
type Options struct {
	// MaxStates is the number of positions, symmetric ones counted once, above
	// which there is no solution; 0 stands for 5 million. Memory is about 150
	// bytes for each, and 12 for each outcome.
	MaxStates int
	// Progress, where not nil, is called now and then with the share of
	// positions solved, 0 to 1. They are written down before, at share 0.
	Progress func(done float64)
}

// Solution is the exact solution of a game by its table of positions. It keeps
// game.Solution.
type Solution[S comparable] struct {
	rules    game.Rules[S]
	symmetry game.Symmetry[S] // nil where the rules keep none; so the notation
	notation game.Notation[S]

	graph
	components components
	states     []S // representatives, by index
	index      map[S]int32

	value    []float64 // [positions, P]
	choice   []int32   // of each decision, in the order of Legal
	residual float64
}

// Solve solves a game. Its error wraps game.ErrNoSolution if the game has too
// many positions, a cycle that best play never leaves, or one where it does
// not settle.
func Solve[S comparable](ctx context.Context, rules game.Rules[S], opts Options) (*Solution[S], error) {
	if opts.MaxStates == 0 {
		opts.MaxStates = 5_000_000
	}
	if opts.Progress != nil {
		opts.Progress(0)
	}
	sol := &Solution[S]{rules: rules, index: make(map[S]int32)}
	sol.symmetry, _ = rules.(game.Symmetry[S])
	sol.notation, _ = rules.(game.Notation[S])
	if err := sol.enumerate(ctx, opts.MaxStates); err != nil {
		return nil, fmt.Errorf("tabular: %w", err)
	}
	sol.components = sol.graph.components()
	p, err := sol.price(ctx, make([][]float64, sol.players), opts.Progress)
	if errors.Is(err, errEndless) {
		return nil, fmt.Errorf("%w: %w", game.ErrNoSolution, err)
	}
	if err != nil {
		return nil, err
	}
	sol.value, sol.choice = p.value, p.choice
	sol.residual = p.residual()
	return sol, nil
}

// price values all positions for the given strategies.
func (sol *Solution[S]) price(ctx context.Context, seats [][]float64, progress func(float64)) (*pricing, error) {
	p := newPricing(&sol.graph, seats)
	if err := p.run(ctx, sol.components, progress); err != nil {
		return nil, fmt.Errorf("tabular: from position %s: %w", sol.text(sol.states[p.entry]), err)
	}
	return p, nil
}

// residual is the largest violation of the optimality equations.
func (p *pricing) residual() (most float64) {
	for i := range int32(len(p.nodes)) {
		if p.nodes[i].turn == game.Terminal {
			continue
		}
		if p.free(i) {
			turn := p.nodes[i].turn
			for _, j := range p.next(i) {
				most = max(most, p.at(j)[turn]-p.at(i)[turn])
			}
		}
		to, w := p.edges(i)
		for seat, have := range p.at(i) {
			want := 0.0
			for k, j := range to {
				want += w[k] * p.at(j)[seat]
			}
			most = max(most, math.Abs(want-have))
		}
	}
	return most
}

// Len is the number of positions in the table.
func (sol *Solution[S]) Len() int { return len(sol.states) }

// Residual is the largest violation of the optimality equations: some 1e-15
// times the largest return, or up to game.Tie where options nearly tie.
func (sol *Solution[S]) Residual() float64 { return sol.residual }

// Value appends the value of s to each seat [P]. It returns an error if s
// cannot come up in the game.
func (sol *Solution[S]) Value(dst []float64, s S) ([]float64, error) {
	i, _, err := sol.find(s)
	if err != nil {
		return dst, err
	}
	return append(dst, sol.at(i)...), nil
}

// Options appends what each legal action in s is worth to the mover, in the
// order of Legal; nothing where no seat moves. It returns an error if s cannot
// come up in the game.
func (sol *Solution[S]) Options(dst []float64, s S) ([]float64, error) {
	i, relabel, err := sol.find(s)
	if err != nil || sol.nodes[i].turn < 0 {
		return dst, err
	}
	turn := sol.nodes[i].turn
	n := len(dst)
	for _, j := range sol.next(i) {
		dst = append(dst, sol.at(j)[turn])
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

// at is the value of position i by seat.
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

// find returns the index of the representative of s, and how its actions are
// relabelled.
func (sol *Solution[S]) find(s S) (int32, []game.Action, error) {
	c, relabel := sol.canonical(s)
	i, ok := sol.index[c]
	if !ok {
		return 0, nil, fmt.Errorf("tabular: position %s cannot come up in this game", sol.text(s))
	}
	return i, relabel, nil
}

// text is s as a person reads it.
func (sol *Solution[S]) text(s S) string {
	if sol.notation == nil {
		return fmt.Sprintf("%+v", s)
	}
	return fmt.Sprintf("%q", sol.notation.Format(s))
}

// Policy is best play, ties to the lowest index of those that can end the game.
func (sol *Solution[S]) Policy() game.Policy[S] { return best[S]{sol} }

type best[S comparable] struct{ sol *Solution[S] }

// Probs keeps game.Policy. It returns an error for a position that cannot come
// up or is not a decision.
func (b best[S]) Probs(dst []float64, states []S) error {
	actions := b.sol.rules.Spec().Actions
	clear(dst)
	var legal []game.Action
	for row, s := range states {
		i, relabel, err := b.sol.find(s)
		if err != nil {
			return err
		}
		if b.sol.nodes[i].turn < 0 {
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
