package train

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"marsgym/agents"
	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/elementary"
	"marsgym/internal/parallel"
	"marsgym/internal/random"
	"marsgym/models"
)

// ppo is proximal policy optimisation: the network plays itself, and the
// probabilities of moves that turned out better than its values predicted rise, by a
// bounded ratio in each iteration.
//
// Source: Schulman et al., arXiv:1707.06347.
type ppo struct {
	cfg       *Config
	learner   models.Learner
	rollouts  []*rollout // of each shard of the rows
	pool      *pool
	shards    []shard // of a minibatch
	order     []block
	stream    rand.PCG
	untrained []models.Tensor // the state of the learner when the run begins
}

// newPPO returns PPO. If frozen is not nil, it has all seats but one in every row.
func newPPO(cfg *Config, g env.Game, l models.Learner, frozen *agents.Agent) (*ppo, error) {
	r := &ppo{cfg: cfg, learner: l, shards: make([]shard, cfg.Shards)}
	r.stream.Seed(cfg.Seed, shuffleStream)
	for k := range cfg.Shards {
		r.shards[k].obs = models.NewObservations(g.Spec().ObsLen(), nil)
		from, to := cfg.Rows*k/cfg.Shards, cfg.Rows*(k+1)/cfg.Shards
		b := g.NewBatch(to-from, from)
		b.Reset(cfg.Seed)
		r.rollouts = append(r.rollouts, newRollout(b, cfg.Head, cfg.PPO.Horizon, cfg.PPO.Outcomes))
	}
	var err error
	if r.pool, err = newPool(cfg.Opponents, g, r.rollouts, frozen); err != nil {
		return nil, err
	}
	for _, p := range r.rollouts {
		p.openings = newOpenings(cfg.Openings, p.batch.Buffers())
	}
	if r.pool.cfg.Population > 0 {
		r.untrained = l.State()
		err = r.restart(0)
	}
	return r, err
}

// restart gives the learner the first weights of number k of the population, or of the
// network itself.
func (r *ppo) restart(k int) error {
	mlp, stream := r.learner.MLP(), uint64(weightStream)
	if k < r.pool.cfg.Population {
		stream = populationStream + uint64(k)
	}
	first, err := models.NewMLP(mlp.Shape(), rand.NewPCG(r.cfg.Seed, stream))
	if err != nil {
		return err
	}
	copy(mlp.Weights(), first.Weights())
	return r.learner.Restore(r.untrained)
}

// iterate implements method. It plays a rollout and fits the network to it, which
// takes a moment, even if ctx is done. Only opponents that search may take longer:
// they stop when ctx is done, and iterate restores the state before the call.
func (r *ppo) iterate(ctx context.Context, x float64) (Metrics, error) {
	cfg := r.cfg
	mlp := r.learner.MLP()
	before := map[string][]byte{}
	if r.pool.stops {
		if err := r.save(before); err != nil {
			return Metrics{}, err
		}
	}
	k, x := r.pool.cfg.stage(x)
	for r.pool.Population < k {
		r.pool.join(mlp.Clone())
		if err := r.restart(r.pool.Population); err != nil {
			return Metrics{}, err
		}
	}
	r.pool.begin(mlp, x)
	err := forEach(r.rollouts, func(p *rollout) error { return p.play(ctx, mlp, cfg.PPO.Gamma, cfg.PPO.Lambda) })
	if err != nil {
		if r.pool.stops {
			err = errors.Join(err, r.restore(before))
		}
		return Metrics{}, err
	}
	m := Metrics{LearningRate: cfg.learningRate(x), Decisions: uint64(cfg.Rows) * uint64(cfg.PPO.Horizon)}
	for _, p := range r.rollouts {
		m.Games += p.games
		m.evaluated += uint64(p.obs.Len()) + p.evaluated
	}
	m.Losses, err = r.fit(m.LearningRate, cfg.PPO.EntropyCoef.at(x))
	m.Pool = r.pool.end()
	return m, err
}

// target implements method.
func (p *ppo) target() search.ValueTarget { return search.Decision }

// model implements method.
func (r *ppo) model() *models.MLP {
	mlp, o := r.learner.MLP(), r.pool.cfg
	if !o.ensemble() || !r.pool.complete() {
		return mlp
	}
	networks, weights := []*models.MLP{mlp}, []float32{float32(1 - float64(float64(o.Population)*o.PopulationSteps))}
	for _, m := range r.pool.mlp[:o.Population] {
		networks, weights = append(networks, m), append(weights, float32(o.PopulationSteps))
	}
	mean, err := models.Mean(networks, weights)
	if err != nil {
		panic(err) // Config.Check has seen the shape
	}
	return mean
}

// save implements method.
func (r *ppo) save(blobs map[string][]byte) (err error) {
	if blobs["shuffle"], err = r.stream.MarshalBinary(); err != nil {
		return err
	}
	for k, p := range r.rollouts {
		if blobs[shardBlob(k)], err = p.batch.AppendState(nil); err != nil {
			return err
		}
	}
	return errors.Join(r.pool.save(blobs), saveOpenings(blobs, r.rollouts))
}

// restore implements method.
func (r *ppo) restore(blobs map[string][]byte) error {
	err := errors.Join(r.stream.UnmarshalBinary(blobs["shuffle"]), r.pool.restore(blobs, r.learner.MLP()), restoreOpenings(blobs, r.rollouts))
	for k, p := range r.rollouts {
		err = errors.Join(err, p.batch.RestoreState(blobs[shardBlob(k)]))
	}
	return err
}

// Losses are the means of a minibatch or of many.
type Losses struct {
	// Policy is PPO's clipped objective, negated; of expert iteration, the KL
	// divergence of the policy from its target, in nats.
	Policy float64 `json:"policy_loss"`
	// Value is half the squared error, summed over the seats, as a mean over
	// positions: of returns for PPO, of shares of the win for expert iteration.
	Value    float64 `json:"value_loss"`
	Entropy  float64 `json:"entropy"`   // of decisions with a choice, in nats
	KL       float64 `json:"kl"`        // from the policy that played
	Clipped  float64 `json:"clipped"`   // fraction of decisions at which the ratio was clipped
	GradNorm float64 `json:"grad_norm"` // before clipping

	Pool *PoolMetrics `json:"pool,omitempty"` // nil if the pool is empty

	// valueKL is what expert iteration minimises of the values: the KL divergence
	// of the shares from their targets, in nats.
	valueKL float64

	decisions, choices float64
}

func (l *Losses) add(m Losses) {
	l.Policy += m.Policy
	l.Value += m.Value
	l.Entropy += m.Entropy
	l.KL += m.KL
	l.Clipped += m.Clipped
	l.valueKL += m.valueKL
	l.decisions += m.decisions
	l.choices += m.choices
}

// mean turns sums over decisions into means.
func (l *Losses) mean() {
	d, c := max(1, l.decisions), max(1, l.choices)
	l.Policy /= c
	l.Value /= d
	l.valueKL /= d
	l.Entropy /= c
	l.KL /= c
	l.Clipped /= c
}

// shard is a shard of a minibatch: decisions, laid out for the network as in rollouts.
type shard struct {
	obs    *models.Observations // [n + m, D] or [n, D]
	row    []int32              // [n] of obs
	start  []int32              // [n+1] into index
	index  []int32              // [m] of each option in the policy head's output
	chosen []int32              // [n] into index; -1 without options
	logp   []float32            // [n] of the chosen option, when it was played
	adv    []float32            // [n] of the mover, normalised
	target []float32            // [n, P] of the values, in the order of play
	random []bool               // [n] of an opening, without a loss
	bySeat []float32            // [P] the target of one decision
	losses Losses
	probs  []float64
	logs   []float64 // of probs
}

// block is a range of a rollout's decisions. Minibatches are drawn by the block,
// since drawing single decisions would mostly wait for memory. If the rollout has at
// least as many rows, the decisions are of different games.
type block struct{ rollout, from, to int32 }

// blockLen is the length of a block. Chosen: longer is not faster.
const blockLen = 16

// fill lays out blocks of rollouts.
func (s *shard) fill(bs []block, rollouts []*rollout, scale func(float32) float32) {
	p := rollouts[0].p
	s.obs.Reset()
	s.index, s.start, s.row = s.index[:0], append(s.start[:0], 0), s.row[:0]
	s.chosen, s.logp, s.adv, s.target = s.chosen[:0], s.logp[:0], s.adv[:0], s.target[:0]
	s.random = s.random[:0]
	s.losses = Losses{} // not in loss, which is not called for a shard without rows
	for _, b := range bs {
		r := rollouts[b.rollout]
		s.random = append(s.random, r.random[b.from:b.to]...)
		shift := s.obs.Len() - r.row(int(b.from))
		s.obs.AppendRange(r.obs, r.row(int(b.from)), r.row(int(b.to)))
		for at := int(b.from); at < int(b.to); at++ {
			mover := r.mover[at]
			s.bySeat = s.bySeat[:0]
			for k := at * p; k < (at+1)*p; k++ {
				s.bySeat = append(s.bySeat, r.value[k]+r.adv[k])
			}
			s.target = slices.Grow(s.target, p)[:len(s.target)+p]
			game.MoverOrder(s.target[len(s.target)-p:], s.bySeat, mover)
			s.adv = append(s.adv, scale(r.adv[at*p+int(mover)]))
			s.logp = append(s.logp, r.logp[at])
			lo, hi := r.start[at], r.start[at+1]
			row, chosen := int32(r.row(at)+shift), int32(-1)
			s.row = append(s.row, row)
			if lo < hi {
				chosen = int32(len(s.index)) + r.chosen[at] - lo
			}
			s.chosen = append(s.chosen, chosen)
			for o := lo; o < hi; o++ {
				if r.head == models.Score {
					s.index = append(s.index, row+1+o-lo)
				} else {
					s.index = append(s.index, row*int32(r.spec.Actions)+int32(r.option[o]))
				}
			}
			s.start = append(s.start, int32(len(s.index)))
		}
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
func (s *shard) loss(n, c int, clip, entropy, value float64) func(policy, values, dpolicy, dvalues []float32) {
	return func(policy, values, dpolicy, dvalues []float32) {
		l := &s.losses
		players := len(s.bySeat)
		for i, random := range s.random {
			if random {
				continue
			}
			l.decisions++
			row := int(s.row[i]) * players
			for k, target := range s.target[i*players:][:players] {
				e := float64(values[row+k] - target)
				l.Value += float64(e * e / 2)
				dvalues[row+k] = float32(value * e / float64(n))
			}
		}
		for i, chosen := range s.chosen {
			if chosen < 0 {
				continue
			}
			index := s.index[s.start[i]:s.start[i+1]]
			s.logs = s.logs[:0]
			for _, k := range index {
				s.logs = append(s.logs, float64(policy[k]))
			}
			s.probs = append(s.probs[:0], s.logs...)
			models.LogSoftmax(s.probs, s.logs)

			move := int(chosen - s.start[i])
			log := s.logs[move] - float64(s.logp[i])
			ratio, a := elementary.Exp(log), float64(s.adv[i])
			slope := -ratio * a // of the loss in the move's log-probability
			if ratio > 1+clip && a > 0 || ratio < 1-clip && a < 0 {
				slope = 0
				l.Clipped++
			}
			h := 0.0
			for j, p := range s.probs {
				if p > 0 {
					h -= float64(p * s.logs[j])
				}
			}
			l.choices++
			l.Policy -= min(ratio*a, min(max(ratio, 1-clip), 1+clip)*a)
			l.Entropy += h
			l.KL += ratio - 1 - log
			for j, k := range index {
				p := s.probs[j]
				g := float64(-slope * p)
				if j == move {
					g += slope
				}
				if p > 0 {
					g += float64(entropy * p * (s.logs[j] + h))
				}
				dpolicy[k] = float32(g / float64(c))
			}
		}
	}
}

// fit passes over the rollouts in minibatches, in an order drawn from the run's
// stream, and returns the mean losses.
func (r *ppo) fit(rate, entropy float64) (Losses, error) {
	cfg := &r.cfg.PPO
	scale := normaliser(r.rollouts)
	all := r.order[:0]
	for k, p := range r.rollouts {
		for at, n := 0, p.t*p.n; at < n; at += blockLen {
			all = append(all, block{int32(k), int32(at), int32(min(at+blockLen, n))})
		}
	}
	r.order = all
	var total Losses
	size, steps := (cfg.Minibatch+blockLen-1)/blockLen, 0
	for range cfg.Epochs {
		r.shuffle(all)
		for rest := all; len(rest) > 0; {
			n := min(size, len(rest))
			if len(rest)-n < size/2 {
				n = len(rest) // without a small one at the end
			}
			losses, err := r.step(rest[:n], scale, rate, entropy)
			if err != nil {
				return total, err
			}
			total.add(losses)
			total.GradNorm += losses.GradNorm
			steps++
			rest = rest[n:]
		}
	}
	total.mean()
	total.GradNorm /= float64(steps)
	return total, nil
}

// step fits one minibatch.
func (r *ppo) step(bs []block, scale func(float32) float32, rate, entropy float64) (Losses, error) {
	cfg := r.cfg
	n, choices := 0, 0
	for _, b := range bs {
		all, options := r.rollouts[b.rollout].count(b)
		n, choices = n+all, choices+options
	}
	shards := make([]models.Shard, cfg.Shards)
	parallel.For(cfg.Shards, 1, func(k, _ int) {
		s := &r.shards[k]
		s.fill(bs[len(bs)*k/cfg.Shards:len(bs)*(k+1)/cfg.Shards], r.rollouts, scale)
		shards[k] = models.Shard{Obs: s.obs, Loss: s.loss(max(1, n), max(1, choices), cfg.PPO.ClipRange, entropy, cfg.ValueCoef)}
	})
	norm, err := r.learner.Fit(shards, rate)
	losses := Losses{GradNorm: norm}
	for k := range r.shards {
		losses.add(r.shards[k].losses)
	}
	return losses, err
}

// normaliser returns the function that shifts and scales the advantages of the
// decisions with options to mean 0 and deviation 1.
func normaliser(rollouts []*rollout) func(float32) float32 {
	var n, sum, squares float64
	for _, r := range rollouts {
		for at := range r.t * r.n {
			if r.start[at] < r.start[at+1] {
				a := float64(r.adv[at*r.p+int(r.mover[at])])
				n, sum, squares = n+1, sum+a, squares+float64(a*a)
			}
		}
	}
	mean := sum / max(1, n)
	deviation := math.Sqrt(max(0, squares/max(1, n)-float64(mean*mean))) + 1e-8
	return func(a float32) float32 { return float32((float64(a) - mean) / deviation) }
}

// shuffle puts blocks in a random order.
func (r *ppo) shuffle(bs []block) {
	for i := len(bs) - 1; i > 0; i-- {
		j := random.Below(&r.stream, i+1)
		bs[i], bs[j] = bs[j], bs[i]
	}
}
