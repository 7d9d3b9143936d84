package train

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/jobs"
	"marsgym/models"
	"marsgym/train/method"
)

// expertIteration trains the network on the targets of a search that uses the
// network's values.
//
// Source: Anthony, Tian and Barber, "Thinking Fast and Slow with Deep Learning
// and Tree Search", arXiv:1705.08439.
type expertIteration struct {
	cfg      *Config
	learner  models.Learner
	spec     game.Spec
	executor jobs.Executor
	now      *iteration
	parts    []*selfPlay // of the rows
	tasks    []jobs.Task // the parts
	taken    int         // older copies so far; the latest replace the oldest
	values   search.ValueTarget
}

func newExpertIteration(cfg *Config, settings Settings, g env.Game, l models.Learner, executor jobs.Executor) (*expertIteration, error) {
	e := &expertIteration{cfg: cfg, learner: l, spec: g.Spec(), executor: executor}
	e.now = &iteration{game: g, cfg: cfg, settings: sync.OnceValues(settings.blob)}
	for k := range cfg.parts() {
		p := newSelfPlay(e.now, k)
		if err := p.load(); err != nil {
			return nil, err
		}
		e.values = p.search.Target()
		e.parts, e.tasks = append(e.parts, p), append(e.tasks, p)
	}
	return e, nil
}

// Iterate implements [method.Method]. It searches in every row and fits the network once. If
// ctx is done before the fit it restores the state before the call.
func (e *expertIteration) Iterate(ctx context.Context, x float64) (Metrics, error) {
	cfg := e.cfg
	e.now.at, e.now.network = x, newNetwork(e.learner.MLP())
	for o := cfg.Opponents; o.Due(e.taken, x); e.taken++ {
		e.setCopy(e.taken%o.Size, e.learner.MLP().Clone())
	}
	for _, p := range e.parts {
		p.begin()
	}
	if err := e.executor.Do(ctx, e.tasks); err != nil {
		for _, p := range e.parts {
			p.undo()
		}
		return Metrics{}, err
	}
	warm := x >= cfg.Expert.ValueWarmup
	n, m := 0, 0
	var found []*samples
	for _, p := range e.parts {
		for i := range p.found {
			found = append(found, &p.found[i])
			n += p.found[i].values()
			m += p.found[i].decisions()
		}
	}
	out := Metrics{LearningRate: cfg.learningRate(x)}
	shards, losses := make([]models.Shard, len(found)), make([]Losses, len(found))
	for k, p := range found {
		shards[k] = models.Shard{Obs: p.obs, Loss: p.loss(&losses[k], e.spec, cfg.Head, max(1, n), max(1, m), cfg.ValueCoef, warm)}
	}
	var err error
	if n > 0 { // a short Search may know the value of no decision
		out.GradNorm, err = e.learner.Fit(shards, out.LearningRate)
	}
	for k, p := range found {
		out.Losses.Add(losses[k])
		out.Decisions += p.steps
		out.Games += p.games
		out.Evaluated += p.evaluated
	}
	out.Losses.Mean()
	return out, err
}

// Model implements [method.Method].
func (e *expertIteration) Model() *models.MLP { return e.learner.MLP() }

// Target implements [method.Method].
func (e *expertIteration) Target() search.ValueTarget { return e.values }

// setCopy sets older copy k, or adds it.
func (e *expertIteration) setCopy(k int, mlp *models.MLP) {
	if k == len(e.now.copies) {
		e.now.copies = append(e.now.copies, network{})
	}
	e.now.copies[k] = newNetwork(mlp)
}

// Save implements [method.Method].
func (e *expertIteration) Save(blobs map[string][]byte) error {
	if e.cfg.Opponents.Fraction > 0 {
		blobs["pool"] = strconv.AppendInt(nil, int64(e.taken), 10)
		for k, c := range e.now.copies {
			blobs[method.OpponentBlob(k)] = c.WeightBytes()
		}
	}
	for k, p := range e.parts {
		blobs[method.PartBlob(k)] = p.current()
	}
	return nil
}

// Restore implements [method.Method].
func (e *expertIteration) Restore(blobs map[string][]byte) error {
	if o := e.cfg.Opponents; o.Fraction > 0 {
		var err error
		if e.taken, err = strconv.Atoi(string(blobs["pool"])); err != nil || e.taken < 0 {
			return fmt.Errorf("opponent pool: %q copies", blobs["pool"])
		}
		e.now.copies = e.now.copies[:0]
		for k := range min(e.taken, o.Size) {
			c, err := method.RestoreOpponent(blobs, k, e.learner.MLP())
			if err != nil {
				return err
			}
			e.setCopy(k, c)
		}
	}
	for k, p := range e.parts {
		p.state, p.ended, p.stale = append([]byte{}, blobs[method.PartBlob(k)]...), false, true
		if err := p.load(); err != nil {
			return err
		}
	}
	return nil
}
