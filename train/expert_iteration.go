package train

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"marsgym/agents/search"
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
	pool     *pool       // of older copies, of which opponents play in the rows
	values   search.ValueTarget
}

func newExpertIteration(cfg *Config, settings Settings, g env.Game, l models.Learner, executor jobs.Executor) (*expertIteration, error) {
	e := &expertIteration{cfg: cfg, learner: l, spec: g.Spec(), executor: executor}
	e.now = &iteration{game: g, cfg: cfg, mlp: l.MLP(), settings: sync.OnceValues(settings.blob)}
	var err error
	if e.pool, err = newPool(cfg.Opponents, g, nil, nil); err != nil {
		return nil, err
	}
	for k := range cfg.Shards {
		p, err := newSelfPlay(e.now, k)
		if err != nil {
			return nil, err
		}
		p.search.Reset(cfg.Seed)
		e.values = p.search.Target()
		e.parts, e.tasks = append(e.parts, p), append(e.tasks, p)
	}
	return e, nil
}

// iterate implements method. It searches in every row and fits the network once. If
// ctx is done before the fit it restores the state before the call.
func (e *expertIteration) iterate(ctx context.Context, x float64) (Metrics, error) {
	cfg := e.cfg
	e.now.done, e.now.weights = x, weightsBlob(e.now.mlp)
	if taken := e.pool.Taken; e.pool.begin(e.now.mlp, x) > taken {
		e.shareCopies()
	}
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

// target implements method.
func (e *expertIteration) target() search.ValueTarget { return e.values }

// model implements method.
func (e *expertIteration) model() *models.MLP { return e.learner.MLP() }

// shareCopies makes the copies of the pool those of the next iterations.
func (e *expertIteration) shareCopies() {
	e.now.copies = e.now.copies[:0]
	for _, mlp := range e.pool.mlp {
		e.now.copies = append(e.now.copies, olderCopy{mlp, weightsBlob(mlp)})
	}
}

// save implements method.
func (e *expertIteration) save(blobs map[string][]byte) (err error) {
	if e.cfg.Opponents.Fraction > 0 {
		blobs["pool"] = strconv.AppendInt(nil, int64(e.pool.Taken), 10)
		if err := e.pool.saveNetworks(blobs); err != nil {
			return err
		}
	}
	for k, p := range e.parts {
		if blobs[shardBlob(k)], err = p.encoded(); err != nil {
			return err
		}
	}
	return nil
}

// restore implements method.
func (e *expertIteration) restore(blobs map[string][]byte) error {
	if o := e.cfg.Opponents; o.Fraction > 0 {
		taken, err := strconv.Atoi(string(blobs["pool"]))
		if err != nil || taken < 0 {
			return fmt.Errorf("opponent pool: %q copies", blobs["pool"])
		}
		if err := e.pool.restoreNetworks(blobs, min(taken, o.Size), e.now.mlp); err != nil {
			return err
		}
		e.pool.Taken = taken
		e.shareCopies()
	}
	for k, p := range e.parts {
		if err := p.restore(blobs[shardBlob(k)]); err != nil {
			return err
		}
	}
	return nil
}
