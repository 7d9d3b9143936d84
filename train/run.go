package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/atomicfile"
	"marsgym/internal/dirlock"
	"marsgym/internal/jobs"
	"marsgym/models"
	"marsgym/train/method"
	"marsgym/train/ppo"
)

// Files of a run folder, beside agents.ModelFile.
const (
	ConfigFile     = "config.json"
	MetricsFile    = "metrics.jsonl"
	CheckpointFile = "checkpoint.safetensors"
	StartFile      = "start.safetensors" // the network that the run began with, if another run trained it
)

// ErrInterrupted is returned by a run that has stopped early, after it has written
// its checkpoint.
var ErrInterrupted = errors.New("interrupted")

// arithmetic is the version of the seeded bits. It rises when the same seed and settings
// end in other bits, as with another order of sums. A checkpoint holds it, since a run
// half in each version would be neither.
const arithmetic = 5

// releases are those that finish a run of an older arithmetic.
func releases(arithmetic int) string {
	if arithmetic == 3 {
		return "release 0.1.0"
	}
	return "the release that began it"
}

// ErrArithmetic is returned for a checkpoint of a release whose seeded bits are others.
var ErrArithmetic = errors.New("this release computes other bits")

// ErrTaken is returned if another run has the folder open.
var ErrTaken = errors.New("the run folder is taken")

// Matcher plays duplicate matches of a network that takes its best actions against the game's bot and
// against each of the others. It returns the shares of the games that the network wins, by the name of
// the bot and those of the others.
type Matcher func(ctx context.Context, network *models.MLP, others map[string]*models.MLP, games int, seed uint64) (map[string]Share, error)

// Options hold what a run needs beside its [Config]. Only Game, Learner, Opponent and
// Start change its result.
type Options struct {
	Game env.Game
	Dir  string // the run folder, which must exist
	// Learner makes the learner of a network, and Backend is the backend's name.
	Learner func(*models.MLP, models.AdamConfig) (models.Learner, error)
	Backend string
	// Opponent, if not nil, has all seats but one in every row, and the run is that of
	// a best response to it. The algorithm must be [AlgorithmPPO]. The opponents of
	// [Config] are not used. A resumed run needs an opponent of the same name.
	Opponent *agents.Agent
	// Start, if not nil, is a network whose weights a new run begins with. Its shape must
	// be that of the run. A resumed run has those of its checkpoint or, without one, of
	// [StartFile].
	Start *models.MLP
	// Evaluate, if not nil, returns the exact strength of a network, or nil if there
	// is none.
	Evaluate func(context.Context, *models.MLP) (*models.Exact, error)
	// Match, if not nil, is called at evaluations where Evaluate is nil.
	Match Matcher
	// EvaluationRows is the cost of Evaluate: about the number of rows that the network
	// evaluates. If it is above 0, a run makes fewer evaluations than
	// [Config].Evaluations where these would take more than a quarter of the work.
	EvaluationRows int
	// Executor computes the self-play of expert iteration; nil is [jobs.Local]. It changes
	// no result.
	Executor jobs.Executor
	// Report, if not nil, is called after each iteration.
	Report func(Metrics)
	// Resume continues from the checkpoint in Dir, or from the beginning if a run
	// ended before it wrote one. The settings must be those of the checkpoint.
	Resume bool

	pause bool // return errPaused after a checkpoint that is not the last
}

// run is the state of a run.
type run struct {
	cfg      Config
	opt      Options
	learner  *counter
	method   method.Method
	record   *record
	matching *matching       // nil where evaluations are exact, or none
	dir      *atomicfile.Dir // the run folder

	at struct { // written to checkpoints
		Arithmetic  int              `json:"arithmetic"`
		Iteration   uint64           `json:"iteration"`
		Steps       uint64           `json:"steps"`
		Games       uint64           `json:"games"`
		Seconds     float64          `json:"seconds"`
		Work        uint64           `json:"work"` // forward passes of rows
		Evaluations int              `json:"evaluations"`
		Exact       *models.Exact    `json:"exact,omitempty"`
		Best        *models.Exact    `json:"best,omitempty"`    // of the network of agents.BestFile
		Matches     map[string]Share `json:"matches,omitempty"` // of the latest iteration, like Exact
		// Pending is the latest iteration, if it was interrupted in its evaluation.
		Pending *Metrics `json:"pending,omitempty"`
		Stretch stretch  `json:"stretch"`
		sizes
	}
}

// counter is a learner that counts the rows it has fitted, and whose errors name the
// minibatch of the iteration.
type counter struct {
	models.Learner
	minibatch int
	rows      uint64
}

func (c *counter) Fit(ctx context.Context, rows []models.Shard, rate float64) (norm float64, err error) {
	c.minibatch++
	for _, s := range rows {
		c.rows += uint64(s.Len())
	}
	if norm, err = c.Learner.Fit(ctx, rows, rate); err != nil {
		err = fmt.Errorf("minibatch %d: %w", c.minibatch, err)
	}
	return norm, err
}

// ErrCheckpoint is wrapped by the errors of runs that cannot be resumed from what is in their
// folder, for example because it is damaged. Their text does not repeat it.
var ErrCheckpoint = errors.New("the run cannot be resumed")

// Run trains until cfg.Steps and returns the network, which it also writes to the
// run folder. When ctx is cancelled it drops the iteration, or the evaluation, writes a
// checkpoint and returns an error that wraps [ErrInterrupted]; a resumed run ends in the same
// bits.
//
// Unless it resumes, Run overwrites nothing in the folder; its error then wraps
// [fs.ErrExist]. Other errors wrap [ErrConfig], [ErrTaken], [ErrSettings],
// [ErrArithmetic] or [models.ErrDiverged].
func Run(ctx context.Context, cfg Config, opt Options) (*models.MLP, error) {
	if err := cfg.Check(opt.Game); err != nil {
		return nil, fmt.Errorf("training config: %w", err)
	}
	if opt.Opponent != nil && cfg.Algorithm != AlgorithmPPO {
		return nil, fmt.Errorf("train.algorithm is %s, which has no opponent; want %s", cfg.Algorithm, AlgorithmPPO)
	}
	if opt.Executor == nil {
		opt.Executor = jobs.Local{}
	}
	r := &run{cfg: cfg, opt: opt}
	if opt.Evaluate == nil && opt.Match != nil && cfg.Evaluations > 0 {
		play, err := measure(opt.Game)
		if err != nil {
			return nil, err
		}
		r.matching = &matching{play.length, map[string]snapshot{}}
		r.opt.EvaluationRows = r.matching.rows()
	}
	mlp, err := models.NewMLP(cfg.shape(opt.Game.Spec()), rand.NewPCG(cfg.Seed, method.WeightStream))
	if err != nil {
		return nil, err
	}
	if opt.Start == nil && opt.Resume {
		if f, err := models.Load(filepath.Join(opt.Dir, StartFile)); err == nil {
			opt.Start = f.MLP
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if opt.Start != nil {
		if err := mlp.SetTensors(opt.Start.Tensors()); err != nil {
			return nil, fmt.Errorf("the network to start with: %w", err)
		}
	}
	l, err := opt.Learner(mlp, cfg.Adam)
	if err != nil {
		return nil, err
	}
	r.learner = &counter{Learner: l}
	if cfg.Algorithm == AlgorithmPPO {
		if r.method, err = ppo.New(cfg.PPO, cfg.ppoOptions(opt.Opponent), opt.Game, r.learner); err != nil {
			return nil, err
		}
	} else if r.method, err = newExpertIteration(&r.cfg, r.settings(), opt.Game, r.learner, opt.Executor); err != nil {
		return nil, fmt.Errorf("algorithm %s: %w", cfg.Algorithm, err)
	}
	release, err := take(opt.Dir)
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
			return nil, tagged{err, ErrCheckpoint}
		}
	}
	for _, name := range []string{CheckpointFile, agents.ModelFile, agents.BestFile} {
		if _, err := os.Lstat(r.path(name)); err == nil && !opt.Resume {
			return nil, &fs.PathError{Op: "create", Path: r.path(name), Err: fs.ErrExist}
		}
	}
	if r.record, err = openRecord(r.dir, opt.Resume, r.at.sizes); err != nil && opt.Resume {
		return nil, tagged{err, ErrCheckpoint}
	} else if err != nil {
		return nil, err
	}
	if err := errors.Join(r.loop(ctx), r.record.close()); err != nil {
		return nil, err
	}
	return r.method.Model(), nil
}

// ppoOptions returns what PPO needs of a run beside its settings.
func (c Config) ppoOptions(opponent *agents.Agent) ppo.Options {
	return ppo.Options{
		Seed: c.Seed, Rows: c.Rows, LearningRate: c.learningRate, ValueCoef: c.ValueCoef,
		Opponents: c.Opponents, Openings: c.Openings, Opponent: opponent,
	}
}

// take locks a run folder until release is called.
func take(dir string) (release func() error, err error) {
	release, err = dirlock.Lock(dir)
	if errors.Is(err, dirlock.ErrBusy) {
		err = fmt.Errorf("%w: %w: let the other run end, or stop it", ErrTaken, err)
	}
	return release, err
}

// loop runs the remaining iterations.
func (r *run) loop(ctx context.Context) error {
	n := r.cfg.Steps
	for r.at.Steps < n || r.at.Pending != nil {
		before, m := r.at.Steps, r.at.Pending
		if m == nil {
			next, err := r.iterate(ctx)
			if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				return r.interrupt()
			}
			if err != nil {
				return fmt.Errorf("iteration %d: %w", r.at.Iteration+1, err)
			}
			m = &next
			r.at.Stretch.add(m.Losses)
		}
		m.Done = min(1, float64(r.at.Steps)/float64(n))
		due := func(events int) bool {
			return events > 0 && (r.at.Steps >= n || r.at.Steps*uint64(events)/n > before*uint64(events)/n)
		}
		r.at.Exact, r.at.Matches = nil, nil
		if (r.opt.Evaluate != nil || r.matching != nil) && (r.at.Pending != nil || due(r.evaluations(m.Done))) {
			err := r.evaluate(ctx, m)
			if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				r.at.Pending = m // the resumed run has the evaluation
				return r.interrupt()
			}
			if err != nil {
				return fmt.Errorf("iteration %d: evaluation: %w", m.Iteration, err)
			}
		}
		r.at.Pending = nil
		m.Evaluations = r.at.Evaluations
		line := due(metricsLines)
		if every := r.cfg.MetricsEvery; every > 0 {
			line = m.Iteration%uint64(every) == 0
		}
		if line || m.Exact != nil || m.Matches != nil || r.at.Steps >= n {
			if err := r.record.add(r.at.Stretch.line(*m)); err != nil {
				return err
			}
		}
		if r.opt.Report != nil {
			r.opt.Report(*m)
		}
		if ctx.Err() != nil && r.at.Steps < n {
			return r.interrupt()
		}
		if due(r.cfg.Checkpoints) {
			if err := r.save(); err != nil {
				return err
			}
			if r.opt.pause && r.at.Steps < n {
				return errPaused
			}
		}
	}
	return nil
}

// iterate runs an iteration, and counts it.
func (r *run) iterate(ctx context.Context) (Metrics, error) {
	start := time.Now()
	r.learner.minibatch, r.learner.rows = 0, 0
	m, err := r.method.Iterate(ctx, float64(r.at.Steps)/float64(r.cfg.Steps))
	if err == nil {
		err = check(m.Losses, r.opt.Game.Spec())
	}
	if err != nil {
		return m, err
	}
	took := time.Since(start).Seconds()
	m.StepsPerS = pace(m.Decisions, took)
	r.at.Iteration++
	r.at.Steps += m.Decisions
	r.at.Games += m.Games
	r.at.Work += m.Evaluated + fitWork*r.learner.rows
	r.at.Seconds += took
	m.Iteration, m.Steps, m.Games, m.Seconds = r.at.Iteration, r.at.Steps, r.at.Games, r.at.Seconds
	return m, nil
}

// pace returns decisions per second, or 0 if the clock has not advanced, which it does in
// steps: on Windows of up to 16 ms, longer than a small iteration.
func pace(decisions uint64, seconds float64) float64 {
	if seconds == 0 {
		return 0
	}
	return float64(decisions) / seconds
}

// fitWork is the work of fitting a row, in forward passes: one, and the gradients of
// weights and of inputs.
const fitWork = 3

// evaluations returns the number of evaluations of the whole run, of which a fraction
// is done: as many as take at most a quarter of the work if the run goes on as before,
// at least one and at most cfg.Evaluations. A quarter is chosen: of several evaluations,
// most of a learning curve, for a third more time.
func (r *run) evaluations(done float64) int {
	n := r.cfg.Evaluations
	if r.opt.EvaluationRows > 0 {
		training := float64(r.at.Work) / done // by the end
		n = int(min(float64(n), max(1, training/3/float64(r.opt.EvaluationRows))))
	}
	return n
}

// interrupt writes a checkpoint and returns an error that wraps ErrInterrupted.
func (r *run) interrupt() error {
	if err := r.save(); err != nil {
		return err
	}
	return fmt.Errorf("%w at decision %d of %d", ErrInterrupted, r.at.Steps, r.cfg.Steps)
}

// divergenceFactor: a value loss of PPO above this multiple of the largest possible
// in-range loss counts as divergence. Chosen: no run that exceeded it recovered.
const divergenceFactor = 1000

// maxValueKL is the largest KL divergence of the values in expert iteration, in
// nats, that does not count as divergence of the run. Chosen: at learning rates up
// to 0.03 it stays below 20. Some networks recovered from 300; of those beyond 1000
// some recovered, but ended worse than at a lower rate. It is computed when the next
// fit begins, so a checkpoint may have been saved since.
const maxValueKL = 1000

// check reports losses of a run that has diverged.
func check(l Losses, spec game.Spec) error {
	sum := 0.0
	for _, m := range []method.Mean{l.Policy, l.Value, l.Entropy, l.KL, l.GradNorm, l.ValueKL} {
		sum += m.Value()
	}
	width := spec.Win - spec.Loss
	if sum-sum == 0 && !(spec.HasWin() && l.Value.Value() > divergenceFactor*width*width/2) && !(l.ValueKL.Value() > maxValueKL) {
		return nil
	}
	text := ""
	for _, f := range []struct {
		name string
		mean method.Mean
	}{
		{"policy loss", l.Policy}, {"value loss", l.Value}, {"KL divergence of the values in nats", l.ValueKL},
		{"entropy", l.Entropy}, {"KL divergence from the policy that played", l.KL},
	} {
		if !f.mean.IsZero() {
			text += fmt.Sprintf("%s %v, ", f.name, f.mean.Value())
		}
	}
	return fmt.Errorf("%w: %sgradient norm %v; lower train.learning_rate", models.ErrDiverged, text, l.GradNorm.Value())
}

// meta returns the metadata of the files of this run.
func (r *run) meta() models.Meta {
	m := agents.MetaOf(r.opt.Game.Spec())
	m.Algorithm, m.Seed = string(r.cfg.Algorithm), r.cfg.Seed
	m.ValueTarget = string(r.method.Target())
	m.Steps, m.Iterations, m.Games = int64(r.at.Steps), int64(r.at.Iteration), int64(r.at.Games)
	m.Exact, m.Matches = r.at.Exact, r.at.Matches
	return m
}

// save writes the checkpoint, and then the model: an interruption between the two
// leaves an older model, which restore replaces.
func (r *run) save() error {
	if err := r.record.sync(); err != nil {
		return err
	}
	r.at.sizes, r.at.Arithmetic = r.record.sizes, arithmetic
	f := &models.File{Meta: r.meta(), MLP: r.learner.MLP(), Tensors: r.learner.State(), Blobs: map[string][]byte{}}
	var err error
	if f.Blobs["run"], err = json.Marshal(r.at); err != nil {
		return err
	}
	if f.Blobs[settingsBlob], err = json.Marshal(r.settings()); err != nil {
		return err
	}
	if err := r.method.Save(f.Blobs); err != nil {
		return err
	}
	if r.matching != nil {
		if err := r.matching.save(f.Blobs); err != nil {
			return err
		}
	}
	if err := r.write(CheckpointFile, f); err != nil {
		return err
	}
	return r.saveModel()
}

func (r *run) saveModel() error { return r.saveAs(agents.ModelFile) }

// saveAs writes the model to a file of the run folder.
func (r *run) saveAs(name string) error {
	return r.write(name, &models.File{Meta: r.meta(), MLP: r.method.Model()})
}

// evaluate evaluates the network after an iteration.
func (r *run) evaluate(ctx context.Context, m *Metrics) (err error) {
	if r.opt.Evaluate == nil {
		if m.Matches, err = r.match(ctx); err != nil {
			return err
		}
		r.at.Matches = m.Matches
		r.at.Evaluations++
		return r.keepMatched(m.Matches, r.opt.Game.Spec())
	}
	x, err := r.opt.Evaluate(ctx, r.method.Model())
	if x == nil || err != nil {
		return err
	}
	m.Exact, r.at.Exact = x, x
	r.at.Evaluations++
	better := r.at.Best == nil || x.Exploitability < r.at.Best.Exploitability
	if better {
		r.at.Best = x
	}
	return r.keep(better)
}

// keep writes the model after an evaluation: if it is the best so far, and if all are kept.
func (r *run) keep(best bool) error {
	var errs []error
	if best {
		errs = append(errs, r.saveAs(agents.BestFile))
	}
	if r.cfg.KeepEvaluated {
		errs = append(errs, r.saveAs(agents.StepFile(r.at.Steps)))
	}
	return errors.Join(errs...)
}

// write writes a file of the run folder, even if that has been renamed.
func (r *run) write(name string, f *models.File) error {
	return f.SaveBy(r.path(name), func(b []byte) error {
		return r.dir.Write(name, func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
	})
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

// restore continues from the checkpoint, if there is one yet.
func (r *run) restore() error {
	for _, name := range []string{CheckpointFile, agents.ModelFile, agents.BestFile} { // left by a kill during a save
		if err := r.dir.Clean(name, 0); err != nil {
			return err
		}
	}
	f, err := r.checkpoint()
	if f == nil || err != nil {
		return err
	}
	err = errors.Join(
		r.learner.MLP().SetTensors(f.MLP.Tensors()),
		r.learner.Restore(f.Tensors),
		json.Unmarshal(f.Blobs["run"], &r.at),
		r.method.Restore(f.Blobs),
	)
	if err == nil && r.matching != nil {
		err = r.matching.restore(f.Blobs)
	}
	if err != nil {
		return fmt.Errorf("%s does not belong to the config in its folder: %w", r.path(CheckpointFile), err)
	}
	if r.at.Stretch.Steps == 0 && r.at.Stretch.Sums == nil { // of 0.1.0, which wrote a line for each iteration
		r.at.Stretch = stretch{Steps: r.at.Steps, Seconds: r.at.Seconds}
		if r.at.Pending != nil {
			r.at.Stretch.add(r.at.Pending.Losses)
		}
	}
	return r.saveModel()
}

// checkpoint reads the checkpoint of the run folder, which must be of this run, or returns nil
// if there is none yet.
func (r *run) checkpoint() (*models.File, error) {
	path := r.path(CheckpointFile)
	f, err := r.load(CheckpointFile)
	if errors.Is(err, fs.ErrNotExist) {
		if _, noModel := os.Lstat(r.path(agents.ModelFile)); errors.Is(noModel, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, fmt.Errorf("%w; a run cannot be resumed without its checkpoint", err)
	}
	if err != nil {
		return nil, err
	}
	before := struct {
		Arithmetic int    `json:"arithmetic"`
		Steps      uint64 `json:"steps"`
	}{Arithmetic: 1} // that of releases which did not write it
	if err := json.Unmarshal(f.Blobs["run"], &before); err != nil {
		return nil, fmt.Errorf("%s: the state of the run: %w", path, err)
	}
	if before.Arithmetic != arithmetic {
		return nil, fmt.Errorf("%s: %w than the release that began the run: its arithmetic has version %d, that of the run version %d; finish the run with %s, or start a new run",
			path, ErrArithmetic, arithmetic, before.Arithmetic, releases(before.Arithmetic))
	}
	if err := r.checkSettings(f.Blobs[settingsBlob], before.Steps); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := f.Meta.Check(agents.MetaOf(r.opt.Game.Spec())); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// CheckResume returns the error that [Run] would return with opt.Resume for the checkpoint in
// opt.Dir, such as one that wraps [ErrSettings]. It uses only Game, Dir and Backend of opt.
func CheckResume(cfg Config, opt Options) error {
	r := &run{cfg: cfg, opt: opt}
	var err error
	if r.dir, err = atomicfile.OpenDir(opt.Dir); err != nil {
		return err
	}
	defer r.dir.Close()
	if _, err := r.checkpoint(); err != nil {
		return tagged{err, ErrCheckpoint}
	}
	return nil
}
