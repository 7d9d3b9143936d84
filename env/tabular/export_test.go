package tabular

// Len returns the number of positions.
func (sol *Solution[S]) Len() int { return len(sol.states) }
