package tabular

import (
	"context"
	"errors"
	"fmt"

	"marsgym/env/game"
	"marsgym/env/game/chart"
	"marsgym/internal/core"
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

// Solution is the exact solution of a game as a table of numbered positions. It implements
// [game.Solution].
type Solution[S comparable] struct {
	Responses[*tabularPolicy]
	rules  core.Rules[S]
	spec   game.Spec
	x      Numbering[S]
	graph  *graph // of x, if the solver has all positions; nil if the game has an order of solution
	starts []start

	// value is by number: of a graph the expected return of each seat [positions, P], else
	// role 0's share of the win [positions].
	value    []float64
	choice   []int32 // best play of each decision of a graph, in the order of Legal
	residual float64 // in units of value
}

// start is a way in which a game starts.
type start struct {
	prob  float64
	at    uint32
	first game.Player // the seat with role 0
}

// role returns the role of a seat.
func (s start) role(seat game.Player) game.Player { return seat ^ s.first }

// Solve solves a game. The error wraps [game.ErrNoSolution] if the game has too many
// positions, a cycle that best play never leaves, or a cycle in which the choices do
// not converge.
func Solve[S comparable](ctx context.Context, r game.Rules[S], opts Options) (*Solution[S], error) {
	if opts.MaxStates == 0 {
		opts.MaxStates = MaxStates
	}
	if opts.Progress != nil {
		opts.Progress(0)
	}
	l := &list[S]{rules: core.New(r), index: make(map[S]uint32)}
	if err := l.enumerate(ctx, opts.MaxStates); err != nil {
		return nil, fmt.Errorf("tabular: %w", err)
	}
	return solve(ctx, r, l, &l.graph, opts.Progress)
}

// solve solves a game whose positions have been numbered.
func solve[S comparable](ctx context.Context, r game.Rules[S], x Numbering[S], g *graph, progress func(float64)) (*Solution[S], error) {
	g.findComponents()
	sol := newSolution[S](r, x)
	sol.graph, sol.starts = g, []start{{prob: 1}}
	ev, err := sol.play(ctx, make([]*policyTable, g.players), progress)
	if errors.Is(err, errEndless) {
		return nil, fmt.Errorf("%w: %w", game.ErrNoSolution, err)
	}
	if err != nil {
		return nil, err
	}
	sol.value, sol.choice, sol.residual = ev.value, ev.choice, ev.residual()
	return sol, nil
}

func newSolution[S comparable](r game.Rules[S], x Numbering[S]) *Solution[S] {
	sol := &Solution[S]{rules: core.New(r), spec: r.Spec(), x: x}
	own := func(t *tabularPolicy) bool { return t.solution == sol }
	sol.Responses = NewResponses("tabular", sol.spec.Players, own, sol.playTables)
	return sol
}

// Len returns the number of positions, symmetric ones counted once.
func (sol *Solution[S]) Len() int { return sol.x.Len() }

// Facts implements [game.Solution]: the number of positions.
func (sol *Solution[S]) Facts() []game.Fact {
	return []game.Fact{{Name: "positions", Value: float64(sol.Len())}}
}

// Residual returns the largest violation of the optimality equations: about 1e-15 times
// the largest return, or up to game.Tie where options nearly tie.
func (sol *Solution[S]) Residual() float64 {
	if sol.graph == nil {
		return sol.residual * (sol.spec.Win - sol.spec.Loss)
	}
	return sol.residual
}

// Value appends the values of s [P]. It returns an error if s cannot come up in the
// game.
func (sol *Solution[S]) Value(dst []float64, s S) ([]float64, error) {
	if sol.graph == nil { // which numbers decisions only
		switch sol.rules.CurrentPlayer(s) {
		case game.Terminal:
			return sol.rules.Returns(dst, s), nil
		case game.Chance:
			return sol.expect(dst, s)
		}
	}
	at, first, err := sol.find(s)
	if err != nil {
		return dst, err
	}
	for seat := range game.Player(sol.spec.Players) {
		dst = append(dst, sol.returnOf(sol.value, at, seat^first))
	}
	return dst, nil
}

// expect appends the values of a chance state without a number [P].
func (sol *Solution[S]) expect(dst []float64, s S) ([]float64, error) {
	sum := make([]float64, sol.spec.Players)
	var value []float64
	for _, o := range sol.rules.Outcomes(nil, s) {
		var err error
		if value, err = sol.Value(value[:0], o.State); err != nil {
			return dst, err
		}
		for seat, v := range value {
			sum[seat] += float64(o.Prob * v)
		}
	}
	return append(dst, sum...), nil
}

// returnOf returns the expected return of a role, given the values of all positions.
func (sol *Solution[S]) returnOf(value []float64, at uint32, role game.Player) float64 {
	if sol.graph == nil {
		return sol.shareReturn(value[at], role)
	}
	return value[int(at)*sol.spec.Players+int(role)]
}

// shareReturn returns the return of a role, given role 0's share of the win.
func (sol *Solution[S]) shareReturn(share float64, role game.Player) float64 {
	if role == 1 {
		share = 1 - share
	}
	return sol.spec.Return(share)
}

// find returns the number of s and the seat with role 0.
func (sol *Solution[S]) find(s S) (at uint32, first game.Player, err error) {
	if at, first, err = sol.x.Number(s); err != nil {
		err = fmt.Errorf("tabular: position %s cannot come up in this game: %w", text(sol.rules, s), err)
	}
	return at, first, err
}

// Options appends the value of each legal action in s to the mover, in the order of
// Legal; nothing where no seat moves. It returns an error if s cannot come up in the
// game.
func (sol *Solution[S]) Options(dst []float64, s S) ([]float64, error) {
	if sol.rules.CurrentPlayer(s) < 0 {
		return dst, nil
	}
	if _, _, err := sol.find(s); err != nil {
		return dst, err
	}
	return OptionValues(dst, sol.rules.Rules, s, sol.Value)
}

// OptionValues appends the value to the mover of each legal action in s, in the order of
// Legal, given the values of all positions.
func OptionValues[S comparable](dst []float64, rules game.Rules[S], s S, value func(dst []float64, s S) ([]float64, error)) ([]float64, error) {
	var values []float64
	for _, a := range rules.Legal(nil, s) {
		next, err := rules.Apply(s, a)
		if err == nil {
			values, err = value(values[:0], next)
		}
		if err != nil {
			return dst, err
		}
		dst = append(dst, values[rules.CurrentPlayer(s)])
	}
	return dst, nil
}

// options appends the value of each move of n to its mover.
func (sol *Solution[S]) options(dst []float64, n *Node) []float64 {
	for _, m := range n.Moves {
		dst = append(dst, m.expect(sol.shareReturn(n.Share, n.Mover), func(at uint32) float64 {
			return sol.returnOf(sol.value, at, n.Mover)
		}))
	}
	return dst
}

// best returns the index of best play among the moves of the decision n, at this number, ties to
// the lowest.
func (sol *Solution[S]) best(at uint32, n *Node) int {
	if sol.graph != nil {
		return int(sol.choice[at])
	}
	var buf [64]float64
	return game.BestOption(sol.options(buf[:0], n))
}

// Policy returns best play. Ties go to the lowest index of the actions that can end the
// game.
func (sol *Solution[S]) Policy() game.Policy[S] { return bestPolicy[S]{sol} }

type bestPolicy[S comparable] struct{ *Solution[S] }

// Probs implements [game.Policy]. It returns an error for a position that cannot come up
// or is not a decision.
func (b bestPolicy[S]) Probs(dst []float64, states []S) error {
	clear(dst)
	var n Node
	var legal []game.Action
	for row, s := range states {
		if b.rules.CurrentPlayer(s) < 0 {
			return fmt.Errorf("tabular: position %s is not a decision", text(b.rules, s))
		}
		at, first, err := b.find(s)
		if err != nil {
			return err
		}
		b.x.Node(&n, at)
		legal = b.rules.Legal(legal[:0], b.x.State(at, first))
		a := legal[b.best(at, &n)]
		if _, relabel := b.rules.Canonical(s); relabel != nil {
			a = relabel[a]
		}
		dst[row*b.spec.Actions+int(a)] = 1
	}
	return nil
}

// playTables returns the expected returns of tables (see NewResponses).
func (sol *Solution[S]) playTables(ctx context.Context, tables []*tabularPolicy) ([]float64, error) {
	returns := make([]float64, len(tables))
	for k, start := range sol.starts {
		policies := make([]*policyTable, len(tables)) // by role
		for seat, t := range tables {
			if t != nil {
				policies[start.role(game.Player(seat))] = t.byStart[k]
			}
		}
		value, err := sol.evaluate(ctx, policies, start.at)
		if err != nil {
			return nil, err
		}
		for seat := range returns {
			returns[seat] += float64(start.prob * sol.returnOf(value, start.at, start.role(game.Player(seat))))
		}
	}
	return returns, nil
}

// evaluate returns the values of the positions that can come up from a start if the roles play
// policies or, without one, best play.
func (sol *Solution[S]) evaluate(ctx context.Context, policies []*policyTable, at uint32) ([]float64, error) {
	if sol.graph == nil {
		return evaluateShares(ctx, sol.x, policies, at)
	}
	ev, err := sol.play(ctx, policies, nil)
	if err != nil {
		return nil, err
	}
	return ev.value, nil
}

// play evaluates the graph. Its errors name a position.
func (sol *Solution[S]) play(ctx context.Context, policies []*policyTable, progress func(float64)) (*evaluation, error) {
	ev, err := sol.graph.evaluate(ctx, policies, progress)
	if err != nil {
		return nil, fmt.Errorf("tabular: from position %s: %w", text(sol.rules, sol.x.State(ev.entry, 0)), err)
	}
	return ev, nil
}

// Charts implements [game.Solution]. There are none.
func (sol *Solution[S]) Charts() ([]chart.Chart, error) {
	return nil, fmt.Errorf("%s: %w", sol.spec.ID, game.ErrNoCharts)
}

// PolicyCharts implements [game.Solution]. There are none.
func (sol *Solution[S]) PolicyCharts(_ game.TabularPolicy, name string) ([]chart.Chart, error) {
	return nil, fmt.Errorf("%s: the losses of %s: %w", sol.spec.ID, name, game.ErrNoCharts)
}
