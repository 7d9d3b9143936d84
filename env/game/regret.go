package game

// Regret is the loss of one action in one decision of a seat whose opponents play
// best. Over all decisions and actions the products of the three factors sum to the
// whole loss from the start (the performance-difference identity):
//
//	V*(start) − V(start) = Σ_s Reach(s) Σ_a Prob(a|s)·Loss(s, a)
//
// Source: Kakade and Langford, "Approximately optimal approximate reinforcement
// learning", ICML 2002, lemma 6.1.
type Regret[S any] struct {
	State  S       // represents all positions with the same decision
	Action Action  // played
	Best   Action  // of best play
	Reach  float64 // expected number of times per game that the decision is reached
	Prob   float64 // of the action in that decision
	Loss   float64 // of expected return, above zero
}

// Cost is the expected return that a game loses by the action.
func (r Regret[S]) Cost() float64 { return r.Reach * r.Prob * r.Loss }
