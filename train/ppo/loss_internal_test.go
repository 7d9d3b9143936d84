// In package ppo for the rollouts behind a minibatch.
package ppo

import (
	"math"
	"math/rand/v2"
	"testing"

	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/models/losstest"
	"marsgym/train/method"
)

// documented is the loss of a minibatch of PPO, straight from the documentation of [shard.loss],
// for games of three with opponents and openings.
type documented struct {
	*PPO
	entropy         float64
	mean, deviation float64 // of the advantages of the decisions with options
	n, c            float64 // decisions of the minibatch that are not of openings, and those with options
	kinks           map[kink]int
	sums            method.Losses
}

// kink is on which side of the clip a decision lies.
type kink struct {
	side int // of 1−ε and 1+ε: −1 below, 1 above, else 0
	good bool
}

func newDocumented(r *PPO, entropy float64, blocks []block) *documented {
	d := &documented{PPO: r, entropy: entropy, kinks: map[kink]int{}}
	var all []float64
	for _, p := range r.rollouts {
		for at, mover := range p.mover {
			if p.start[at] < p.start[at+1] {
				all = append(all, float64(p.adv[at*p.p+int(mover)]))
			}
		}
	}
	for _, a := range all {
		d.mean += a / float64(len(all))
	}
	for _, a := range all {
		d.deviation += (a - d.mean) * (a - d.mean) / float64(len(all))
	}
	d.deviation = math.Sqrt(d.deviation)
	for _, b := range blocks {
		p := r.rollouts[b.rollout]
		for at := b.from; at < b.to; at++ {
			if !p.random[at] {
				d.n++
			}
			if p.start[at] < p.start[at+1] {
				d.c++
			}
		}
	}
	return d
}

// formula returns the loss of the shard with these blocks. It counts kinks and adds to sums
// when it is called for the first time.
func (d *documented) formula(blocks []block) losstest.Formula {
	first := true
	return func(policy, values []float64) (loss float64) {
		row := 0
		for _, b := range blocks {
			p := d.rollouts[b.rollout]
			actions := p.spec.Actions
			for at := int(b.from); at < int(b.to); at++ {
				options := p.option[p.start[at]:p.start[at+1]]
				here := row
				row++
				if p.head == models.Score {
					row += len(options)
				}
				if p.random[at] {
					continue
				}
				mover := int(p.mover[at])
				squares := 0.0
				for k := range p.p {
					seat := at*p.p + (mover+k)%p.p
					e := values[here*p.p+k] - float64(p.value[seat]+p.adv[seat])
					squares += e * e / 2
				}
				loss += d.opt.ValueCoef * squares / d.n
				if first {
					d.sums.Value.Add(squares)
				}
				if len(options) == 0 {
					continue
				}
				var scores []float64
				for k, a := range options {
					out := here + 1 + k
					if p.head == models.Logits {
						out = here*actions + int(a)
					}
					scores = append(scores, policy[out])
				}
				logs := losstest.LogSoftmax(scores)
				entropy := 0.0
				for _, l := range logs {
					entropy -= math.Exp(l) * l
				}
				ε := d.cfg.ClipRange
				log := logs[p.chosen[at]-p.start[at]] - float64(p.logp[at])
				ratio := math.Exp(log)
				a := (float64(p.adv[at*p.p+mover]) - d.mean) / d.deviation
				objective := math.Min(ratio*a, math.Min(math.Max(ratio, 1-ε), 1+ε)*a)
				loss += (-objective - d.entropy*entropy) / d.c
				if first {
					k := kink{good: a > 0}
					if ratio < 1-ε {
						k.side = -1
					} else if ratio > 1+ε {
						k.side = 1
					}
					d.kinks[k]++
					clipped := 0.0
					if k.side > 0 && k.good || k.side < 0 && !k.good {
						clipped = 1
					}
					d.sums.Clipped.Add(clipped)
					d.sums.Policy.Add(-objective)
					d.sums.Entropy.Add(entropy)
					d.sums.KL.Add(ratio - 1 - log)
				}
			}
		}
		first = false
		return loss
	}
}

// TestLoss compares the gradients of whole minibatches with differences of the documented
// formula, at ratios below, within and above the clip, and the sums that are reported with theirs.
// The games have three seats, openings, opponents and decisions without a choice.
func TestLoss(t *testing.T) {
	for _, head := range []models.Head{models.Score, models.Logits} {
		t.Run(string(head), func(t *testing.T) {
			g := testgames.Open(t, "pig", 3, `{"target": 30}`)
			learner, err := gorgonia.New(network(t, g, head), models.DefaultAdam())
			if err != nil {
				t.Fatal(err)
			}
			cfg := Config{Horizon: 16, Minibatch: 160, Epochs: 1, Gamma: 1, Lambda: 0.85, ClipRange: 0.2, EntropyCoef: method.Schedule{0.1}}
			opt := Options{
				Seed: 1, Rows: 40, LearningRate: func(float64) float64 { return 1e-3 }, ValueCoef: 0.5,
				Openings:  Openings{Decisions: 8, Fraction: 0.5},
				Opponents: method.Opponents{Fraction: 0.5, Bots: method.Bots{"random": 1}},
			}
			l := &losstest.Learner{Learner: learner}
			r, err := New(cfg, opt, g, l)
			if err != nil {
				t.Fatal(err)
			}
			dice := rand.New(rand.NewPCG(1, 1))
			var minibatches, openings, opponents int
			kinks := map[kink]int{}
			l.OnFit = func(shards []models.Shard) {
				if minibatches++; minibatches == 1 {
					for _, p := range r.rollouts {
						for at := range p.logp { // some ratios near 1
							p.logp[at] += float32(dice.Float64() - 0.5)
							if p.random[at] {
								openings++
							} else if p.start[at] == p.start[at+1] {
								opponents++
							}
						}
					}
				}
				var all []block
				for k := range shards {
					all = append(all, r.shards[k].blocks...)
				}
				d := newDocumented(r, 0.1, all)
				var got method.Losses
				for k, shard := range shards {
					policy := make([]float32, shard.Len()*learner.MLP().Shape().PolicyWidth())
					values := make([]float32, shard.Len()*g.Spec().Players)
					for _, x := range [][]float32{policy, values} {
						for i := range x {
							x[i] = float32(dice.NormFloat64()) / 2
						}
					}
					if err := losstest.Check(shard, d.formula(r.shards[k].blocks), policy, values, 2e-6); err != nil {
						t.Errorf("minibatch %d, shard %d: %v", minibatches, k, err)
					}
					got.Join(r.shards[k].losses)
				}
				for _, x := range []struct {
					name      string
					n         float64
					got, want method.Mean
				}{
					{"policy", d.c, got.Policy, d.sums.Policy}, {"value", d.n, got.Value, d.sums.Value}, {"entropy", d.c, got.Entropy, d.sums.Entropy},
					{"KL", d.c, got.KL, d.sums.KL}, {"clipped", d.c, got.Clipped, d.sums.Clipped},
				} {
					if x.got.N != x.n || x.want.N != x.n || !(math.Abs(x.got.Sum-x.want.Sum) <= 1e-4) {
						t.Errorf("minibatch %d: %s is a mean of %v; want %v of %v terms", minibatches, x.name, x.got, x.want, x.n)
					}
				}
				for k, n := range d.kinks {
					kinks[k] += n
				}
			}
			if _, err := r.Iterate(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			if minibatches != 4 || openings == 0 || opponents == 0 {
				t.Errorf("%d minibatches, with %d decisions of openings and %d of opponents; want 4, and some of both", minibatches, openings, opponents)
			}
			for _, side := range []int{-1, 0, 1} {
				for _, good := range []bool{false, true} {
					if kinks[kink{side, good}] < 5 {
						t.Errorf("%d decisions on side %d of the clip with an advantage above 0: %v; want some", kinks[kink{side, good}], side, good)
					}
				}
			}
		})
	}
}
