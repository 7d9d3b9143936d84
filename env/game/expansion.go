package game

// Expansion lists the decisions that can follow a chance state, and the afterstates
// of their moves.
type Expansion[S comparable] struct {
	Branch []Branch
	Move   []int32 // by branch, in the order of Legal: index of the leaf after the move
	Leaf   []S     // afterstates, or states without a decision; representatives (see [Symmetry])
}

// Branch is a decision that can follow, or a state without a decision, which is its
// own only leaf.
type Branch struct {
	Prob  float64
	Mover Player // below 0 where no seat decides
	Moves int32
}

// ChanceExpander is implemented by rules that expand chance nodes faster than outcome
// by outcome, or that merge outcomes which play cannot tell apart.
type ChanceExpander[S comparable] interface {
	// Expand fills dst with what can follow the representative of a chance state, and
	// reports whether it did; if not, the caller uses Outcomes. Decisions in which the
	// same seat has the same moves may share a branch, and so may equivalent states
	// without a decision. Each leaf is listed once and belongs to branches of one
	// seat. Branch and Move are shared and read-only; Leaf belongs to dst.
	Expand(dst *Expansion[S], s S) bool
}
