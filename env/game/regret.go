package game

// Regret is what one action costs in one decision of a seat whose opponents
// play best. Over all decisions and actions the products of the three factors
// add up to the whole loss from the start on (the performance-difference
// identity):
//
//	V*(start) − V(start) = Σ_s Reach(s) Σ_a Prob(a|s)·Loss(s, a)
//
// Source: Kakade and Langford, "Approximately optimal approximate reinforcement
// learning", ICML 2002, lemma 6.1.
type Regret[S any] struct {
	State  S       // stands for all positions that offer the same choice
	Action Action  // what is done
	Best   Action  // what best play does
	Reach  float64 // expected number of times a game that the decision comes up
	Prob   float64 // of the action, once there
	Loss   float64 // of expected return by the action, above zero
}

// Cost is the expected return that a game loses by it.
func (r Regret[S]) Cost() float64 { return r.Reach * r.Prob * r.Loss }

// Tutor is kept by rules that can say what is wrong with a choice. Its words
// are few and fixed, so that costs can be added up by them.
type MistakeLabeler[S comparable] interface {
	// Kind names the mistake of doing a in s, where best is better, such as
	// "stopped too early".
	Kind(s S, a, best Action) string
	// Situation names how the mover of s stands, such as "behind".
	Situation(s S) string
}
