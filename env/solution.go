package env

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"marsgym/env/game"
	"marsgym/env/game/chart"
	"marsgym/internal/core"
	"marsgym/internal/parallel"
)

// Solution is the exact solution of a game (see [game.Solution]). Values are expected
// returns by seat.
type Solution interface {
	// Residual is the largest violation of the optimality equations.
	Residual() float64
	// Facts returns further figures of the solution, in a fixed order.
	Facts() []game.Fact
	// Value returns the values of a position by seat [P].
	Value(p Position) ([]float64, error)
	// Options returns the mover's expected return of each legal action, in the order
	// of Legal.
	Options(p Position) ([]float64, error)
	// Policy is best play, ties to the lowest index.
	Policy() Policy
	// Tabulate calls a policy with every position that can matter and stores its
	// decisions.
	Tabulate(ctx context.Context, p Policy) (game.TabularPolicy, error)
	// ReadTable returns a policy in tabular form, given its table of [Game.TabulateRows]
	// [rows, width], which it keeps. The error wraps game.ErrNoSolution if there are no
	// such tables.
	ReadTable(p Policy, table []float64) (game.TabularPolicy, error)
	// Rows returns the cost of evaluating a network, an AfterstateScorer or not, in
	// about the number of its rows (see [game.Solution]).
	Rows(scorer bool) int
	// Evaluate returns the expected returns by seat [P] if seat i plays seats[i].
	Evaluate(ctx context.Context, seats []game.TabularPolicy) ([]float64, error)
	// BestResponse returns the largest expected return of a seat against the policies
	// of the other seats; seats[seat] is ignored.
	BestResponse(ctx context.Context, seats []game.TabularPolicy, seat game.Player) (float64, error)
	// Regrets plays p in one seat against best play in all others. It calls yield with
	// each action that p may take with a regret above game.Tie, in a fixed order, until
	// yield returns an error.
	Regrets(ctx context.Context, p Policy, seat game.Player, yield func(Regret) error) error
	// Charts returns charts of best play, and PolicyCharts of the loss of a policy
	// against it. The error wraps game.ErrNoCharts if there are none.
	Charts() ([]chart.Chart, error)
	PolicyCharts(play game.TabularPolicy, name string) ([]chart.Chart, error)
}

// Solvable reports whether a game's solver accepts its config, without solving it. A solver
// that counts positions as it goes can still find too many.
func Solvable(g Game) bool {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := g.Solve(ctx, nil) // says first whether there is one (see [game.Solver])
	return !errors.Is(err, game.ErrNoSolution)
}

// Regret is the loss of an action in a decision (see [game.Regret]).
type Regret struct {
	Action, Best      game.Action
	Reach, Prob, Loss float64
	Kind              string // of mistake; without a [game.MistakeLabeler] such as "roll, not stop"
	Situation         string // of the mover; empty without a [game.MistakeLabeler]
	// Position returns one state in which the decision arises. It may be called only
	// during yield.
	Position func() Position
}

// solution adapts a solution over states to positions.
type solution[S comparable] struct {
	game.Solution[S]
	rules *core.Rules[S]
}

func (s *solution[S]) Value(p Position) ([]float64, error) { return s.look(p, s.Solution.Value) }

func (s *solution[S]) Options(p Position) ([]float64, error) { return s.look(p, s.Solution.Options) }

// look returns what f appends for a position.
func (s *solution[S]) look(p Position, f func(dst []float64, s S) ([]float64, error)) ([]float64, error) {
	own, ok := p.(position[S])
	if !ok {
		return nil, fmt.Errorf("position %s is of another game", p)
	}
	return f(nil, own.s)
}

func (s *solution[S]) Policy() Policy { return StatePolicy[S]{s.Solution.Policy()} }

func (s *solution[S]) Tabulate(ctx context.Context, p Policy) (game.TabularPolicy, error) {
	return s.Solution.Tabulate(ctx, s.policy(p))
}

func (s *solution[S]) ReadTable(p Policy, table []float64) (game.TabularPolicy, error) {
	if r, ok := s.Solution.(game.StoredSolution[S]); ok {
		return r.ReadTable(s.policy(p), table)
	}
	return nil, fmt.Errorf("%s has no tables: %w", s.rules.Spec().ID, game.ErrNoSolution)
}

func (s *solution[S]) policy(p Policy) game.Policy[S] { return policyOverStates(s.rules, p) }

// policyOverStates returns p as a policy over states.
func policyOverStates[S comparable](rules *core.Rules[S], p Policy) game.Policy[S] {
	switch p := p.(type) {
	case interface{ overStates() game.Policy[S] }: // a StatePolicy
		return p.overStates()
	case AfterstateScorer:
		return &observationScorer[S]{observationPolicy: observationPolicy[S]{p, decisionBatch[S]{rules: *rules}}, p: p}
	}
	return &observationPolicy[S]{p, decisionBatch[S]{rules: *rules}}
}

func (s *solution[S]) Regrets(ctx context.Context, p Policy, seat game.Player, yield func(Regret) error) error {
	var state S
	r := Regret{Position: func() Position { return position[S]{s.rules, state} }}
	labeler, _ := s.rules.Rules.(game.MistakeLabeler[S])
	return s.Solution.Regrets(ctx, s.policy(p), seat, func(x game.Regret[S]) error {
		state = x.State
		r.Action, r.Best, r.Reach, r.Prob, r.Loss = x.Action, x.Best, x.Reach, x.Prob, x.Loss
		if labeler != nil {
			r.Kind, r.Situation = labeler.Kind(state, x.Action, x.Best), labeler.Situation(state)
		} else {
			r.Kind = s.rules.ActionName(x.Action) + ", not " + s.rules.ActionName(x.Best)
		}
		return yield(r)
	})
}

func (s *solution[S]) Evaluate(ctx context.Context, seats []game.TabularPolicy) ([]float64, error) {
	return s.Solution.Evaluate(ctx, nil, seats)
}

// observationPolicy is a policy over observations, as a policy over states.
type observationPolicy[S comparable] struct {
	p Policy
	q decisionBatch[S]
}

func (o *observationPolicy[S]) Probs(dst []float64, states []S) error {
	return o.ProbsContext(context.Background(), dst, states)
}

// ProbsContext implements [game.ContextPolicy].
func (o *observationPolicy[S]) ProbsContext(ctx context.Context, dst []float64, states []S) error {
	// The number of decisions of one call. Chosen: their observations take some 10 MB,
	// and there is work for several cores.
	const size = 8192
	n := o.q.rules.Spec().Actions
	for len(states) > 0 {
		now := min(size, len(states))
		o.q.fill(states[:now])
		if err := Probs(ctx, o.p, dst[:now*n], &o.q); err != nil {
			return err
		}
		states, dst = states[now:], dst[now*n:]
	}
	return nil
}

// observationScorer is the same for an AfterstateScorer.
type observationScorer[S comparable] struct {
	observationPolicy[S]
	p       AfterstateScorer
	scratch sync.Pool // of *afterstateRows
}

// afterstateRows are observations of afterstates, as the scorer reads them.
type afterstateRows struct {
	obs     []float32 // [n, D], or nil
	start   []int     // [n+1] into numbers
	numbers []game.Element
}

func (o *observationScorer[S]) Choose(probs, scores []float64, first []uint32) {
	o.p.Choose(probs, scores, first)
}

func (o *observationScorer[S]) Greedy() bool { return o.p.Greedy() }

func (o *observationScorer[S]) Score(dst []float64, after []S, movers []game.Player) error {
	// The number of afterstates encoded and scored together: they are still in the
	// cache when the network reads them. Measured.
	const size = 256
	var failed atomic.Pointer[error]
	parallel.For(len(after), size, func(from, to int) {
		rows, _ := o.scratch.Get().(*afterstateRows)
		if rows == nil {
			rows = new(afterstateRows)
		}
		defer o.scratch.Put(rows)
		if err := o.score(rows, dst[from:to], after[from:to], movers[from:to]); err != nil {
			failed.CompareAndSwap(nil, &err)
		}
	})
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// score is Score for a few afterstates.
func (o *observationScorer[S]) score(rows *afterstateRows, dst []float64, after []S, movers []game.Player) error {
	rules := &o.q.rules
	if scorer, ok := o.p.(SparseScorer); ok && rules.Sparse != nil {
		rows.start, rows.numbers = append(rows.start[:0], 0), rows.numbers[:0]
		for i, s := range after {
			rows.numbers = rules.Sparse.EncodeSparse(rows.numbers, s, movers[i])
			rows.start = append(rows.start, len(rows.numbers))
		}
		return scorer.ScoreSparse(dst, rows.start, rows.numbers)
	}
	d := rules.Spec().ObsLen()
	rows.obs = core.Resize(rows.obs, len(after)*d)
	for i, s := range after {
		rules.Encode(rows.obs[i*d:][:d], s, movers[i])
	}
	return o.p.Score(dst, rows.obs)
}
