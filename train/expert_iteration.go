package train

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/jobs"
	"marsgym/internal/parallel"
	"marsgym/models"
	"marsgym/train/expert"
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
	now      *iteration  // of the tasks
	parts    []*selfPlay // of the rows
	tasks    []jobs.Task // the parts
	begun    bool        // the tasks are those of the next fit
	searched bool        // and they are done
	player   *models.MLP // with a PolicyLag: the network of the tasks
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
// ctx is done before the fit has ended it restores the state before the call. With a PolicyLag of 1
// it searches for the next fit during this one; if only the fit has ended when ctx is done, the next
// call does so.
func (e *expertIteration) Iterate(ctx context.Context, x float64) (Metrics, error) {
	if !e.begun {
		e.begin(x)
	}
	if err := e.search(ctx); err != nil {
		return Metrics{}, err
	}
	out := Metrics{LearningRate: e.cfg.learningRate(x)}
	fit := e.newFit(ctx, &out)
	if e.cfg.Expert.PolicyLag == 0 {
		err := fit()
		e.begun = err != nil && ctx.Err() != nil
		if e.begun {
			e.undo()
		}
		return out, err
	}
	before := e.searching()
	e.begin(x)
	last := float64(x*float64(e.cfg.Steps))+float64(out.Decisions) > float64(e.cfg.Steps)-0.5
	var fitErr, searchErr error
	parallel.For(2, 1, func(k, _ int) {
		if k == 0 {
			fitErr = fit()
		} else if !last {
			searchErr = e.search(ctx)
		}
	})
	if ctx.Err() != nil && errors.Is(searchErr, ctx.Err()) {
		searchErr = nil
	}
	if fitErr != nil && ctx.Err() != nil {
		before.restore(e)
	}
	return out, cmp.Or(fitErr, searchErr)
}

// begin begins the search of the next fit, at a fraction x of the run, with the present network.
func (e *expertIteration) begin(x float64) {
	mlp := e.learner.MLP()
	for o := e.cfg.Opponents; o.Due(e.taken, x); e.taken++ {
		e.setCopy(e.taken%o.Size, mlp.Clone())
	}
	if e.cfg.Expert.PolicyLag > 0 { // the fit changes mlp
		if e.player == nil {
			e.player = mlp.Clone()
		}
		copy(e.player.Weights(), mlp.Weights())
		mlp = e.player
	}
	e.now.at, e.now.network = x, newNetwork(mlp)
	for _, p := range e.parts {
		p.begin()
		if e.cfg.Expert.PolicyLag > 0 {
			p.targets, p.spare = p.spare, p.targets
		}
	}
	e.begun, e.searched = true, false
}

// search does the tasks, or after an error none of them.
func (e *expertIteration) search(ctx context.Context) error {
	if e.searched {
		return nil
	}
	err := e.executor.Do(ctx, e.tasks)
	if err != nil {
		e.undo()
	}
	e.searched = err == nil
	return err
}

// undo forgets what the tasks have done.
func (e *expertIteration) undo() {
	e.searched = false
	for _, p := range e.parts {
		p.undo()
	}
}

// searching is the state of the search of a fit with a PolicyLag, before it: its tasks find the same
// again.
type searching struct {
	at     float64
	player *models.MLP
	copies []network
	taken  int
	states [][]byte
}

func (e *expertIteration) searching() searching {
	s := searching{e.now.at, e.player.Clone(), slices.Clone(e.now.copies), e.taken, nil}
	for _, p := range e.parts {
		s.states = append(s.states, bytes.Clone(p.state))
	}
	return s
}

// restore makes that search the next one again.
func (s searching) restore(e *expertIteration) {
	e.player, e.taken, e.begun, e.searched = s.player, s.taken, true, false
	e.now.at, e.now.network, e.now.copies = s.at, newNetwork(s.player), s.copies
	for k, p := range e.parts {
		p.state, p.ended, p.stale = s.states[k], false, true
	}
}

// newFit returns the function that fits the network to what was found. That completes out.
func (e *expertIteration) newFit(ctx context.Context, out *Metrics) (fit func() error) {
	cfg := e.cfg
	warm := e.now.at >= cfg.Expert.ValueWarmup
	n, m := 0, 0
	var found []*expert.Targets
	for _, p := range e.parts {
		for i := range p.targets {
			t := &p.targets[i]
			found, n, m = append(found, t), n+len(t.Value)/e.spec.Players, m+len(t.Start)-1
		}
	}
	shards, losses := make([]models.Shard, len(found)), make([]Losses, len(found))
	for k, t := range found {
		shards[k] = models.Shard{Obs: t.Obs, Loss: expertLoss(t, &losses[k], e.spec, cfg.Head, max(1, n), max(1, m), cfg.ValueCoef, warm)}
		out.Decisions += uint64(t.Decisions)
		out.Games += uint64(t.Games)
		out.Evaluated += uint64(t.Evaluated)
	}
	return func() (err error) {
		if n > 0 { // a short Search may know the value of no decision
			var norm float64
			norm, err = e.learner.Fit(ctx, shards, out.LearningRate)
			out.GradNorm.Add(norm)
		}
		for _, l := range losses {
			out.Losses.Join(l)
		}
		return err
	}
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
		state := p.current()
		if e.begun { // a resumed run searches again
			state = p.state
		}
		blobs[method.PartBlob(k)] = state
	}
	if e.begun && e.cfg.Expert.PolicyLag > 0 {
		blobs[lagAt] = strconv.AppendFloat(nil, e.now.at, 'g', -1, 64)
		blobs[lagWeights] = e.now.network.WeightBytes()
	}
	return nil
}

// In a checkpoint of a run with a PolicyLag these blobs hold the fraction of the run and the
// weights of the search that the next fit needs.
const (
	lagAt      = "lag.at"
	lagWeights = "lag.weights"
)

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
	e.begun, e.searched = false, false
	if weights, ok := blobs[lagWeights]; ok && e.cfg.Expert.PolicyLag > 0 {
		mlp, err := models.NewMLPOf(e.learner.MLP().Shape(), weights)
		if err != nil {
			return fmt.Errorf("the network that plays: %w", err)
		}
		at, err := strconv.ParseFloat(string(blobs[lagAt]), 64)
		if err != nil || !(at >= 0 && at <= 1) {
			return fmt.Errorf("the search began at %q of the run", blobs[lagAt])
		}
		e.player = mlp
		e.now.at, e.now.network, e.begun = at, newNetwork(mlp), true
	}
	for k, p := range e.parts {
		p.state, p.ended, p.stale = append([]byte{}, blobs[method.PartBlob(k)]...), false, true
		if err := p.load(); err != nil {
			return err
		}
	}
	return nil
}
