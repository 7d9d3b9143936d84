// Package ppo is proximal policy optimisation: the network plays itself, and the
// probabilities of moves that turned out better than its values predicted rise, by a
// bounded ratio in each iteration. Values are vectors, one for each seat.
//
// ppo.go holds all of it but for checkpoints and what a run may add: opponents, a population
// of networks, and openings.
//
// Source: Schulman et al., arXiv:1707.06347.
package ppo

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/kernel/elementary"
	"marsgym/internal/parallel"
	"marsgym/internal/random"
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
		r.untrained = l.State()
		err = r.restart(0)
	}
	return r, err
}

// Iterate implements [method.Method]. It plays a rollout and fits the network to it, which
// takes a moment, even if ctx is done. Only opponents that search may take longer:
// they stop when ctx is done, and Iterate restores the state before the call.
func (r *PPO) Iterate(ctx context.Context, x float64) (m method.Metrics, err error) {
	mlp := r.learner.MLP()
	before := map[string][]byte{}
	if r.pool.stops {
		if err := r.Save(before); err != nil {
			return m, err
		}
	}
	k, x := r.pool.cfg.Stage(x)
	for r.pool.Population < k {
		r.pool.join(mlp.Clone())
		if err := r.restart(r.pool.Population); err != nil {
			return m, err
		}
	}
	r.pool.begin(mlp, x)
	errs := make([]error, len(r.rollouts))
	parallel.For(len(errs), 1, func(k, _ int) { errs[k] = r.rollouts[k].play(ctx, mlp) })
	if err := errors.Join(errs...); err != nil {
		if r.pool.stops {
			err = errors.Join(err, r.Restore(before))
		}
		return m, err
	}
	m.LearningRate, m.Decisions = r.opt.LearningRate(x), uint64(r.opt.Rows)*uint64(r.cfg.Horizon)
	for _, p := range r.rollouts {
		m.Games += p.games
		m.Evaluated += uint64(p.obs.Len()) + p.evaluated
	}
	m.Losses, err = r.fit(m.LearningRate, r.cfg.EntropyCoef.At(x))
	m.Pool = r.pool.end()
	return m, err
}

type end uint8 // how a step ended

const (
	running    end = iota
	terminated     // by the rules
	truncated      // by a limit of the batch
)

// rollout is what one part of the rows has played: T steps of n games. Decisions
// are numbered t·n + i. Values and rewards are by seat, unless they are in the order of play.
type rollout struct {
	batch    env.Batch
	spec     game.Spec
	head     models.Head
	cfg      Config
	first    int // row of the run
	n, d, p  int // rows of this part, D, P
	pool     *poolRows
	openings *openings

	// obs are the observations of the decisions, with the head that scores afterstates each
	// followed by those of its options.
	obs       *models.Observations // [T·n or T·n + M, D]
	mover     []game.Player        // [T·n]
	random    []bool               // [T·n] actions of openings
	reward    []float32            // [T·n, P] earned by the step
	ended     []end                // [T·n]
	value     []float32            // [(T+1)·n, P] before the step; the last row after all of them
	bootstrap []float32            // [T·n, P] the value after a truncated step, else unused
	listed    []bool               // [T·n] the outcomes of chance in the step are listed
	expected  []float32            // [T·n, P] of listed steps: the expectation of r + γ·V(t+1) over them, else unused
	adv       []float32            // [T·n, P]

	// The options of a decision with a choice. A decision with one legal action, of
	// an opponent or of an opening has none.
	start  []int32       // [T·n+1] into option
	option []game.Action // [M]
	chosen []int32       // [T·n] index into option
	logp   []float32     // [T·n] logarithm of the probability of the chosen option

	games, evaluated uint64 // ended, and outcomes of chance, in this rollout

	// Of a step.
	own            []int        // rows whose decision has options
	policy, values []float32    // [.., K] and [.., P] the network's outputs
	outcomes       env.Outcomes // of chance
	probs, logs    []float64    // of the options of a decision
}

func newRollout(b env.Batch, first int, head models.Head, cfg Config) *rollout {
	spec := b.Spec()
	n, m, p := b.Len(), cfg.Horizon*b.Len(), spec.Players
	r := &rollout{
		batch: b, spec: spec, head: head, cfg: cfg, first: first, n: n, d: spec.ObsLen(), p: p,
		obs: models.NewObservations(spec.ObsLen(), nil), mover: make([]game.Player, m), random: make([]bool, m),
		reward: make([]float32, m*p), ended: make([]end, m), value: make([]float32, (m+n)*p), bootstrap: make([]float32, m*p),
		listed: make([]bool, m), adv: make([]float32, m*p),
		start: make([]int32, m+1), chosen: make([]int32, m), logp: make([]float32, m),
	}
	if cfg.Outcomes > 0 {
		r.expected = make([]float32, m*p)
	}
	return r
}

// play plays T steps with the network in all seats but those of opponents, and
// computes the advantages. Moves of opponents have no options, so they add no policy
// loss. Their values are still trained. Decisions of openings add no loss at all, since
// the value of a position says nothing of a random action there.
func (r *rollout) play(ctx context.Context, mlp *models.MLP) error {
	buf := r.batch.Buffers()
	r.option, r.games, r.evaluated = r.option[:0], 0, 0
	r.obs.Reset()
	r.pool.reset()
	for at := 0; at < len(r.mover); at += r.n {
		copy(r.mover[at:], buf.Player)
		opening := r.random[at : at+r.n]
		r.openings.act(opening, buf, r.spec.Actions)
		r.act(mlp, at)
		if err := r.pool.act(ctx, r.batch, opening); err != nil {
			return err
		}
		r.expect(mlp, at)
		if err := r.batch.Step(); err != nil {
			return err
		}
		copy(r.reward[at*r.p:], buf.Reward)
		for i := range r.n {
			switch {
			case buf.Terminated[i]:
				r.ended[at+i] = terminated
				r.pool.gameOver(i, buf.Reward[i*r.p:][:r.p])
			case buf.Truncated[i]:
				r.ended[at+i] = truncated
				r.evaluate(r.bootstrap[(at+i)*r.p:][:r.p], mlp, buf.FinalObs[i*r.d:][:r.d], buf.FinalPlayer[i:i+1])
			default:
				r.ended[at+i] = running
				continue
			}
			r.games++
			r.pool.newGame(i, &buf.Noise[i])
			r.openings.newGame(i, &buf.Noise[i])
		}
	}
	r.evaluate(r.value[len(r.reward):], mlp, buf.Obs, buf.Player)
	r.advantages()
	return nil
}

// evaluate fills dst [n, P] with the network's values by seat.
func (r *rollout) evaluate(dst []float32, mlp *models.MLP, obs []float32, movers []game.Player) {
	r.values = resize(r.values, len(dst))
	mlp.Forward(nil, r.values, obs)
	for i, m := range movers {
		game.SeatOrder(dst[i*r.p:][:r.p], r.values[i*r.p:][:r.p], m)
	}
}

// act samples the network's actions, and records the observations, its values and the
// options, from decision at on.
func (r *rollout) act(mlp *models.MLP, at int) {
	buf := r.batch.Buffers()
	r.own = r.own[:0]
	for i := range r.n {
		r.start[at+i] = int32(len(r.option))
		if r.random[at+i] || r.pool.opponent(i, buf.Player[i]) != itself {
			continue
		}
		from := len(r.option)
		r.option = appendLegal(r.option, buf.Mask[i*r.spec.Actions:(i+1)*r.spec.Actions])
		if legal := r.option[from:]; len(legal) == 1 {
			buf.Action[i] = legal[0]
			r.option = r.option[:from]
			continue
		}
		r.own = append(r.own, i)
	}
	r.start[at+r.n] = int32(len(r.option))
	if r.head == models.Score {
		after := r.batch.Decisions(r.own).Afterstates()
		near := 0
		for i := range r.n {
			var options []float32
			if r.start[at+i] < r.start[at+i+1] {
				options = after.Obs[after.Start[near]*r.d : after.Start[near+1]*r.d]
				near++
			}
			r.obs.AppendNear(buf.Obs[i*r.d:(i+1)*r.d], options)
		}
	} else {
		r.obs.Append(buf.Obs)
	}

	from, to := r.row(at), r.row(at+r.n)
	r.policy, r.values = resize(r.policy, (to-from)*mlp.Shape().PolicyWidth()), resize(r.values, (to-from)*r.p)
	mlp.ForwardObservations(r.policy, r.values, r.obs, from, to)
	for i, m := range buf.Player {
		game.SeatOrder(r.value[(at+i)*r.p:][:r.p], r.values[(r.row(at+i)-from)*r.p:][:r.p], m)
	}
	for _, i := range r.own {
		lo := r.start[at+i]
		r.probs, r.logs = r.softmax(r.probs, r.logs, r.policy, r.row(at+i)-from, at+i)
		c := env.SampleAction(r.probs, &buf.Noise[i])
		r.chosen[at+i] = lo + int32(c)
		r.logp[at+i] = float32(r.logs[c])
		buf.Action[i] = r.option[lo+int32(c)]
	}
}

// row returns the row of obs of decision at, if that is not beyond the last one.
func (r *rollout) row(at int) int {
	if r.head == models.Score {
		return at + int(r.start[at])
	}
	return at
}

// output returns the place of option o of decision at in the outputs of the policy head, in
// which the decision has a row.
func (r *rollout) output(row, at int, o int32) int {
	if r.head == models.Score {
		return row + 1 + int(o-r.start[at])
	}
	return row*r.spec.Actions + int(r.option[o])
}

// softmax returns the probabilities of the options of decision at and their logarithms, in
// the place of probs and logs, for the outputs of the policy head.
func (r *rollout) softmax(probs, logs []float64, policy []float32, row, at int) (p, l []float64) {
	logs = logs[:0]
	for o := r.start[at]; o < r.start[at+1]; o++ {
		logs = append(logs, float64(policy[r.output(row, at, o)]))
	}
	probs = resize(probs, len(logs))
	models.LogSoftmax(probs, logs)
	return probs, logs
}

// expect fills in the expectations of the step at decision at over its chance, in the rows
// where the outcomes are few enough.
func (r *rollout) expect(mlp *models.MLP, at int) {
	if r.cfg.Outcomes == 0 {
		return
	}
	o, listed, bySeat := &r.outcomes, r.listed[at:at+r.n], make([]float32, r.p)
	clear(listed)
	r.batch.Outcomes(o, r.cfg.Outcomes)
	r.values = resize(r.values, len(o.Prob)*r.p)
	mlp.ForwardNear(nil, r.values, o.Obs, o.Start)
	for i, row := range o.Row {
		listed[row] = true
		sum := r.expected[(at+row)*r.p:][:r.p]
		copy(sum, o.Return[i*r.p:])
		for k := o.Start[i]; k < o.Start[i+1]; k++ {
			scale := float32(r.cfg.Gamma) * o.Prob[k]
			game.SeatOrder(bySeat, r.values[k*r.p:][:r.p], o.Player[k])
			for j, v := range bySeat {
				sum[j] += float32(scale * v)
			}
		}
	}
	r.evaluated += uint64(len(o.Prob))
}

// advantages fills adv [T, n, P] with generalised advantage estimates for all
// seats:
//
//	δ(t)[p] = r(t)[p] + γ·V(t+1)[p] − V(t)[p]
//	A(t)[p] = Σ_k (γλ)^k δ(t+k)[p]
//
// The sum stops at a terminated step, whose δ has no V(t+1), and at a truncated
// one, whose δ has bootstrap in its place. The δ of a step with listed outcomes has their
// expectation in the place of r(t) + γ·V(t+1): the difference is 0 on average and only adds
// variance. A move is credited with its mover's component; the target of the values is A + V.
//
// Sources: Schulman et al., arXiv:1506.02438, eq. 16, applied to each seat; the expectation over
// chance is a control variate as in Burch et al., "AIVAT", arXiv:1612.06915.
func (r *rollout) advantages() {
	width := r.n * r.p
	g, gl := float32(r.cfg.Gamma), float32(r.cfg.Gamma*r.cfg.Lambda)
	for at := len(r.reward) - width; at >= 0; at -= width {
		for i := at; i < at+width; i += r.p {
			ended, listed := r.ended[i/r.p], r.listed[i/r.p]
			for j := i; j < i+r.p; j++ {
				a := r.reward[j] - r.value[j]
				switch {
				case listed:
					a = r.expected[j] - r.value[j]
				case ended == truncated:
					a += float32(g * r.bootstrap[j])
				case ended == running:
					a += float32(g * r.value[j+width])
				}
				if ended == running && j+width < len(r.adv) {
					a += float32(gl * r.adv[j+width])
				}
				r.adv[j] = a
			}
		}
	}
}

// block is a range of a rollout's decisions, of blockLen at most. Minibatches are drawn by the
// block, since drawing single decisions would mostly wait for memory. If the rollout has at
// least as many rows, the decisions are of different games.
type block struct{ rollout, from, to int32 }

const blockLen = 16 // chosen: longer is not faster

// fit passes over the rollouts in minibatches, in an order drawn from the run's
// stream, and returns the mean losses.
func (r *PPO) fit(rate, entropy float64) (total method.Losses, err error) {
	scale := normaliser(r.rollouts)
	all := r.order[:0]
	for k, p := range r.rollouts {
		for at, n := 0, len(p.mover); at < n; at += blockLen {
			all = append(all, block{int32(k), int32(at), int32(min(at+blockLen, n))})
		}
	}
	r.order = all
	size, steps := (r.cfg.Minibatch+blockLen-1)/blockLen, 0
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
			losses, err := r.step(rest[:n], scale, rate, entropy)
			if err != nil {
				return total, err
			}
			total.Add(losses)
			total.GradNorm += losses.GradNorm
			steps++
			rest = rest[n:]
		}
	}
	total.Mean()
	total.GradNorm /= float64(steps)
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
func (r *PPO) step(bs []block, scale func(float32) float32, rate, entropy float64) (method.Losses, error) {
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
	norm, err := r.learner.Fit(shards, rate)
	losses := method.Losses{GradNorm: norm}
	for _, s := range r.shards[:len(shards)] {
		losses.Add(s.losses)
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
				l.Positions++
				for j, target := range s.target {
					e := float64(values[row*r.p+j] - target)
					l.Value += float64(e * e / 2)
					dvalues[row*r.p+j] = float32(t.value * e / n)
				}
				if r.start[at] == r.start[at+1] {
					continue
				}
				s.probs, s.logs = r.softmax(s.probs, s.logs, policy, row, at)
				move := int(r.chosen[at] - r.start[at])
				log := s.logs[move] - float64(r.logp[at])
				ratio, a := elementary.Exp(log), float64(t.scale(r.adv[v+int(r.mover[at])]))
				slope := -ratio * a // of the loss in the move's log-probability
				if ratio > 1+t.clip && a > 0 || ratio < 1-t.clip && a < 0 {
					slope = 0
					l.Clipped++
				}
				h := 0.0
				for j, p := range s.probs {
					if p > 0 {
						h -= float64(p * s.logs[j])
					}
				}
				l.Choices++
				l.Policy -= min(ratio*a, min(max(ratio, 1-t.clip), 1+t.clip)*a)
				l.Entropy += h
				l.KL += ratio - 1 - log
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
