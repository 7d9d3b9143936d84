package game

import "math/rand/v2"

// Planner is kept by rules whose turns can be searched to their end: a turn is
// what one seat does until it is another's, or the game is over.
type Planner[S comparable] interface {
	// Mover is the seat whose turn begins in s, Nobody where none does. s may be
	// a chance state, such as that before a first roll.
	Mover(s S) Player
	// DrawStart draws a start of a turn; each that can come up has a chance.
	DrawStart(r *rand.PCG) S
	// NewPlan returns a plan for one goroutine to use again and again.
	NewPlan() Plan[S]
}

// Plan is best play of one turn against given values at its end.
type Plan[S comparable] interface {
	// Begin takes up the turn that begins in s and returns the states in which
	// it can end, each once. They are the plan's own until the next Begin.
	Begin(s S) (ends []S)
	// Known appends the expected returns [P] of an end if no seat has anything
	// left to decide, and says whether it did.
	Known(dst []float64, end S) ([]float64, bool)
	// Solve finds best play of the turn, given what its ends are worth to each
	// seat [n, P].
	Solve(values []float64)
	// Value appends what the turn is worth to each seat [P], as it begins.
	Value(dst []float64) []float64
	// Options appends what each legal action is worth to the mover, in the order
	// of Legal, where s is a decision of this turn.
	Options(dst []float64, s S) []float64
}
