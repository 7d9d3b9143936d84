package train

import (
	"slices"

	"marsgym/env/game"
	"marsgym/internal/kernel/elementary"
	"marsgym/models"
	"marsgym/train/expert"
)

// expertLoss returns the gradient of the loss of targets that are laid out, with respect to the
// network's outputs, and adds to losses whenever that is called. The terms are means over the n
// values and the m decisions of all shards:
//
//	L = −v·Σ_p G[p]·log V[p] + Σ_a π*(a)·log(π*(a)/π(a))
//
// with G the target of the shares of the win and π* the target of the policy (see
// [expert.Targets.LayOut]). The second term is left out unless withPolicy is set.
func expertLoss(t *expert.Targets, losses *Losses, spec game.Spec, head models.Head, n, m int, value float64, withPolicy bool) func(policy, values, dpolicy, dvalues []float32) {
	positions, share := len(t.Value)/spec.Players, make([]float64, spec.Players)
	var probs []float64
	return func(policy, values, dpolicy, dvalues []float32) {
		for i, want := range t.Value {
			if spec.HasWin() {
				break
			}
			e := float64(values[i] - want)
			losses.Value.Sum += float64(e * e / 2)
			dvalues[i] = float32(value * e / float64(n))
		}
		for i := 0; i < len(t.Value) && spec.HasWin(); i += len(share) {
			models.SharesOf(share, values[i:])
			// The logarithm of a share is its value minus total.
			total := float64(slices.Max(values[i:i+len(share)])) - elementary.Log(slices.Max(share))
			for j, x := range share {
				want := spec.WinShare(float64(t.Value[i+j]))
				e := x - want
				losses.Value.Sum += float64(e * e / 2)
				if want > 0 {
					losses.ValueKL.Sum += float64(want * (elementary.Log(want) - float64(values[i+j]) + total))
				}
				dvalues[i+j] = float32(value * e / float64(n))
			}
		}
		losses.Value.N += float64(positions)
		if spec.HasWin() {
			losses.ValueKL.N += float64(positions)
		}
		if !withPolicy {
			return
		}
		for i, from := range t.Start[:len(t.Start)-1] {
			to := t.Start[i+1]
			at := func(k int32) int { // in the head's output
				if head == models.Score {
					return positions + int(k)
				}
				row := positions + i
				if len(t.Row) > 0 {
					row = int(t.Row[i])
				}
				return row*spec.Actions + int(t.Action[k])
			}
			probs = probs[:0]
			for k := from; k < to; k++ {
				probs = append(probs, float64(policy[at(k)]))
			}
			models.Softmax(probs, probs)
			losses.Policy.N++
			losses.Entropy.N++
			for k := from; k < to; k++ {
				q, want := probs[k-from], t.Policy[k]
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
