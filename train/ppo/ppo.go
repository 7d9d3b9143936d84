// Package ppo trains a network by proximal policy optimisation. The network plays against
// itself, and moves that turned out better than its values predicted become more probable,
// by a bounded ratio in each iteration. A value is a vector with a number for each seat.
//
// rollout.go plays and computes advantages, and fit.go holds the loss. The other files hold
// checkpoints and what a run may add: opponents, a population of networks, and openings.
//
// Source: Schulman et al., arXiv:1707.06347.
package ppo

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/internal/parallel"
	"marsgym/models"
	"marsgym/train/method"
)

// Config holds the settings of proximal policy optimisation.
type Config struct {
	Horizon   int     `json:"horizon"`   // T, steps of a rollout
	Epochs    int     `json:"epochs"`    // passes over a rollout
	Minibatch int     `json:"minibatch"` // decisions of an optimizer step
	Gamma     float64 `json:"gamma"`     // discount
	Lambda    float64 `json:"lambda"`    // of the advantages
	// Outcomes is the largest number of outcomes of chance after an action over which advantages
	// take the expectation, instead of the outcome that occurred; 0 for never.
	Outcomes    int             `json:"outcomes"`
	ClipRange   float64         `json:"clip_range"`   // ε
	EntropyCoef method.Schedule `json:"entropy_coef"` // weight of the entropy bonus
}

// Options hold what PPO needs of a run beside its Config.
type Options struct {
	Seed         uint64
	Rows         int                     // games at once
	LearningRate func(x float64) float64 // at a fraction x of the training of a network
	ValueCoef    float64                 // weight of the value loss
	Opponents    method.Opponents
	Openings     Openings
	Opponent     *agents.Agent // if not nil, it has all seats but one in every row
}

// PPO trains a network.
type PPO struct {
	cfg       Config
	opt       Options
	learner   models.Learner
	rollouts  []*rollout // of each part of the rows
	pool      *pool
	shards    []shard // of a minibatch, at most
	order     []block // of an epoch, which stream draws
	stream    rand.PCG
	untrained []models.Tensor // the state of the learner when the run begins
	first     []float32       // the weights of the network then
}

// The rows and each minibatch are split into parts, which are played and fitted at the same time:
// into as many as the work allows, whatever the number of cores.
const (
	maxParts  = 64 // chosen: as many as the cores of a large machine
	partBlock = 8  // blocks of a shard of a minibatch, at least. Chosen: with fewer, sums over shards take longer
)

// partRows returns the number of rows of a part, at least. Chosen: with logits, parts of 8 rows take
// 1.3 times as long to play as parts of 128. The head that scores afterstates evaluates several
// observations for each row.
func partRows(h models.Head) int {
	if h == models.Score {
		return 2
	}
	return 16
}

// parts returns into how many parts n things are split, if a part has at least that many.
func parts(n, least int) int { return max(1, min(n/least, maxParts)) }

// New returns PPO for the network of a learner.
func New(cfg Config, opt Options, g env.Game, l models.Learner) (*PPO, error) {
	r := &PPO{cfg: cfg, opt: opt, learner: l, shards: make([]shard, maxParts)}
	r.stream.Seed(opt.Seed, method.ShuffleStream)
	for k := range r.shards {
		r.shards[k].obs = models.NewObservations(g.Spec().ObsLen(), nil)
	}
	head := l.MLP().Shape().Head
	n := parts(opt.Rows, partRows(head))
	for k := range n {
		from, to := opt.Rows*k/n, opt.Rows*(k+1)/n
		b := g.NewBatch(to-from, from)
		b.Reset(opt.Seed)
		r.rollouts = append(r.rollouts, newRollout(b, from, head, cfg))
	}
	var err error
	if r.pool, err = newPool(opt.Opponents, g, r.rollouts, opt.Opponent); err != nil {
		return nil, err
	}
	for _, p := range r.rollouts {
		p.openings = newOpenings(opt.Openings, p.batch.Buffers())
	}
	if r.pool.cfg.Population > 0 {
		r.untrained, r.first = l.State(), slices.Clone(l.MLP().Weights())
		err = r.restart(0)
	}
	return r, err
}

// Iterate implements [method.Method]. It plays a rollout and fits the network to it. If ctx is
// done before the end it restores the state before the rollout.
func (r *PPO) Iterate(ctx context.Context, x float64) (m method.Metrics, err error) {
	mlp := r.learner.MLP()
	k, x := r.pool.cfg.Stage(x)
	for r.pool.Population < k {
		r.pool.join(mlp.Clone())
		if err := r.restart(r.pool.Population); err != nil {
			return m, err
		}
	}
	r.pool.begin(mlp, x) // a second time it changes nothing
	before, err := r.snapshot()
	if err != nil {
		return m, err
	}
	if m, err = r.iterate(ctx, x); err != nil && ctx.Err() != nil {
		err = cmp.Or(r.undo(before), err) // a state that is half restored is no checkpoint
	}
	return m, err
}

func (r *PPO) iterate(ctx context.Context, x float64) (m method.Metrics, err error) {
	mlp, errs := r.learner.MLP(), make([]error, len(r.rollouts))
	parallel.For(len(errs), 1, func(k, _ int) { errs[k] = r.rollouts[k].play(ctx, mlp) })
	if err := errors.Join(errs...); err != nil {
		return m, err
	}
	m.LearningRate, m.Decisions = r.opt.LearningRate(x), uint64(r.opt.Rows)*uint64(r.cfg.Horizon)
	for _, p := range r.rollouts {
		m.Games += p.games
		m.Evaluated += uint64(p.obs.Len()) + p.evaluated
	}
	m.Losses, err = r.fit(ctx, m.LearningRate, r.cfg.EntropyCoef.At(x))
	if err == nil {
		m.Pool = r.pool.end()
	}
	return m, err
}
