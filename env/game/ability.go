package game

import (
	"context"
	"errors"
	"math/rand/v2"

	"marsgym/env/game/chart"
)

// Sampler is kept by rules that roll their dice in constant time.
type Sampler[S comparable] interface {
	// Sample draws what follows the chance state s, distributed as Outcomes.
	Sample(s S, r *rand.PCG) S
}

// Notation is kept by rules whose positions and actions have a written form.
type Notation[S comparable] interface {
	// Format writes a position; Parse reads it back to the same state.
	Format(s S) string
	Parse(text string) (S, error)
	// ActionName names an action in lower case, without spaces.
	ActionName(a Action) string
}

// Guide is kept by rules that can explain themselves to a person.
type Renderer[S comparable] interface {
	// Picture draws the position for a person in a few lines of text.
	Render(s S) string
	// Explain says in a few words what a does in s, where it is legal.
	DescribeAction(s S, a Action) string
	// Tell says in a line what the dice have made of s, a chance state: next is
	// what came of it. It may be empty where a picture says more.
	DescribeChance(s, next S) string
}

// Symmetry is kept by rules with positions that differ in names only.
type Symmetry[S comparable] interface {
	// Canonical returns the representative of all positions like s and, for each
	// action of the representative, the action of s that it stands for. relabel
	// is shared and read-only; nil stands for the identity.
	//
	// It commutes with Apply and with Outcomes, and the representative of a
	// representative is itself.
	Canonical(s S) (c S, relabel []Action)
}

// Players is kept by games with players of their own, such as one that is
// greedy for points. They are asked about representatives (see [Symmetry]).
type Bots[S comparable] interface {
	// PlayerNames lists them.
	BotNames() []string
	// Player returns the one of that name.
	Bot(name string) (Policy[S], error)
}

// Policy is a way to play: probabilities for the legal actions of a decision.
type Policy[S comparable] interface {
	// Probs writes a row of probabilities for each decision to dst [n, A]; what
	// is illegal gets zero.
	Probs(dst []float64, states []S) error
}

// ContextPolicy is kept by policies that can take long, such as a search.
type ContextPolicy[S comparable] interface {
	Policy[S]
	// ProbsContext is Probs that ends early, with the error of ctx, when ctx is done.
	ProbsContext(ctx context.Context, dst []float64, states []S) error
}

// Probs calls p.ProbsContext if p is a [ContextPolicy], else p.Probs.
func Probs[S comparable](ctx context.Context, p Policy[S], dst []float64, states []S) error {
	if p, ok := p.(ContextPolicy[S]); ok {
		return p.ProbsContext(ctx, dst, states)
	}
	return p.Probs(dst, states)
}

// Uniform is the policy that takes every legal action with the same probability.
type Uniform[S comparable] struct{ Rules Rules[S] }

// Probs implements [Policy].
func (u Uniform[S]) Probs(dst []float64, states []S) error {
	clear(dst)
	n := u.Rules.Spec().Actions
	var legal []Action
	for i, s := range states {
		legal = u.Rules.Legal(legal[:0], s)
		for _, a := range legal {
			dst[i*n+int(a)] = 1 / float64(len(legal))
		}
	}
	return nil
}

// Scorer is a Policy that needs no more than one number for the state just
// after each legal action. The probabilities of a decision are Choose of the
// scores of its legal actions, in ascending order. A solver that knows this
// asks once for a state that many decisions can lead to.
type AfterstateScorer[S comparable] interface {
	Policy[S]
	// Score writes to dst [n] how much movers[i], who has just moved, likes
	// after[i].
	Score(dst []float64, after []S, movers []Player) error
	// Choose turns the scores of the options of one decision into probabilities
	// of the same length.
	Choose(probs, scores []float64)
}

// Solver is kept by rules that can be solved exactly.
type Solver[S comparable] interface {
	// Solve returns the exact solution, or an error that wraps ErrNoSolution
	// where the config has none. It calls progress, where not nil, now and then
	// with the share done, 0 to 1.
	Solve(ctx context.Context, progress func(done float64)) (Solution[S], error)
}

// Keeper is kept by solvers whose solutions are worth keeping in files.
type ResumableSolver[S comparable] interface {
	Solver[S]
	// SolveFrom is Solve from where w stands, nothing done if it is zero. It
	// takes w along: whenever progress is called, and when SolveFrom returns, w
	// holds all that is needed to go on, or, once w.Done is 1, the solution. What w
	// holds is taken at its word, within the bounds that Work has.
	SolveFrom(ctx context.Context, w *SolverState, progress func(done float64)) (VerifiableSolution[S], error)
	// Extent returns how many values the Work of a solution has, and what Next is
	// once it is complete, or an error that wraps ErrNoSolution.
	StateSize() (values int, steps int64, err error)
	// Estimate says what a solution takes, before it is begun.
	Estimate() Estimate
}

// Work is a solution under way.
type SolverState struct {
	// Values are those of positions, in an order of the game's own: shares of the
	// win, 0 to 1, or, in a game without a win, finite numbers.
	Values   []float64
	Next     int64   // what comes next, in the game's own count from 0
	Done     float64 // the share done, 0 to 1
	Residual float64 // of what is done (see [Solution])
}

// KeptSolution is a solution whose optimality equations can be looked at one by
// one, which shows whether values from a file are those of the game.
type VerifiableSolution[S comparable] interface {
	Solution[S]
	// Equations returns how many optimality equations there are.
	Equations() int
	// Violation returns by how much the values violate the equations of these
	// numbers, from 0, at most: the difference between the value of a position and
	// what it is by the values of those that best play leads to.
	Violation(ctx context.Context, equations []int) (float64, error)
}

// Estimate is the size of a solution.
type Estimate struct {
	Positions   int64   // whose values it holds
	Bytes       int64   // of memory
	CoreSeconds float64 // of one core like this one
}

// Solution is the value of every position of a game when each seat plays to
// maximise its own expected return, and prices any other way to play. Values
// are expected returns in seat order [P]. All positions may be asked about;
// the policies are asked about representatives only (see [Symmetry]).
//
// A Solution may be used by many goroutines at once.
type Solution[S comparable] interface {
	// Residual is the largest violation of the optimality equations.
	Residual() float64
	// Value appends the value of a position to each seat [P].
	Value(dst []float64, s S) ([]float64, error)
	// Options appends what each legal action is worth to the mover, in the order
	// of Legal.
	Options(dst []float64, s S) ([]float64, error)
	// Policy is best play, ties to the lowest index.
	Policy() Policy[S]
	// Expand asks a policy for its decisions in every position that can matter.
	Tabulate(ctx context.Context, p Policy[S]) (TabularPolicy, error)
	// Evaluate appends the expected returns [P] when the given strategies [P] sit
	// at the table.
	Evaluate(ctx context.Context, dst []float64, seats []TabularPolicy) ([]float64, error)
	// BestResponse is the most that a seat can expect against the strategies of
	// the others; its own entry in seats is ignored.
	BestResponse(ctx context.Context, seats []TabularPolicy, seat Player) (float64, error)
	// Regrets plays p in a seat against best play in all others and calls yield
	// with each action that p may take and that loses more than Tie, in a fixed
	// order, until it returns an error.
	Regrets(ctx context.Context, p Policy[S], seat Player, yield func(Regret[S]) error) error
}

// Strategy is a policy written out for a whole game, in a form of the
// solution's own. Only the solution that made it can read it.
type TabularPolicy interface {
	// Decisions counts the positions in which the policy was asked to choose,
	// and Rows the states it looked at to do so (for a Scorer the states just
	// after its actions, each once).
	Decisions() int
	Rows() int
}

// ErrNoCharts is returned where a solution has no charts.
var ErrNoCharts = errors.New("no charts to draw")

// Reporter is implemented by solutions that report more than values.
type Reporter interface {
	// Facts returns further figures of the solution, in a fixed order; none is nil.
	Facts() []Fact
	// Charts returns charts of best play. The error wraps ErrNoCharts where the
	// config has none.
	Charts() ([]chart.Chart, error)
	// PolicyCharts returns charts of what the policy of that name loses to best
	// play. The error wraps ErrNoCharts where the config has none.
	PolicyCharts(p TabularPolicy, name string) ([]chart.Chart, error)
}

// Fact is a named figure, such as the expected score of a turn.
type Fact struct {
	Name  string // lower case, words joined by underscores
	Value float64
}
