package ppo

import (
	"context"
	"math"

	"marsgym/env/game"
	"marsgym/internal/kernel/elementary"
	"marsgym/internal/parallel"
	"marsgym/internal/random"
	"marsgym/models"
	"marsgym/train/method"
)

// block is a range of a rollout's decisions, of blockLen at most. Minibatches are drawn by the
// block, since drawing single decisions would mostly wait for memory. If the rollout has at
// least as many rows, the decisions are of different games.
type block struct{ rollout, from, to int32 }

const blockLen = 16 // chosen: longer is not faster

// fit passes over the rollouts in minibatches, in an order drawn from the run's
// stream, and returns the mean losses.
func (r *PPO) fit(ctx context.Context, rate, entropy float64) (total method.Losses, err error) {
	scale := normaliser(r.rollouts)
	all := r.order[:0]
	for k, p := range r.rollouts {
		for at, n := 0, len(p.mover); at < n; at += blockLen {
			all = append(all, block{int32(k), int32(at), int32(min(at+blockLen, n))})
		}
	}
	r.order = all
	size := (r.cfg.Minibatch + blockLen - 1) / blockLen
	for range r.cfg.Epochs {
		for i := len(all) - 1; i > 0; i-- {
			j := random.Below(&r.stream, i+1)
			all[i], all[j] = all[j], all[i]
		}
		for rest := all; len(rest) > 0; {
			n := size
			if len(rest) < size+size/2 {
				n = len(rest) // without a small one at the end
			}
			losses, err := r.step(ctx, rest[:n], scale, rate, entropy)
			if err != nil {
				return total, err
			}
			total.Join(losses)
			rest = rest[n:]
		}
	}
	return total, nil
}

// normaliser returns the function that shifts and scales the advantages of the
// decisions with options to mean 0 and deviation 1.
func normaliser(rollouts []*rollout) func(float32) float32 {
	sums := make([][3]float64, len(rollouts)) // the number, the sum and the sum of squares
	parallel.For(len(rollouts), 1, func(k, _ int) {
		r, s := rollouts[k], &sums[k]
		for at, mover := range r.mover {
			if r.start[at] < r.start[at+1] {
				a := float64(r.adv[at*r.p+int(mover)])
				s[0], s[1], s[2] = s[0]+1, s[1]+a, s[2]+float64(a*a)
			}
		}
	})
	var n, sum, squares float64
	for _, s := range sums {
		n, sum, squares = n+s[0], sum+s[1], squares+s[2]
	}
	mean := sum / max(1, n)
	deviation := math.Sqrt(max(0, squares/max(1, n)-float64(mean*mean))) + 1e-8
	return func(a float32) float32 { return float32((float64(a) - mean) / deviation) }
}

// step fits one minibatch.
func (r *PPO) step(ctx context.Context, bs []block, scale func(float32) float32, rate, entropy float64) (method.Losses, error) {
	t := terms{scale: scale, clip: r.cfg.ClipRange, entropy: entropy, value: r.opt.ValueCoef}
	for _, b := range bs {
		p := r.rollouts[b.rollout]
		for at := b.from; at < b.to; at++ {
			if !p.random[at] {
				t.positions++
			}
			if p.start[at] < p.start[at+1] {
				t.choices++
			}
		}
	}
	shards := make([]models.Shard, parts(len(bs), partBlock))
	parallel.For(len(shards), 1, func(k, _ int) {
		s := &r.shards[k]
		s.fill(bs[len(bs)*k/len(shards):len(bs)*(k+1)/len(shards)], r.rollouts)
		shards[k] = models.Shard{Obs: s.obs, Loss: s.loss(t)}
	})
	norm, err := r.learner.Fit(ctx, shards, rate)
	var losses method.Losses
	losses.GradNorm.Add(norm)
	for _, s := range r.shards[:len(shards)] {
		losses.Join(s.losses)
	}
	return losses, err
}

// terms are what the loss of a minibatch depends on beside the rollouts.
type terms struct {
	positions, choices   float64 // decisions that are not of openings, and those with options
	scale                func(float32) float32
	clip, entropy, value float64
}

// shard is a shard of a minibatch.
type shard struct {
	obs         *models.Observations
	rollouts    []*rollout
	blocks      []block
	first       []int     // of each block: the row of obs of its first decision
	bySeat      []float32 // [P] the target of one decision
	target      []float32 // [P] in the order of play
	probs, logs []float64 // of its options
	losses      method.Losses
}

// fill lays out blocks of rollouts.
func (s *shard) fill(bs []block, rollouts []*rollout) {
	s.obs.Reset()
	s.blocks, s.rollouts, s.first = bs, rollouts, s.first[:0]
	s.bySeat, s.target = resize(s.bySeat, rollouts[0].p), resize(s.target, rollouts[0].p)
	s.losses = method.Losses{} // not in loss, which is not called for a shard without rows
	for _, b := range bs {
		r := rollouts[b.rollout]
		s.first = append(s.first, s.obs.Len())
		s.obs.AppendRange(r.obs, r.row(int(b.from)), r.row(int(b.to)))
	}
}

// loss returns the gradient of PPO's loss with respect to the network's outputs. The
// loss is a mean over the n decisions of the minibatch that are not of openings, its
// first two terms over the c that have options:
//
//	L = −min(ρ·A, clip(ρ, 1−ε, 1+ε)·A) − h·H + v·½Σ_p (V[p] − G[p])²
//
// with ρ the ratio of the probability of the move to that when it was played, H the
// entropy of the policy and G the targets of the values.
//
// Source: Schulman et al., arXiv:1707.06347, eq. 7 and 9.
func (s *shard) loss(t terms) func(policy, values, dpolicy, dvalues []float32) {
	n, c := max(1, t.positions), max(1, t.choices)
	return func(policy, values, dpolicy, dvalues []float32) {
		l := &s.losses
		for k, b := range s.blocks {
			r := s.rollouts[b.rollout]
			for at := int(b.from); at < int(b.to); at++ {
				if r.random[at] {
					continue
				}
				row, v := s.first[k]+r.row(at)-r.row(int(b.from)), at*r.p
				for j := range s.bySeat {
					s.bySeat[j] = r.value[v+j] + r.adv[v+j]
				}
				game.MoverOrder(s.target, s.bySeat, r.mover[at])
				l.Value.N++
				for j, target := range s.target {
					e := float64(values[row*r.p+j] - target)
					l.Value.Sum += float64(e * e / 2)
					dvalues[row*r.p+j] = float32(t.value * e / n)
				}
				if r.start[at] == r.start[at+1] {
					continue
				}
				s.probs, s.logs = r.softmax(s.probs, s.logs, policy, row, at)
				move := int(r.chosen[at] - r.start[at])
				log := s.logs[move] - float64(r.logp[at])
				ratio, a := elementary.Exp(log), float64(t.scale(r.adv[v+int(r.mover[at])]))
				slope, clipped := -ratio*a, 0.0 // slope of the loss in the move's log-probability
				if ratio > 1+t.clip && a > 0 || ratio < 1-t.clip && a < 0 {
					slope, clipped = 0, 1
				}
				h := 0.0
				for j, p := range s.probs {
					if p > 0 {
						h -= float64(p * s.logs[j])
					}
				}
				l.Policy.Add(-min(ratio*a, min(max(ratio, 1-t.clip), 1+t.clip)*a))
				l.Entropy.Add(h)
				l.KL.Add(ratio - 1 - log)
				l.Clipped.Add(clipped)
				for j, p := range s.probs {
					g := float64(-slope * p)
					if j == move {
						g += slope
					}
					if p > 0 {
						g += float64(t.entropy * p * (s.logs[j] + h))
					}
					dpolicy[r.output(row, at, r.start[at]+int32(j))] = float32(g / c)
				}
			}
		}
	}
}
