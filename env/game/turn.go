package game

// Plan is best play of one turn, given the values of its ends (see [TurnPlanner]). Its methods are
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
	// Value appends the expected returns [P] of the turn at its start.
	Value(dst []float64) []float64
	// Options appends the mover's expected return of each legal action, in the order
	// of Legal, where s is a decision of this turn.
	Options(dst []float64, s S) []float64
}
