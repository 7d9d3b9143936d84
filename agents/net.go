package agents

import (
	"slices"
	"sync"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/parallel"
	"marsgym/models"
)

// NewNet returns the policy of a network: its best action, ties to the lowest index,
// or with sample the softmax of its logits or scores.
func NewNet(spec game.Spec, mlp *models.MLP, sample bool) env.Policy {
	n := &net{mlp: mlp, actions: spec.Actions, sample: sample}
	if mlp.Shape().Head == models.Score {
		return &scorer{n}
	}
	return n
}

// net is a network with a logit for each action.
type net struct {
	mlp     *models.MLP
	actions int
	sample  bool
	scratch sync.Pool // of *[]float32
	sparse  sync.Pool // of *models.Observations
}

// choose turns the logits or scores [k] of the options of a decision into
// probabilities [k].
func (n *net) choose(probs, scores []float64) {
	models.Choose(probs, scores, []uint32{0, uint32(len(scores))}, !n.sample)
}

// forward returns the outputs [n, K] of the policy head for observations [n, D]. The
// caller puts them back into scratch.
func (n *net) forward(obs []float32) *[]float32 {
	out := n.buffer(len(obs) / n.mlp.Shape().Obs)
	n.mlp.Forward(*out, nil, obs)
	return out
}

// forwardSparse is forward for observations that add appends.
func (n *net) forwardSparse(add func(obs *models.Observations)) *[]float32 {
	obs, _ := n.sparse.Get().(*models.Observations)
	if obs == nil {
		obs = models.NewObservations(n.mlp.Shape().Obs, nil)
	}
	defer n.sparse.Put(obs)
	obs.Reset()
	add(obs)
	out := n.buffer(obs.Len())
	n.mlp.ForwardObservations(*out, nil, obs, 0, obs.Len())
	return out
}

// buffer returns memory for the outputs of the policy head for that number of rows. The
// caller puts it back into scratch.
func (n *net) buffer(rows int) *[]float32 {
	out, _ := n.scratch.Get().(*[]float32)
	if out == nil {
		out = new([]float32)
	}
	need := rows * n.mlp.Shape().PolicyWidth()
	*out = slices.Grow((*out)[:0], need)[:need]
	return out
}

// Probs implements [env.Policy].
func (n *net) Probs(dst []float64, d env.Decisions) error {
	// The number of decisions encoded and evaluated together: they are still in the cache
	// when the network reads them. Measured, for scorers.
	const size = 256
	mask, k := d.Mask(), n.mlp.Shape().Obs
	var obs []float32
	if !d.Sparse() {
		obs = d.Obs()
	}
	clear(dst)
	parallel.For(d.Len(), size, func(from, to int) {
		var out *[]float32
		if obs == nil {
			out = n.forwardSparse(func(obs *models.Observations) {
				var numbers []game.Element
				for i := from; i < to; i++ {
					numbers = d.AppendSparse(numbers[:0], i)
					obs.AppendSparse(numbers)
				}
			})
		} else {
			out = n.forward(obs[from*k : to*k])
		}
		defer n.scratch.Put(out)
		probs, scores := make([]float64, n.actions), make([]float64, n.actions)
		for i := from; i < to; i++ {
			scores = scores[:0]
			for a, legal := range mask[i*n.actions : (i+1)*n.actions] {
				if legal {
					scores = append(scores, float64((*out)[(i-from)*n.actions+a]))
				}
			}
			n.choose(probs[:len(scores)], scores)
			option := 0
			for a, legal := range mask[i*n.actions : (i+1)*n.actions] {
				if legal {
					dst[i*n.actions+a] = probs[option]
					option++
				}
			}
		}
	})
	return nil
}

// scorer is a network that scores afterstates.
type scorer struct{ *net }

// Score implements [env.AfterstateScorer].
func (s *scorer) Score(dst []float64, obs []float32) error {
	out := s.forward(obs)
	defer s.scratch.Put(out)
	for i, x := range *out {
		dst[i] = float64(x)
	}
	return nil
}

// ScoreSparse implements [env.SparseScorer].
func (s *scorer) ScoreSparse(dst []float64, start []int, numbers []game.Element) error {
	out := s.forwardSparse(func(obs *models.Observations) {
		for i, from := range start[:len(start)-1] {
			obs.AppendSparse(numbers[from:start[i+1]])
		}
	})
	defer s.scratch.Put(out)
	for i, x := range *out {
		dst[i] = float64(x)
	}
	return nil
}

// Greedy implements [env.AfterstateScorer].
func (s *scorer) Greedy() bool { return !s.sample }

// Choose implements [env.AfterstateScorer].
func (s *scorer) Choose(probs, scores []float64, first []uint32) {
	models.Choose(probs, scores, first, !s.sample)
}

// Probs implements [env.Policy].
func (s *scorer) Probs(dst []float64, d env.Decisions) error {
	after := d.Afterstates()
	out := s.buffer(len(after.Action))
	defer s.scratch.Put(out)
	s.mlp.ForwardNear(*out, nil, after.Obs, after.Start)
	scores := make([]float64, len(*out))
	for i, x := range *out {
		scores[i] = float64(x)
	}
	env.ChooseProbs(s, dst, d, scores)
	return nil
}
