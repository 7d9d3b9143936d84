package env

import (
	"context"

	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/internal/parallel"
)

// Decisions are n positions in which a seat must act, for one call of a policy.
// Actions are those of the representatives (see [game.Symmetry]). Obs, Mask and
// Afterstates compute their results on the first call; these are shared and read-only.
// Only Sparse and AppendSparse may be called by many goroutines at once.
type Decisions interface {
	// Len is n.
	Len() int
	// Obs returns the observations of the current players [n, D].
	Obs() []float32
	// Sparse reports whether the game lists the numbers of an observation that are not 0
	// (see [game.SparseEncoder]).
	Sparse() bool
	// AppendSparse appends the numbers of observation i that are not 0 to dst. It panics unless
	// Sparse reports true.
	AppendSparse(dst []game.Element, i int) []game.Element
	// Mask is true where an action is legal [n, A].
	Mask() []bool
	// Afterstates returns the afterstates of the legal actions.
	Afterstates() *Afterstates
	// Position returns position i, which need not be a representative.
	Position(i int) Position
	// Relabel returns, for each action of the representative, the action of
	// Position(i) that it stands for; nil is the identity.
	Relabel(i int) []game.Action
}

// Policy maps decisions to probabilities of actions, in any seat. Many goroutines may
// use the policies of a [Game], a [Solution] or a network at once.
type Policy interface {
	// Probs writes a row of probabilities for each decision to dst [n, A]; illegal
	// actions get zero.
	Probs(dst []float64, d Decisions) error
}

// ContextPolicy is implemented by policies that can take long, such as a search.
type ContextPolicy interface {
	Policy
	// ProbsContext is Probs that returns the error of ctx soon after ctx is done.
	ProbsContext(ctx context.Context, dst []float64, d Decisions) error
}

// Probs calls p.ProbsContext if p is a [ContextPolicy], else p.Probs.
func Probs(ctx context.Context, p Policy, dst []float64, d Decisions) error {
	if p, ok := p.(ContextPolicy); ok {
		return p.ProbsContext(ctx, dst, d)
	}
	return p.Probs(dst, d)
}

// AfterstateScorer is implemented by policies that score the afterstate of each legal
// action (see [game.AfterstateScorer]).
type AfterstateScorer interface {
	Policy
	// Score writes the scores of afterstates [n, D] to dst [n]. Many goroutines may
	// call it at once.
	Score(dst []float64, obs []float32) error
	// Choose turns the scores [k] of options into probabilities [k]. The options of
	// decision i are first[i] to first[i+1]. Many goroutines may call it at once.
	Choose(probs, scores []float64, first []uint32)
	// Greedy reports whether Choose takes the option with the highest score, and among
	// those within [game.Tie] of it the first.
	Greedy() bool
}

// ScorerProbs is Probs of a policy that scores afterstates: Choose of their scores.
func ScorerProbs(p AfterstateScorer, dst []float64, d Decisions) error {
	after := d.Afterstates()
	scores := make([]float64, len(after.Action))
	if err := p.Score(scores, after.Obs); err != nil {
		return err
	}
	ChooseProbs(p, dst, d, scores)
	return nil
}

// ChooseProbs fills dst [n, A] with Choose of the scores of the afterstates of decisions.
func ChooseProbs(p AfterstateScorer, dst []float64, d Decisions, scores []float64) {
	after := d.Afterstates()
	probs, first := make([]float64, len(scores)), make([]uint32, len(after.Start))
	for i, at := range after.Start {
		first[i] = uint32(at)
	}
	p.Choose(probs, scores, first)
	clear(dst)
	actions := len(dst) / max(1, d.Len())
	for i := range d.Len() {
		for k := after.Start[i]; k < after.Start[i+1]; k++ {
			dst[i*actions+int(after.Action[k])] = probs[k]
		}
	}
}

// SparseScorer is implemented by scorers that read observations as lists of the numbers
// that are not 0.
type SparseScorer interface {
	AfterstateScorer
	// ScoreSparse is Score for n observations: the numbers of observation i are
	// start[i] to start[i+1].
	ScoreSparse(dst []float64, start []int, numbers []game.Element) error
}

// decisionBatch implements Decisions for a game whose state is S.
type decisionBatch[S comparable] struct {
	rules  core.Rules[S]
	states []S             // [n]
	shown  []S             // [n] their representatives
	label  [][]game.Action // [n] see Relabel

	obs   []float32
	mask  []bool
	after *Afterstates

	own struct { // buffers of its own, reused
		states, shown []S
		label         [][]game.Action
		obs           []float32
		mask          []bool
		after         Afterstates
	}
}

// reset removes all decisions.
func (q *decisionBatch[S]) reset() {
	q.states, q.shown, q.label = q.own.states[:0], q.own.shown[:0], q.own.label[:0]
	q.obs, q.mask, q.after = nil, nil, nil
}

// add adds a decision.
func (q *decisionBatch[S]) add(state, shown S, label []game.Action) {
	q.states, q.shown, q.label = append(q.states, state), append(q.shown, shown), append(q.label, label)
	q.own.states, q.own.shown, q.own.label = q.states, q.shown, q.label
}

// fill replaces the decisions by others, in representatives.
func (q *decisionBatch[S]) fill(states []S) {
	q.reset()
	for _, s := range states {
		q.add(s, s, nil)
	}
}

func (q *decisionBatch[S]) Len() int { return len(q.shown) }

func (q *decisionBatch[S]) Obs() []float32 {
	if q.obs == nil {
		d := q.rules.Spec().ObsLen()
		q.own.obs = core.Resize(q.own.obs, len(q.shown)*d)
		q.obs = q.own.obs
		const size = 2048 // chosen: some 0.1 ms
		parallel.For(len(q.shown), size, func(from, to int) {
			for i, s := range q.shown[from:to] {
				i += from
				q.rules.Encode(q.obs[i*d:(i+1)*d], s, q.rules.CurrentPlayer(s))
			}
		})
	}
	return q.obs
}

func (q *decisionBatch[S]) Sparse() bool { return q.rules.Sparse != nil }

func (q *decisionBatch[S]) AppendSparse(dst []game.Element, i int) []game.Element {
	s := q.shown[i]
	return q.rules.Sparse.EncodeSparse(dst, s, q.rules.CurrentPlayer(s))
}

func (q *decisionBatch[S]) Mask() []bool {
	if q.mask == nil {
		n := q.rules.Spec().Actions
		q.own.mask = core.Resize(q.own.mask, len(q.shown)*n)
		q.mask = q.own.mask
		clear(q.mask)
		var legal []game.Action
		for i, s := range q.shown {
			legal = q.rules.Legal(legal[:0], s)
			for _, a := range legal {
				q.mask[i*n+int(a)] = true
			}
		}
	}
	return q.mask
}

func (q *decisionBatch[S]) Afterstates() *Afterstates {
	if q.after == nil {
		q.after = &q.own.after
		afterstates(&q.rules, q.after, q.shown)
	}
	return q.after
}

func (q *decisionBatch[S]) Position(i int) Position { return position[S]{&q.rules, q.states[i]} }

func (q *decisionBatch[S]) Relabel(i int) []game.Action { return q.label[i] }

// StatePolicy is a policy over the states of a game, as a policy of its handle.
type StatePolicy[S comparable] struct{ game.Policy[S] }

// Probs implements [Policy].
func (p StatePolicy[S]) Probs(dst []float64, d Decisions) error {
	return p.Policy.Probs(dst, d.(*decisionBatch[S]).shown)
}

// ProbsContext implements [ContextPolicy].
func (p StatePolicy[S]) ProbsContext(ctx context.Context, dst []float64, d Decisions) error {
	return game.Probs(ctx, p.Policy, dst, d.(*decisionBatch[S]).shown)
}

func (p StatePolicy[S]) overStates() game.Policy[S] { return p.Policy }
