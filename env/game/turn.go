package game

import "math/rand/v2"

// TurnStarter is implemented by rules that know where turns start. A turn is all
// decisions of one seat, with the chance between them, until the next turn starts
// or no seat has a decision left. Every decision lies in a turn of its seat.
type TurnStarter[S comparable] interface {
	// TurnStart returns the seat whose turn starts in s and reports whether one
	// does. s may be a chance state, such as the state before a first roll.
	TurnStart(s S) (mover Player, ok bool)
}

// StartSampler is implemented by rules that can sample states in which turns
// start, for training on states that play rarely reaches.
type StartSampler[S comparable] interface {
	TurnStarter[S]
	// SampleStart samples a state in which a turn starts. For each such state that
	// the game can reach, SampleStart returns one with the same observation to its
	// mover with a probability that is not negligible.
	SampleStart(r *rand.PCG) S
}

// TurnPlanner is implemented by rules that solve one turn exactly, given the values
// of the states in which it ends.
type TurnPlanner[S comparable] interface {
	TurnStarter[S]
	// NewPlan returns a plan. One goroutine owns it and may reuse it.
	NewPlan() Plan[S]
}

// TurnFinder is implemented by planners of games in which a decision tells where its turn
// started.
type TurnFinder[S comparable] interface {
	TurnPlanner[S]
	// TurnOf returns a state in which the turn of the decision s can have started. The
	// ends of a turn from there are those of the turn.
	TurnOf(s S) S
}

// BatchTurnPlanner is implemented by planners that solve many turns at once faster
// than one by one.
type BatchTurnPlanner[S comparable] interface {
	TurnPlanner[S]
	// SolveAll calls Solve(values[i]) of each plans[i], to the same bits. All plans
	// come from NewPlan of these rules.
	SolveAll(plans []Plan[S], values [][]float64)
}

// Plan is best play of one turn, given the values of its ends. Its methods are
// called with representatives only (see [Symmetry]). Ends with the same
// representative have the same values.
type Plan[S comparable] interface {
	// Begin prepares the turn that starts in s and returns all states in which it
	// can end, each once: in each the next turn starts, or it is Known. The slice
	// belongs to the plan and is valid until the next Begin.
	Begin(s S) (ends []S)
	// Known appends the expected returns [P] from s on if no seat has a decision
	// left, and reports whether that is so. s is an end, or a chance state of this
	// turn.
	Known(dst []float64, s S) ([]float64, bool)
	// Solve computes best play of the turn, ties to the lowest index. values [n, P]
	// are the expected returns of the ends by seat; in a game with a win each row
	// sums to one win and P-1 losses, up to rounding.
	Solve(values []float64)
	// Value appends the expected returns [P] of the turn at its start.
	Value(dst []float64) []float64
	// Options appends the mover's expected return of each legal action, in the order
	// of Legal, where s is a decision of this turn.
	Options(dst []float64, s S) []float64
}
