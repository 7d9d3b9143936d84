package game

import "context"

// Policy maps states to probabilities of actions.
type Policy[S comparable] interface {
	// Probs writes a row of probabilities for each state to dst [n, A]; illegal
	// actions get zero. A seat must be to move in each state.
	Probs(dst []float64, states []S) error
}

// ContextPolicy is implemented by policies that can take long, such as a search.
type ContextPolicy[S comparable] interface {
	Policy[S]
	// ProbsContext is Probs that returns the error of ctx soon after ctx is done.
	ProbsContext(ctx context.Context, dst []float64, states []S) error
}

// Probs calls p.ProbsContext if p is a [ContextPolicy], else p.Probs.
func Probs[S comparable](ctx context.Context, p Policy[S], dst []float64, states []S) error {
	if p, ok := p.(ContextPolicy[S]); ok {
		return p.ProbsContext(ctx, dst, states)
	}
	return p.Probs(dst, states)
}

// Uniform is the policy that plays every legal action with the same probability.
type Uniform[S comparable] struct{ Rules Rules[S] }

// Probs implements [Policy].
func (u Uniform[S]) Probs(dst []float64, states []S) error {
	clear(dst)
	n := u.Rules.Spec().Actions
	var legal []Action
	for i, s := range states {
		legal = u.Rules.Legal(legal[:0], s)
		for _, a := range legal {
			dst[i*n+int(a)] = 1 / float64(len(legal))
		}
	}
	return nil
}

// AfterstateScorer is implemented by policies that depend on one number for the
// afterstate of each legal action: the probabilities of a decision are Choose of the
// scores of its legal actions, in ascending order. A solver scores each afterstate
// once, although many decisions lead to it.
type AfterstateScorer[S comparable] interface {
	Policy[S]
	// Score writes the scores of afterstates, given as representatives (see [Symmetry]),
	// to dst [n]; movers[i] has moved to after[i]. Many goroutines may call it at once.
	Score(dst []float64, after []S, movers []Player) error
	// Choose turns the scores of options into probabilities of the same length. The
	// options of decision i are first[i] to first[i+1].
	Choose(probs, scores []float64, first []uint32)
	// Greedy reports whether Choose takes the option with the highest score, and among
	// those within [Tie] of it the first, so that a solver may choose by itself.
	Greedy() bool
}
