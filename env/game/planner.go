package game

import "math/rand/v2"

// Planner is kept by rules whose turns can be searched to their end. A turn is
// what one seat decides, with the dice between, until the next turn begins or no
// seat has anything left to decide. Every decision lies in a turn of its seat.
type Planner[S comparable] interface {
	// Mover is the seat whose turn begins in s, Nobody where none does. s may be
	// a chance state, such as that before a first roll.
	Mover(s S) Player
	// DrawStart draws a start of a turn. Each that can come up looks to its mover
	// like one that has a fair chance.
	SampleStart(r *rand.PCG) S
	// NewPlan returns a plan for one goroutine to use again and again.
	NewPlan() Plan[S]
	// SolveAll is Solve of many plans, all made by these rules, with the values
	// for each, to the same bits.
	SolveAll(plans []Plan[S], values [][]float64)
}

// Plan is best play of one turn against given values at its end. It is asked
// about representatives only (see [Symmetry]), and ends that are alike are worth
// the same.
type Plan[S comparable] interface {
	// Begin takes up the turn that begins in s and returns the states in which
	// it can end, each once, and no others: in each the next turn begins, or it
	// is Known. They are the plan's own until the next Begin.
	Begin(s S) (ends []S)
	// Known appends the expected returns [P] from s on if no seat has anything
	// left to decide, and says whether it did. s is an end, or a chance state of
	// this turn.
	Known(dst []float64, s S) ([]float64, bool)
	// Solve finds best play of the turn, ties to the lowest index, given what its
	// ends are worth to each seat [n, P]: in a game with a win, one win and P-1
	// losses together, but for rounding.
	Solve(values []float64)
	// Value appends what the turn is worth to each seat [P], as it begins.
	Value(dst []float64) []float64
	// Options appends what each legal action is worth to the mover, in the order
	// of Legal, where s is a decision of this turn.
	Options(dst []float64, s S) []float64
}
