package train

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"marsgym/env"
	"marsgym/env/expert"
	"marsgym/env/game"
	"marsgym/models"
)

// expertIteration trains the network on the targets of a search that uses the
// network's values.
//
// Source: Anthony, Tian and Barber, "Thinking Fast and Slow with Deep Learning
// and Tree Search", arXiv:1705.08439.
type expertIteration struct {
	cfg     *Config
	learner models.Learner
	spec    game.Spec
	workers []*worker // of each shard of the rows
}

// worker is the search of one shard of the rows, with its targets laid out for the
// network.
type worker struct {
	search  expert.Expert
	targets expert.Targets
	head    models.Head
	spec    game.Spec
	d       int // D

	before []byte // the state of search when the iteration began

	obs          *models.Observations // [n+m, D] the rows to fit: values first, then decisions or their options
	policy       []float64            // [k] target probabilities of the options
	scores, prob []float64
	share        []float64 // [P]
	losses       Losses
}

func newExpertIteration(cfg *Config, g env.Game, l models.Learner) (*expertIteration, error) {
	e := &expertIteration{cfg: cfg, learner: l, spec: g.Spec()}
	for k := range cfg.Shards {
		from, to := cfg.Rows*k/cfg.Shards, cfg.Rows*(k+1)/cfg.Shards
		x, err := g.NewExpert(cfg.Expert.Search, to-from, from)
		if err != nil {
			return nil, err
		}
		x.Reset(cfg.Seed)
		e.workers = append(e.workers, &worker{
			search: x, head: cfg.Head, spec: e.spec, d: e.spec.ObsLen(), obs: models.NewObservations(e.spec.ObsLen(), nil), share: make([]float64, e.spec.Players),
		})
	}
	return e, nil
}

// iterate implements method. It searches in every row and fits the network once. If
// ctx is done before the fit it restores the state before the call.
func (e *expertIteration) iterate(ctx context.Context, x float64) (Metrics, error) {
	cfg := e.cfg
	mlp := e.learner.MLP()
	var evaluated atomic.Uint64
	net := func(scores, values, obs []float32) {
		evaluated.Add(uint64(len(obs) / e.spec.ObsLen()))
		mlp.Forward(scores, values, obs)
		if e.spec.HasWin() {
			models.SharesToReturns(values, e.spec.Players, e.spec.Return)
		}
	}
	warm := x >= cfg.Expert.ValueWarmup
	opt := expert.Options{Lambda: cfg.Expert.Lambda.at(x), Temperature: cfg.Expert.Temperature.at(x), RandomPlay: !warm, PolicyReplies: warm && cfg.Head == models.Score, Logits: cfg.Head == models.Logits}
	err := forEach(e.workers, func(p *worker) (err error) {
		if p.before, err = p.search.AppendState(p.before[:0]); err != nil {
			return err
		}
		if err := p.search.Search(ctx, &p.targets, opt, net); err != nil {
			return err
		}
		p.fill(opt.Temperature)
		return nil
	})
	if err != nil {
		for _, p := range e.workers {
			err = errors.Join(err, p.search.RestoreState(p.before))
		}
		return Metrics{}, err
	}
	n, m := 0, 0
	for _, p := range e.workers {
		n += len(p.targets.Obs) / p.d
		m += len(p.targets.Start) - 1
	}
	shards := make([]models.Shard, len(e.workers))
	for k, p := range e.workers {
		shards[k] = models.Shard{Obs: p.obs, Loss: p.loss(max(1, n), max(1, m), cfg.ValueCoef, warm)}
	}
	out := Metrics{LearningRate: cfg.learningRate(x), evaluated: evaluated.Load()}
	norm := 0.0
	if n > 0 { // a short Search may know the value of no decision
		norm, err = e.learner.Fit(shards, out.LearningRate)
	}
	for _, p := range e.workers {
		out.Losses.add(p.losses)
		out.Decisions += uint64(p.targets.Decisions)
		out.Games += uint64(p.targets.Games)
	}
	out.Losses.mean()
	out.GradNorm = norm
	return out, err
}

// fill lays out the targets and computes those of the policy.
func (p *worker) fill(temperature float64) {
	l := &p.targets
	p.obs.Reset()
	p.obs.Append(l.Obs)
	if p.head == models.Score {
		p.obs.Append(l.AfterObs)
	} else {
		p.obs.Append(l.DecisionObs)
	}
	p.policy = p.policy[:0]
	p.losses = Losses{} // not in loss, which is not called for a shard without rows
	for i, from := range l.Start[:len(l.Start)-1] {
		p.scores = p.scores[:0]
		for _, w := range l.ActionValue[from:l.Start[i+1]] {
			x := float64(w)
			if p.spec.HasWin() {
				x = p.spec.WinShare(x)
			}
			p.scores = append(p.scores, x/temperature)
		}
		if l.Logit != nil {
			for k, x := range l.Logit[from:l.Start[i+1]] {
				p.scores[k] += float64(x)
			}
		}
		at := len(p.policy)
		p.policy = append(p.policy, p.scores...)
		models.Softmax(p.policy[at:], p.scores)
	}
}

// loss returns the gradient of the loss with respect to the network's outputs. The
// terms are means over the n values and the m decisions of all shards:
//
//	L = −v·Σ_p G[p]·log V[p] + Σ_a π*(a)·log(π*(a)/π(a))
//
// with G the target of the shares of the win and π* ∝ exp(Q/τ) the target of the
// policy, or π* ∝ exp(logits + Q/τ) of [Search]. The second term is left out unless withPolicy is set.
func (p *worker) loss(n, m int, value float64, withPolicy bool) func(policy, values, dpolicy, dvalues []float32) {
	return func(policy, values, dpolicy, dvalues []float32) {
		l := &p.targets
		for i, want := range l.Value {
			if p.spec.HasWin() {
				break
			}
			e := float64(values[i] - want)
			p.losses.Value += e * e / 2
			dvalues[i] = float32(value * e / float64(n))
		}
		for i := 0; i < len(l.Value) && p.spec.HasWin(); i += len(p.share) {
			models.SharesOf(p.share, values[i:])
			// The logarithm of a share is its value minus total.
			total := float64(slices.Max(values[i:i+len(p.share)])) - math.Log(slices.Max(p.share))
			for j, x := range p.share {
				want := p.spec.WinShare(float64(l.Value[i+j]))
				e := x - want
				p.losses.Value += e * e / 2
				if want > 0 {
					p.losses.valueKL += want * (math.Log(want) - float64(values[i+j]) + total)
				}
				dvalues[i+j] = float32(value * e / float64(n))
			}
		}
		p.losses.decisions += float64(len(l.Value) / len(p.share))
		if !withPolicy {
			return
		}
		first := len(l.Obs) / p.d // the row of the first decision that has one of its own, or of its first option
		for i, from := range l.Start[:len(l.Start)-1] {
			to := l.Start[i+1]
			at := func(k int32) int { // in the head's output
				if p.head == models.Score {
					return first + int(k)
				}
				row := first + i
				if len(l.Row) > 0 {
					row = int(l.Row[i])
				}
				return row*p.spec.Actions + int(l.Action[k])
			}
			p.scores = p.scores[:0]
			for k := from; k < to; k++ {
				p.scores = append(p.scores, float64(policy[at(k)]))
			}
			p.prob = append(p.prob[:0], p.scores...)
			models.Softmax(p.prob, p.scores)
			p.losses.choices++
			for k := from; k < to; k++ {
				q, want := p.prob[k-from], p.policy[k]
				if want > 0 {
					p.losses.Policy += want * math.Log(want/max(q, 1e-300))
				}
				if q > 0 {
					p.losses.Entropy -= q * math.Log(q)
				}
				dpolicy[at(k)] = float32((q - want) / float64(m))
			}
		}
	}
}

// save implements method.
func (e *expertIteration) save(blobs map[string][]byte) (err error) {
	for k, p := range e.workers {
		if blobs[shardBlob(k)], err = p.search.AppendState(nil); err != nil {
			return err
		}
	}
	return nil
}

// restore implements method.
func (e *expertIteration) restore(blobs map[string][]byte) error {
	for k, p := range e.workers {
		if err := p.search.RestoreState(blobs[shardBlob(k)]); err != nil {
			return err
		}
	}
	return nil
}
