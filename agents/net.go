package agents

import (
	"slices"
	"sync"

	"marsgym/env"
	"marsgym/env/game"
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
	out := n.forward(d.Obs())
	defer n.scratch.Put(out)
	mask := d.Mask()
	clear(dst)
	probs, scores := make([]float64, n.actions), make([]float64, n.actions)
	for i := range d.Len() {
		scores = scores[:0]
		for a, legal := range mask[i*n.actions : (i+1)*n.actions] {
			if legal {
				scores = append(scores, float64((*out)[i*n.actions+a]))
			}
		}
		n.choose(probs[:len(scores)], scores)
		k := 0
		for a, legal := range mask[i*n.actions : (i+1)*n.actions] {
			if legal {
				dst[i*n.actions+a] = probs[k]
				k++
			}
		}
	}
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
	obs, _ := s.sparse.Get().(*models.Observations)
	if obs == nil {
		obs = models.NewObservations(s.mlp.Shape().Obs, nil)
	}
	defer s.sparse.Put(obs)
	obs.Reset()
	for i, from := range start[:len(start)-1] {
		obs.AppendSparse(numbers[from:start[i+1]])
	}
	out := s.buffer(obs.Len())
	defer s.scratch.Put(out)
	s.mlp.ForwardObservations(*out, nil, obs, 0, obs.Len())
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
