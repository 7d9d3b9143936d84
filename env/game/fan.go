package game

// Fan is what may follow a chance state and the move after it.
type Expansion[S comparable] struct {
	Branch []Branch
	Move   []int32 // branch by branch, in the order of Legal: index of the leaf it leads to
	Leaf   []S     // states just after moves, or in which nobody decides; representatives (see [Symmetry])
}

// Branch is a decision that may follow, or a state in which nobody decides, which
// then is its one leaf.
type Branch struct {
	Prob  float64
	Mover Player // below 0 where nobody decides
	Moves int32
}

// Fanner is kept by rules with many outcomes that come to the same, or that know
// a faster way to list them than one by one.
type ChanceExpander[S comparable] interface {
	// Fan fills dst with what may follow the representative of a chance state, as
	// far as it matters: decisions in which the same seat has the same moves may be
	// one branch, and so may states in which nobody decides and that are alike. No
	// leaf is listed twice, nor belongs to branches of different seats. Branch and
	// Move are shared and read-only; Leaf is dst's. It reports whether it did: what
	// it leaves out is listed by Outcomes.
	Expand(dst *Expansion[S], s S) bool
}
