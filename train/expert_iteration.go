package train

import (
	"context"
	"errors"
	"sync"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/jobs"
	"marsgym/models"
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
	parts    []*selfPlay // of the rows, one for each shard
	tasks    []jobs.Task // the parts
}

func newExpertIteration(cfg *Config, settings Settings, g env.Game, l models.Learner, executor jobs.Executor) (*expertIteration, error) {
	e := &expertIteration{cfg: cfg, learner: l, spec: g.Spec(), executor: executor}
	e.now = &iteration{game: g, cfg: cfg, mlp: l.MLP(), settings: sync.OnceValues(settings.blob)}
	for k := range cfg.Shards {
		p, err := newSelfPlay(e.now, k)
		if err != nil {
			return nil, err
		}
		p.search.Reset(cfg.Seed)
		e.parts, e.tasks = append(e.parts, p), append(e.tasks, p)
	}
	return e, nil
}

// iterate implements method. It searches in every row and fits the network once. If
// ctx is done before the fit it restores the state before the call.
func (e *expertIteration) iterate(ctx context.Context, x float64) (Metrics, error) {
	cfg := e.cfg
	e.now.done = x
	e.now.weights = sync.OnceValue(func() *jobs.Blob { return jobs.NewBlob(jobs.AppendSlice(nil, e.now.mlp.Weights())) })
	for _, p := range e.parts {
		p.moved = false
	}
	if err := e.executor.Do(ctx, e.tasks); err != nil {
		for _, p := range e.parts {
			err = errors.Join(err, p.undo())
		}
		return Metrics{}, err
	}
	warm := x >= cfg.Expert.ValueWarmup
	n, m := 0, 0
	for _, p := range e.parts {
		n += p.found.values()
		m += p.found.decisions()
	}
	out := Metrics{LearningRate: cfg.learningRate(x)}
	shards, losses := make([]models.Shard, len(e.parts)), make([]Losses, len(e.parts))
	for k, p := range e.parts {
		shards[k] = models.Shard{Obs: p.found.obs, Loss: p.found.loss(&losses[k], e.spec, cfg.Head, max(1, n), max(1, m), cfg.ValueCoef, warm)}
	}
	var err error
	if n > 0 { // a short Search may know the value of no decision
		out.GradNorm, err = e.learner.Fit(shards, out.LearningRate)
	}
	for k, p := range e.parts {
		out.Losses.add(losses[k])
		out.Decisions += p.found.steps
		out.Games += p.found.games
		out.evaluated += p.found.evaluated
	}
	out.Losses.mean()
	return out, err
}

// save implements method.
func (e *expertIteration) save(blobs map[string][]byte) (err error) {
	for k, p := range e.parts {
		if blobs[shardBlob(k)], err = p.encoded(); err != nil {
			return err
		}
	}
	return nil
}

// restore implements method.
func (e *expertIteration) restore(blobs map[string][]byte) error {
	for k, p := range e.parts {
		if err := p.restore(blobs[shardBlob(k)]); err != nil {
			return err
		}
	}
	return nil
}
