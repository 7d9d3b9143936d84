package game

// Expansion lists the decisions that can follow a chance state, and the afterstates
// of their moves.
type Expansion[S comparable] struct {
	Branch []Branch
	Move   []int32  // by branch, in the order of Legal: index of the leaf after the move
	Leaf   []S      // afterstates, or states without a decision; representatives (see [Symmetry])
	Mover  []Player // [leaves] that of the branches of the leaf
}

// Branch is a decision that can follow, or a state without a decision, which is its
// own only leaf.
type Branch struct {
	Prob  float64
	Mover Player // below 0 where no seat decides
	Moves int32
}
