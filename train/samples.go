package train

import (
	"slices"

	"marsgym/env/game"
	"marsgym/internal/kernel/elementary"
	"marsgym/models"
	"marsgym/train/expert"
)

// samples are what the network is fitted to: the targets of the search of a part of the
// rows, laid out for the network.
type samples struct {
	obs   *models.Observations // [n+m, D] the rows to fit: values first, then decisions or their options
	value []float32            // [n, P] target values, in the order of play from the viewer

	// Decisions: the options of decision i are start[i] to start[i+1].
	row    []int32       // [m] the decisions as rows of obs; empty where decisions have rows of their own
	start  []int32       // [m+1]
	action []game.Action // [k]
	policy []float64     // [k] target probabilities of the options

	steps     uint64 // decisions taken
	games     uint64 // ended
	evaluated uint64 // rows that the network evaluated

	scores, prob []float64
	share        []float64 // [P]
}

func newSamples(spec game.Spec) samples {
	return samples{obs: models.NewObservations(spec.ObsLen(), nil), share: make([]float64, spec.Players)}
}

// values returns n, and decisions m.
func (s *samples) values() int    { return len(s.value) / len(s.share) }
func (s *samples) decisions() int { return len(s.start) - 1 }

// fill lays out targets, whose slices it keeps, and computes those of the policy.
func (s *samples) fill(l *expert.Targets, spec game.Spec, head models.Head, temperature float64) {
	s.value, s.row, s.start, s.action = l.Value, l.Row, l.Start, l.Action
	s.steps, s.games = uint64(l.Decisions), uint64(l.Games)
	s.obs.Reset()
	options := l.AfterObs
	if head == models.Logits {
		options = l.DecisionObs
	}
	for _, o := range []*models.Observations{l.Obs, options} {
		if o != nil {
			s.obs.AppendRange(o, 0, o.Len())
		}
	}
	s.policy = s.policy[:0]
	for i, from := range s.start[:len(s.start)-1] {
		s.scores = s.scores[:0]
		for _, w := range l.ActionValue[from:s.start[i+1]] {
			x := float64(w)
			if spec.HasWin() {
				x = spec.WinShare(x)
			}
			s.scores = append(s.scores, x/temperature)
		}
		if l.Logit != nil {
			for k, x := range l.Logit[from:s.start[i+1]] {
				s.scores[k] += float64(x)
			}
		}
		at := len(s.policy)
		s.policy = append(s.policy, s.scores...)
		models.Softmax(s.policy[at:], s.scores)
	}
}

// loss returns the gradient of the loss with respect to the network's outputs, and adds
// to losses whenever that is called. The
// terms are means over the n values and the m decisions of all shards:
//
//	L = −v·Σ_p G[p]·log V[p] + Σ_a π*(a)·log(π*(a)/π(a))
//
// with G the target of the shares of the win and π* ∝ exp(Q/τ) the target of the
// policy, or π* ∝ exp(logits + Q/τ) of [Search]. The second term is left out unless withPolicy is set.
func (s *samples) loss(losses *Losses, spec game.Spec, head models.Head, n, m int, value float64, withPolicy bool) func(policy, values, dpolicy, dvalues []float32) {
	return func(policy, values, dpolicy, dvalues []float32) {
		for i, want := range s.value {
			if spec.HasWin() {
				break
			}
			e := float64(values[i] - want)
			losses.Value.Sum += float64(e * e / 2)
			dvalues[i] = float32(value * e / float64(n))
		}
		for i := 0; i < len(s.value) && spec.HasWin(); i += len(s.share) {
			models.SharesOf(s.share, values[i:])
			// The logarithm of a share is its value minus total.
			total := float64(slices.Max(values[i:i+len(s.share)])) - elementary.Log(slices.Max(s.share))
			for j, x := range s.share {
				want := spec.WinShare(float64(s.value[i+j]))
				e := x - want
				losses.Value.Sum += float64(e * e / 2)
				if want > 0 {
					losses.ValueKL.Sum += float64(want * (elementary.Log(want) - float64(values[i+j]) + total))
				}
				dvalues[i+j] = float32(value * e / float64(n))
			}
		}
		losses.Value.N += float64(s.values())
		if spec.HasWin() {
			losses.ValueKL.N += float64(s.values())
		}
		if !withPolicy {
			return
		}
		first := s.values() // the row of the first decision that has one of its own, or of its first option
		for i, from := range s.start[:len(s.start)-1] {
			to := s.start[i+1]
			at := func(k int32) int { // in the head's output
				if head == models.Score {
					return first + int(k)
				}
				row := first + i
				if len(s.row) > 0 {
					row = int(s.row[i])
				}
				return row*spec.Actions + int(s.action[k])
			}
			s.scores = s.scores[:0]
			for k := from; k < to; k++ {
				s.scores = append(s.scores, float64(policy[at(k)]))
			}
			s.prob = append(s.prob[:0], s.scores...)
			models.Softmax(s.prob, s.scores)
			losses.Policy.N++
			losses.Entropy.N++
			for k := from; k < to; k++ {
				q, want := s.prob[k-from], s.policy[k]
				if want > 0 {
					losses.Policy.Sum += float64(want * elementary.Log(want/max(q, 1e-300)))
				}
				if q > 0 {
					losses.Entropy.Sum -= float64(q * elementary.Log(q))
				}
				dpolicy[at(k)] = float32((q - want) / float64(m))
			}
		}
	}
}
