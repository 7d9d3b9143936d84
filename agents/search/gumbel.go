package search

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"

	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/internal/kernel/elementary"
	"marsgym/models"
)

// Halving are the settings of a [Gumbel].
type Halving struct {
	Simulations int
	Candidates  int       // actions that have a simulation, at most
	Temperature float64   // τ, of the completed values in shares of the win
	Dice        *rand.PCG // of the noise, and for the seeds of the rounds
}

// Gumbel is a policy of the root of a tree for training. It divides the simulations among the
// n actions by sequential halving with Gumbel noise, and derives what the search found from
// the shares of the win that the simulations returned.
//
// Source of the equations: Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by
// planning with Gumbel", ICLR 2022, sections 3 to 5.
type Gumbel struct {
	Mover  game.Player
	Action []game.Action // [n] the legal ones
	Logit  []float64     // [n] of the policy
	Value  []float64     // [P] the network's shares of the win
	Q      []float64     // [n, P] completed shares of the win

	Halving
	dice       *rand.PCG
	candidates []int32 // actions not yet rejected, those preferred at the last halving first
	most       int     // candidates of the first phase of the halving
	phases     int
	rounds     int // of this phase that are still to start

	noise  []float64 // [n] Gumbel
	prior  []float64 // [n]
	visits []float64 // [n] simulations that have ended
	sum    []float64 // [n, P] of their shares of the win
	mixed  []float64 // [P] the value of an action without a simulation
	prob   []float64 // [n] terms of the improved policy
}

// reset prepares for n actions and p seats.
func (r *Gumbel) reset(n, p int, h Halving) {
	r.Halving, r.dice = h, h.Dice
	r.candidates = core.Resize(r.candidates, n)
	r.most = min(n, h.Candidates)
	r.phases = bits.Len(uint(r.most - 1)) // log₂, rounded up
	r.rounds = 0
	r.Action = core.Resize(r.Action, n)
	for _, x := range []*[]float64{&r.Logit, &r.noise, &r.prior, &r.visits, &r.prob} {
		*x = core.Resize(*x, n)
	}
	r.sum, r.Q = core.Resize(r.sum, n*p), core.Resize(r.Q, n*p)
	r.Value, r.mixed = core.Resize(r.Value, p), core.Resize(r.mixed, p)
	clear(r.visits)
	clear(r.sum)
	for e := range r.candidates {
		r.candidates[e] = int32(e)
	}
}

// begin draws the noise when the network has evaluated the root: the candidates are a
// sample without replacement from its policy, with logits [A] and shares of the win [P].
func (r *Gumbel) begin(edges []edge, mover game.Player, logits []float32, share []float64) {
	r.Mover = mover
	copy(r.Value, share)
	for i, e := range edges {
		r.Action[i], r.prior[i], r.Logit[i] = e.action, e.prior, float64(logits[e.action])
		r.noise[i] = -elementary.Log(-elementary.Log(max(core.Uniform(r.dice), 1e-300)))
	}
}

// next returns the candidates that have a simulation in the next round, of which there are
// left in all. After each phase it rejects half of them, but not the last two.
//
// Source: Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed
// bandits", ICML 2013.
func (r *Gumbel) next(left int) []int32 {
	if r.rounds == 0 {
		r.rank()
		n := r.most
		if left < r.Simulations {
			n = max(2, (len(r.candidates)+1)/2)
		}
		r.candidates = r.candidates[:n]
		r.rounds = max(1, r.Simulations/(r.phases*n))
	}
	r.rounds--
	return r.candidates[:min(left, len(r.candidates))]
}

// add adds the shares of the win [P] of a simulation from an edge.
func (r *Gumbel) add(e int32, share []float64) {
	r.visits[e]++
	sum := r.sum[int(e)*len(share):]
	for j, x := range share {
		sum[j] += x
	}
}

// rank sorts the candidates by noise + logit + q/τ (eq. 6), ties to the first edge.
func (r *Gumbel) rank() {
	r.complete()
	p := len(r.Value)
	score := func(e int32) float64 {
		return r.noise[e] + r.Logit[e] + r.Q[int(e)*p+int(r.Mover)]/r.Temperature
	}
	slices.SortFunc(r.candidates, func(a, b int32) int {
		return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(a, b))
	})
}

// complete computes the shares of the win of all edges: the means of their simulations,
// and where there are none a mixture of the network's value with those means, weighted
// by the policy (eq. 33).
func (r *Gumbel) complete() {
	p := len(r.Value)
	clear(r.mixed)
	visits, weight := 0.0, 0.0
	for e, n := range r.visits {
		if n > 0 {
			visits += n
			weight += r.prior[e]
			for j := range r.mixed {
				r.mixed[j] += r.prior[e] * r.sum[e*p+j] / n
			}
		}
	}
	for j, v := range r.Value {
		if weight > 0 {
			v = (v + visits*r.mixed[j]/weight) / (1 + visits)
		}
		r.mixed[j] = v
	}
	for e, n := range r.visits {
		q := r.Q[e*p:][:p]
		if copy(q, r.mixed); n > 0 {
			for j := range q {
				q[j] = r.sum[e*p+j] / n
			}
		}
	}
}

// Result ends the search. It returns the index of the action to take, and fills value [P]
// with the shares of the win of the root under the improved policy π′ = softmax(logits + q/τ)
// (eq. 11).
func (r *Gumbel) Result(value []float64) (best int) {
	r.rank()
	p := len(r.Value)
	for e := range r.prob {
		r.prob[e] = r.Logit[e] + r.Q[e*p+int(r.Mover)]/r.Temperature
	}
	_, sum := models.SoftmaxTerms(r.prob, r.prob)
	clear(value)
	for e, w := range r.prob {
		for j := range value {
			value[j] += float64(w * r.Q[e*p+j])
		}
	}
	for j := range value {
		value[j] /= sum
	}
	return int(r.candidates[0])
}
