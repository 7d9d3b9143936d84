package game

import (
	"context"
	"errors"

	"marsgym/env/game/chart"
)

// SolverState is the state of a solver between two steps.
type SolverState struct {
	// Values are those of positions, in an order of the game: shares of the win, 0 to
	// 1, or finite numbers in a game without a win.
	Values   []float64
	Next     int64   // the next step, counted from 0 by the game
	Done     float64 // the fraction done
	Residual float64 // of the finished part (see [Solution])
}

// Estimate is the cost of a solution.
type Estimate struct {
	Positions   int64   // whose values it holds, or a bound that the fact "positions" makes exact
	Bytes       int64   // of memory
	CoreSeconds float64 // of computing, on one core
}

// Solution holds the value of every position of a game in which each seat maximises
// its own expected return, and evaluates any other policy exactly. Values are
// expected returns by seat [P]. Every position may be looked up; policies are called
// with representatives only (see [Symmetry]).
//
// Many goroutines may use a Solution at once.
type Solution[S comparable] interface {
	// Residual is the largest violation of the optimality equations.
	Residual() float64
	// Value appends the values of a position by seat [P].
	Value(dst []float64, s S) ([]float64, error)
	// Options appends the mover's expected return of each legal action, in the order
	// of Legal.
	Options(dst []float64, s S) ([]float64, error)
	// Policy is best play, ties to the lowest index.
	Policy() Policy[S]
	// Tabulate calls a policy with every position that can matter and stores its
	// decisions.
	Tabulate(ctx context.Context, p Policy[S]) (TabularPolicy, error)
	// Rows returns the cost of evaluating a network, an AfterstateScorer or not, before
	// Tabulate is called: about the number of rows that Tabulate shows to it, or more
	// where going through the positions takes longer than the network.
	Rows(scorer bool) int
	// Evaluate appends the expected returns by seat [P] if seat i plays seats[i].
	Evaluate(ctx context.Context, dst []float64, seats []TabularPolicy) ([]float64, error)
	// BestResponse returns the largest expected return of a seat against the policies
	// of the other seats; seats[seat] is ignored.
	BestResponse(ctx context.Context, seats []TabularPolicy, seat Player) (float64, error)
	// Regrets plays p in one seat against best play in all others. It calls yield
	// with each action that p may take with a regret above Tie, in a fixed order,
	// until yield returns an error.
	Regrets(ctx context.Context, p Policy[S], seat Player, yield func(Regret[S]) error) error
	// Facts returns further figures of the solution, in a fixed order, or nil.
	Facts() []Fact
	// Charts returns charts of best play, and PolicyCharts of the loss of a policy against
	// it; name is its name in them. The errors wrap ErrNoCharts if there are none.
	Charts() ([]chart.Chart, error)
	PolicyCharts(p TabularPolicy, name string) ([]chart.Chart, error)
}

// StoredSolution is the solution of a [ResumableSolver].
type StoredSolution[S comparable] interface {
	Solution[S]
	// Equations returns the number of optimality equations, which can be checked one by
	// one: whether values from a file belong to the game.
	Equations() int
	// Violation returns the largest violation of the equations of these numbers,
	// counted from 0: the difference between the value of a position and the value
	// that follows from its successors under best play.
	Violation(ctx context.Context, equations []int) (float64, error)
	// ReadTable returns a policy in tabular form, given all rows of its table [rows, width],
	// which it keeps. It returns an error for rows that are no probabilities.
	ReadTable(p Policy[S], table []float64) (TabularPolicy, error)
}

// TabularPolicy is a policy stored for a whole game, in a form of the solution that
// made it. No other solution can read it.
type TabularPolicy interface {
	// Decisions returns the number of positions in which the policy chose.
	Decisions() int
	// Rows returns the number of states that the policy looked at, at most, since a solver may
	// leave out those that it does not reach: for an AfterstateScorer the afterstates, each once.
	Rows() int
}

// ErrNoCharts is returned where a solution has no charts.
var ErrNoCharts = errors.New("no charts to draw")

// Fact is a named figure, such as the expected score of a turn.
type Fact struct {
	Name  string // lower case, words joined by underscores
	Value float64
}
