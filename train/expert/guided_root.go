package expert

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/internal/elementary"
)

// root divides the simulations of a tree among the n edges of its root, and derives
// what the search found from the shares of the win that the simulations returned.
// Equations are those of Danihelka et al. (see [tree]).
type root struct {
	simulations int     // in all
	left        int     // still to start
	candidates  []int32 // edges not yet rejected, those preferred at the last halving first
	most        int     // candidates of the first phase of the halving
	phases      int
	rounds      int // of this phase that are still to start

	mover game.Player
	logit []float64 // [n] of the policy
	noise []float64 // [n] Gumbel
	value []float64 // [P] the network's shares of the win
	sum   []float64 // [n, P] of the shares of the win of simulations
	mixed []float64 // [P] the value of an edge without a simulation
	q     []float64 // [n, P] completed shares of the win
	prob  []float64 // [n] improved policy
}

// reset prepares for n edges and p seats, of which so many are candidates at most.
func (r *root) reset(n, p, simulations, candidates int) {
	r.simulations, r.left = simulations, simulations
	r.candidates = core.Resize(r.candidates, n)
	r.most = min(n, candidates)
	r.phases = bits.Len(uint(r.most - 1)) // log₂, rounded up
	r.rounds = 0
	r.logit, r.noise, r.prob = core.Resize(r.logit, n), core.Resize(r.noise, n), core.Resize(r.prob, n)
	r.sum, r.q = core.Resize(r.sum, n*p), core.Resize(r.q, n*p)
	r.value, r.mixed = core.Resize(r.value, p), core.Resize(r.mixed, p)
	clear(r.sum)
	for e := range r.candidates {
		r.candidates[e] = int32(e)
	}
}

// begin chooses the candidates when the network has evaluated the root: the edges of a
// sample without replacement from its policy, with logits [A] and shares of the win [P].
func (r *root) begin(edges []edge, mover game.Player, logits []float32, share []float64, dice *rand.PCG) {
	r.mover = mover
	copy(r.value, share)
	for i := range r.noise {
		r.logit[i] = float64(logits[edges[i].action])
		r.noise[i] = -elementary.Log(-elementary.Log(max(core.Uniform(dice), 1e-300)))
	}
}

// nextRound returns the candidates that have a simulation in the next round. After
// each phase it rejects half of them, but not the last two.
//
// Source: Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed
// bandits", ICML 2013.
func (r *root) nextRound(edges []edge, temperature float64) []int32 {
	if r.rounds == 0 {
		r.rank(edges, temperature)
		n := r.most
		if r.left < r.simulations {
			n = max(2, (len(r.candidates)+1)/2)
		}
		r.candidates = r.candidates[:n]
		r.rounds = max(1, r.simulations/(r.phases*n))
	}
	r.rounds--
	n := min(r.left, len(r.candidates))
	r.left -= n
	return r.candidates[:n]
}

// add adds the shares of the win [P] of a simulation from an edge.
func (r *root) add(e int32, share []float64) {
	sum := r.sum[int(e)*len(share):]
	for j, x := range share {
		sum[j] += x
	}
}

// rank sorts the candidates by noise + logit + q/τ (eq. 6), ties to the first edge.
func (r *root) rank(edges []edge, temperature float64) {
	r.complete(edges)
	p := len(r.value)
	score := func(e int32) float64 { return r.noise[e] + r.logit[e] + r.q[int(e)*p+int(r.mover)]/temperature }
	slices.SortFunc(r.candidates, func(a, b int32) int {
		return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(a, b))
	})
}

// complete computes the shares of the win of all edges: the means of their simulations,
// and where there are none a mixture of the network's value with those means, weighted
// by the policy (eq. 33).
func (r *root) complete(edges []edge) {
	p := len(r.value)
	clear(r.mixed)
	visits, weight := 0.0, 0.0
	for e := range r.logit {
		if n := float64(edges[e].visits); n > 0 {
			w := float64(edges[e].prior)
			visits += n
			weight += w
			for j := range r.mixed {
				r.mixed[j] += w * r.sum[e*p+j] / n
			}
		}
	}
	for j, v := range r.value {
		if weight > 0 {
			v = (v + visits*r.mixed[j]/weight) / (1 + visits)
		}
		r.mixed[j] = v
	}
	for e := range r.logit {
		q := r.q[e*p:][:p]
		if copy(q, r.mixed); edges[e].visits > 0 {
			for j := range q {
				q[j] = r.sum[e*p+j] / float64(edges[e].visits)
			}
		}
	}
}

// result ends the search. It returns the edge to take, and fills value [P] with the
// shares of the win of the root under the improved policy π′ = softmax(logits + q/τ)
// (eq. 11).
func (r *root) result(edges []edge, temperature float64, value []float64) (best int32) {
	r.rank(edges, temperature)
	p, most, sum := len(r.value), math.Inf(-1), 0.0
	for e := range r.prob {
		r.prob[e] = r.logit[e] + r.q[e*p+int(r.mover)]/temperature
		most = max(most, r.prob[e])
	}
	clear(value)
	for e, x := range r.prob {
		w := elementary.Exp(x - most)
		sum += w
		for j := range value {
			value[j] += float64(w * r.q[e*p+j])
		}
	}
	for j := range value {
		value[j] /= sum
	}
	return r.candidates[0]
}
