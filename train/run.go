package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/atomicfile"
	"marsgym/internal/dirlock"
	"marsgym/models"
)

// Files of a run folder, beside agents.ModelFile.
const (
	ConfigFile     = "config.json"
	MetricsFile    = "metrics.jsonl"
	CheckpointFile = "checkpoint.safetensors"
)

// Streams of a run beside those of its rows; the top bit sets them apart.
const (
	weightStream  = 1<<63 | iota // the first weights
	shuffleStream                // the order of minibatches
)

// ErrInterrupted is returned when a run has stopped early, with its checkpoint
// written.
var ErrInterrupted = errors.New("interrupted")

// ErrTaken is returned where another run is at work in the folder.
var ErrTaken = errors.New("the run folder is taken")

// Options say how to run, without changing what comes out.
type Options struct {
	Game env.Game
	Dir  string // the run folder
	// Learner makes a backend's learner of a network, and Backend is its name.
	Learner func(*models.MLP, models.AdamConfig) (models.Learner, error)
	Backend string
	// Evaluate, where not nil, returns the exact strength of a network, or nil
	// where there is none.
	Evaluate func(context.Context, *models.MLP) (*models.Exact, error)
	// Report, where not nil, is called after each iteration.
	Report func(Metrics)
	// Resume continues from the checkpoint in Dir, or from the beginning where a
	// run was ended before it wrote one. The settings must be those of the
	// checkpoint; one of an older release, which holds none, is taken at its word.
	Resume bool
}

// method is an algorithm at work.
type method interface {
	// iterate plays and fits the network, at a share x of the run. It returns
	// the losses, the rate, and the games and decisions of this iteration; or the
	// error of ctx, once that is done, with all as it was before.
	iterate(ctx context.Context, x float64) (Metrics, error)
	// save adds what a checkpoint must hold beside the network and its
	// optimizer; restore takes it back.
	save(blobs map[string][]byte) error
	restore(blobs map[string][]byte) error
}

// run is the state of a run.
type run struct {
	cfg     Config
	opt     Options
	learner *counter
	method  method
	record  *record
	dir     *atomicfile.Dir // the run folder

	at struct { // kept in checkpoints
		Iteration uint64        `json:"iteration"`
		Steps     uint64        `json:"steps"`
		Games     uint64        `json:"games"`
		Seconds   float64       `json:"seconds"`
		Exact     *models.Exact `json:"exact,omitempty"`
		sizes
	}
}

// counter is a learner whose errors name the minibatch of the iteration.
type counter struct {
	models.Learner
	minibatch int
}

func (c *counter) Fit(rows []models.Shard, rate float64) (norm float64, err error) {
	c.minibatch++
	if norm, err = c.Learner.Fit(rows, rate); err != nil {
		err = fmt.Errorf("minibatch %d: %w", c.minibatch, err)
	}
	return norm, err
}

// Run trains until cfg.Steps and returns the network, which is then in the run
// folder too. When ctx is cancelled it finishes the iteration, or drops it where the
// algorithm can, writes a checkpoint and returns an error that wraps
// ErrInterrupted; a resumed run ends in the same bits. The folder must exist; Run
// overwrites nothing in it unless it resumes, and its error wraps fs.ErrExist there.
// Other errors wrap ErrTaken, ErrSettings, or [models.ErrDiverged].
func Run(ctx context.Context, cfg Config, opt Options) (*models.MLP, error) {
	if err := cfg.Check(opt.Game); err != nil {
		return nil, fmt.Errorf("training config: %w", err)
	}
	r := &run{cfg: cfg, opt: opt}
	mlp, err := models.NewMLP(cfg.shape(opt.Game.Spec()), rand.NewPCG(cfg.Seed, weightStream))
	if err != nil {
		return nil, err
	}
	l, err := opt.Learner(mlp, cfg.Adam)
	if err != nil {
		return nil, err
	}
	r.learner = &counter{Learner: l}
	if cfg.Algorithm == AlgorithmPPO {
		r.method = newPPO(&r.cfg, opt.Game, r.learner)
	} else if r.method, err = newExpertIteration(&r.cfg, opt.Game, r.learner); err != nil {
		return nil, fmt.Errorf("algorithm %s: %w", cfg.Algorithm, err)
	}
	release, err := dirlock.Lock(opt.Dir)
	if errors.Is(err, dirlock.ErrBusy) {
		return nil, fmt.Errorf("%w: %w: let it end, or stop it", ErrTaken, err)
	}
	if err != nil {
		return nil, err
	}
	defer release()
	if r.dir, err = atomicfile.OpenDir(opt.Dir); err != nil {
		return nil, err
	}
	defer r.dir.Close()
	if opt.Resume {
		if err := r.restore(); err != nil {
			return nil, err
		}
	}
	if r.record, err = openRecord(r.dir, opt.Resume, r.at.sizes); err != nil {
		return nil, err
	}
	if err := errors.Join(r.loop(ctx), r.record.close()); err != nil {
		return nil, err
	}
	return mlp, nil
}

// loop runs the iterations that are left.
func (r *run) loop(ctx context.Context) error {
	n := r.cfg.Steps
	for r.at.Steps < n {
		start := time.Now()
		r.learner.minibatch = 0
		m, err := r.method.iterate(ctx, float64(r.at.Steps)/float64(n))
		if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return r.interrupt()
		}
		if err == nil {
			err = m.check(r.opt.Game.Spec())
		}
		if err != nil {
			return fmt.Errorf("iteration %d: %w", r.at.Iteration+1, err)
		}
		took, before := time.Since(start).Seconds(), r.at.Steps
		m.StepsPerS = float64(m.Decisions) / took
		r.at.Iteration++
		r.at.Steps += m.Decisions
		r.at.Games += m.Games
		r.at.Seconds += took
		m.Iteration, m.Steps, m.Games, m.Seconds = r.at.Iteration, r.at.Steps, r.at.Games, r.at.Seconds
		m.Done = min(1, float64(r.at.Steps)/float64(n))
		due := func(events int) bool {
			return events > 0 && (r.at.Steps >= n || r.at.Steps*uint64(events)/n > before*uint64(events)/n)
		}
		r.at.Exact = nil
		if r.opt.Evaluate != nil && due(r.cfg.Evaluations) {
			// An interrupt waits for the evaluation, so that the resumed run has it.
			if m.Exact, err = r.opt.Evaluate(context.WithoutCancel(ctx), r.learner.MLP()); err != nil {
				return fmt.Errorf("iteration %d: evaluation: %w", m.Iteration, err)
			}
			r.at.Exact = m.Exact
		}
		if err := r.record.add(m, r.cfg.Algorithm); err != nil {
			return err
		}
		if r.opt.Report != nil {
			r.opt.Report(m)
		}
		if ctx.Err() != nil && r.at.Steps < n {
			return r.interrupt()
		}
		if due(r.cfg.Checkpoints) {
			if err := r.save(); err != nil {
				return err
			}
		}
	}
	return nil
}

// interrupt writes a checkpoint and returns an error that wraps ErrInterrupted.
func (r *run) interrupt() error {
	if err := r.save(); err != nil {
		return err
	}
	return fmt.Errorf("%w after %d of %d decisions", ErrInterrupted, r.at.Steps, r.cfg.Steps)
}

// runaway is how far PPO's loss of the values may be above that of the worst
// values within range. Chosen: of the networks that were so far off, by a rate too
// high, none learned to play again.
const runaway = 1000

// lost is how far the experts' excess may go, in nats. Chosen: at rates up to 0.03
// it stays below 20. Of the networks that were beyond lost, by a rate too high,
// some learned again, but ended worse than at a lower one; others did well after
// 300. It is judged as the next fit begins, so that a checkpoint can come between.
const lost = 1000

// check reports losses that cannot be learned from.
func (l Losses) check(spec game.Spec) error {
	sum := l.Policy + l.Value + l.Entropy + l.KL + l.GradNorm + l.excess
	wide := spec.Win - spec.Loss
	if sum-sum == 0 && !(spec.HasWin() && l.Value > runaway*wide*wide/2) && !(l.excess > lost) {
		return nil
	}
	values := fmt.Sprintf("value loss %v", l.Value)
	if l.excess != 0 {
		values = fmt.Sprintf("cross-entropy of the values %v nats above the least", l.excess)
	}
	return fmt.Errorf("%w: policy loss %v, %s, entropy %v, KL %v; lower the learning rate",
		models.ErrDiverged, l.Policy, values, l.Entropy, l.KL)
}

// meta is what the files of this run say of it.
func (r *run) meta() models.Meta {
	m := agents.MetaOf(r.opt.Game.Spec())
	m.Algorithm, m.Seed = string(r.cfg.Algorithm), r.cfg.Seed
	m.ValueTarget = string(r.cfg.Algorithm.valueTarget())
	m.Steps, m.Iterations, m.Games = int64(r.at.Steps), int64(r.at.Iteration), int64(r.at.Games)
	m.Exact = r.at.Exact
	return m
}

// save writes the checkpoint, and then the model: what comes between the two
// leaves an older model, which restore renews.
func (r *run) save() error {
	if err := r.record.sync(); err != nil {
		return err
	}
	r.at.sizes = r.record.sizes
	f := &models.File{Meta: r.meta(), MLP: r.learner.MLP(), Tensors: r.learner.State(), Blobs: map[string][]byte{}}
	var err error
	if f.Blobs["run"], err = json.Marshal(r.at); err != nil {
		return err
	}
	if f.Blobs[settingsBlob], err = json.Marshal(r.settings()); err != nil {
		return err
	}
	if err := r.method.save(f.Blobs); err != nil {
		return err
	}
	if err := f.Save(r.path(CheckpointFile)); err != nil {
		return err
	}
	return r.saveModel()
}

func (r *run) saveModel() error {
	f := &models.File{Meta: r.meta(), MLP: r.learner.MLP()}
	return f.Save(r.path(agents.ModelFile))
}

func (r *run) path(name string) string { return filepath.Join(r.opt.Dir, name) }

// load reads a file of the run folder.
func (r *run) load(name string) (*models.File, error) {
	f, err := r.dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return models.LoadFrom(f)
}

// partBlob names what a checkpoint holds of a part of the rows.
func partBlob(part int) string { return fmt.Sprintf("part.%d", part) }

// restore continues from the checkpoint, if there is one yet.
func (r *run) restore() error {
	for _, name := range []string{CheckpointFile, agents.ModelFile} { // left by a kill amid a save
		if err := r.dir.Clean(name, 0); err != nil {
			return err
		}
	}
	path := r.path(CheckpointFile)
	f, err := r.load(CheckpointFile)
	if errors.Is(err, fs.ErrNotExist) {
		if _, noModel := os.Lstat(r.path(agents.ModelFile)); errors.Is(noModel, fs.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("%w; without the checkpoint a run cannot go on", err)
	}
	if err != nil {
		return err
	}
	if text, ok := f.Blobs[settingsBlob]; ok {
		if err := r.checkSettings(text); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := f.Meta.Check(agents.MetaOf(r.opt.Game.Spec())); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	err = errors.Join(
		r.learner.MLP().SetTensors(f.MLP.Tensors()),
		r.learner.Restore(f.Tensors),
		json.Unmarshal(f.Blobs["run"], &r.at),
		r.method.restore(f.Blobs),
	)
	if err != nil {
		return fmt.Errorf("%s does not belong to the config beside it: %w", path, err)
	}
	return r.saveModel()
}

// parallel calls f for 0 to n-1, each on a goroutine of its own.
func parallel(n int, f func(k int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for k := range n {
		wg.Go(func() { errs[k] = f(k) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// below draws a number below n; its bias is below n/2⁶⁴.
func below(r *rand.PCG, n uint64) uint64 {
	hi, _ := bits.Mul64(r.Uint64(), n)
	return hi
}
