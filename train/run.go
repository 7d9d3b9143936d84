package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"marsgym/agents"
	"marsgym/env"
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

// Options say how to run, without changing what comes out.
type Options struct {
	Game env.Game
	Dir  string // the run folder
	// Learner makes a backend's learner of a network.
	Learner func(*models.MLP, models.AdamConfig) (models.Learner, error)
	// Evaluate, where not nil, returns the exact strength of a network, or nil
	// where there is none.
	Evaluate func(context.Context, *models.MLP) (*models.Exact, error)
	// Report, where not nil, is called after each iteration.
	Report func(Metrics)
	// Resume continues from the checkpoint in Dir.
	Resume bool
}

// Metrics are a line of metrics.jsonl.
type Metrics struct {
	Iteration uint64 `json:"iteration"` // from 1
	Steps     uint64 `json:"steps"`     // decisions so far
	Games     uint64 `json:"games"`     // ended so far
	Losses
	Rate       float64       `json:"rate"`
	StepsPerS  float64       `json:"steps_per_s"` // of this iteration, evaluation left out
	Exact      *models.Exact `json:"exact,omitempty"`
	Done       float64       `json:"-"` // share of the run
	Iterations uint64        `json:"-"`
}

// run is the state of a run.
type run struct {
	cfg     Config
	opt     Options
	learner models.Learner
	parts   []*rollout
	shards  []shard
	order   []decision
	stream  rand.PCG
	log     *os.File

	at struct { // kept in checkpoints
		Iteration uint64        `json:"iteration"`
		Games     uint64        `json:"games"`
		Metrics   int64         `json:"metrics_bytes"`
		Exact     *models.Exact `json:"exact,omitempty"`
	}
}

// Run trains until cfg.Steps and returns the network, which is then in the run
// folder too. When ctx is cancelled it finishes the iteration, writes a
// checkpoint and returns an error that wraps ErrInterrupted. The folder must
// exist; Run overwrites nothing in it unless it resumes.
func Run(ctx context.Context, cfg Config, opt Options) (*models.MLP, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("training config: %w", err)
	}
	r := &run{cfg: cfg, opt: opt}
	spec := opt.Game.Spec()
	shape := models.Shape{Obs: spec.ObsLen(), Hidden: cfg.Hidden, Head: cfg.Head, Actions: spec.Actions, Players: spec.Players}
	if err := shape.Validate(); err != nil {
		return nil, fmt.Errorf("training config: %w", err)
	}
	mlp, err := models.NewMLP(shape, rand.NewPCG(cfg.Seed, weightStream))
	if err != nil {
		return nil, err
	}
	if r.learner, err = opt.Learner(mlp, cfg.Adam); err != nil {
		return nil, err
	}
	r.stream.Seed(cfg.Seed, shuffleStream)
	for k := range cfg.Parts {
		from, to := cfg.Rows*k/cfg.Parts, cfg.Rows*(k+1)/cfg.Parts
		b := opt.Game.NewBatch(to-from, from)
		b.Reset(cfg.Seed)
		r.parts = append(r.parts, newRollout(b, cfg.Head, cfg.Horizon))
	}
	r.shards = make([]shard, cfg.Parts)
	if opt.Resume {
		if err := r.restore(); err != nil {
			return nil, err
		}
	}
	if err := r.openLog(); err != nil {
		return nil, err
	}
	defer r.log.Close()
	if err := r.loop(ctx); err != nil {
		return nil, err
	}
	return mlp, nil
}

// loop runs the iterations that are left.
func (r *run) loop(ctx context.Context) error {
	n := r.cfg.iterations()
	for r.at.Iteration < n {
		start := time.Now()
		m, err := r.iterate()
		if err != nil {
			return fmt.Errorf("iteration %d: %w", r.at.Iteration+1, err)
		}
		m.StepsPerS = float64(r.cfg.batch()) / time.Since(start).Seconds()
		r.at.Iteration++
		r.at.Games = m.Games
		m.Iteration, m.Iterations, m.Steps = r.at.Iteration, n, r.at.Iteration*r.cfg.batch()
		m.Done = float64(r.at.Iteration) / float64(n)
		r.at.Exact = nil
		if r.opt.Evaluate != nil && due(r.at.Iteration, n, r.cfg.Evaluations) {
			// An interrupt waits for the evaluation, so that the resumed run has it.
			if m.Exact, err = r.opt.Evaluate(context.WithoutCancel(ctx), r.learner.MLP()); err != nil {
				return fmt.Errorf("iteration %d: evaluation: %w", m.Iteration, err)
			}
			r.at.Exact = m.Exact
		}
		if err := r.record(m); err != nil {
			return err
		}
		if r.opt.Report != nil {
			r.opt.Report(m)
		}
		stop := ctx.Err() != nil && r.at.Iteration < n
		if stop || due(r.at.Iteration, n, r.cfg.Checkpoints) {
			if err := r.save(); err != nil {
				return err
			}
		}
		if stop {
			return fmt.Errorf("%w after %d of %d iterations", ErrInterrupted, r.at.Iteration, n)
		}
	}
	return nil
}

// due spreads so many events evenly over n iterations, the last one included.
func due(i, n uint64, events int) bool {
	e := uint64(events)
	return e > 0 && (i*e/n > (i-1)*e/n || i == n)
}

// iterate plays a rollout and fits the network to it.
func (r *run) iterate() (Metrics, error) {
	cfg := &r.cfg
	mlp := r.learner.MLP()
	err := parallel(len(r.parts), func(k int) error { return r.parts[k].play(mlp, cfg.Gamma, cfg.Lambda) })
	if err != nil {
		return Metrics{}, err
	}
	x := float64(r.at.Iteration) / float64(cfg.iterations())
	m := Metrics{Rate: cosine(cfg.Rate, x), Games: r.at.Games}
	for _, p := range r.parts {
		m.Games += p.games
	}
	m.Losses, err = r.fit(m.Rate, cosine(cfg.Entropy, x))
	return m, err
}

// cosine goes from ends[0] at x = 0 to ends[1] at x = 1 along half a cosine.
func cosine(ends [2]float64, x float64) float64 {
	return ends[1] + (ends[0]-ends[1])*(1+math.Cos(math.Pi*x))/2
}

// record appends a line to the metrics.
func (r *run) record(m Metrics) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	n, err := r.log.Write(append(line, '\n'))
	r.at.Metrics += int64(n)
	return err
}

// openLog opens the metrics, cut back to what the checkpoint knows of.
func (r *run) openLog() error {
	flag := os.O_WRONLY | os.O_CREATE
	if !r.opt.Resume {
		flag |= os.O_EXCL
	}
	f, err := os.OpenFile(filepath.Join(r.opt.Dir, MetricsFile), flag, 0o666)
	if err != nil {
		return err
	}
	if info, err := f.Stat(); err == nil && info.Size() < r.at.Metrics {
		f.Close()
		return fmt.Errorf("%s is shorter than when the checkpoint was written; restore it, or start a new run", f.Name())
	}
	if err := f.Truncate(r.at.Metrics); err != nil {
		f.Close()
		return err
	}
	if _, err := f.Seek(r.at.Metrics, 0); err != nil {
		f.Close()
		return err
	}
	r.log = f
	return nil
}

// meta is what the files of this run say of it.
func (r *run) meta() models.Meta {
	m := agents.MetaOf(r.opt.Game.Spec())
	m.Algorithm, m.Seed = "ppo", r.cfg.Seed
	m.Steps, m.Iterations, m.Games = int64(r.at.Iteration*r.cfg.batch()), int64(r.at.Iteration), int64(r.at.Games)
	m.Exact = r.at.Exact
	return m
}

// save writes the checkpoint, and then the model.
func (r *run) save() error {
	if err := r.log.Sync(); err != nil {
		return err
	}
	f := &models.File{Meta: r.meta(), MLP: r.learner.MLP(), Tensors: r.learner.State(), Blobs: map[string][]byte{}}
	var err error
	if f.Blobs["run"], err = json.Marshal(r.at); err != nil {
		return err
	}
	if f.Blobs["shuffle"], err = r.stream.MarshalBinary(); err != nil {
		return err
	}
	for k, p := range r.parts {
		if f.Blobs[batchBlob(k)], err = p.batch.AppendState(nil); err != nil {
			return err
		}
	}
	if err := f.Save(filepath.Join(r.opt.Dir, CheckpointFile)); err != nil {
		return err
	}
	model := &models.File{Meta: f.Meta, MLP: f.MLP}
	return model.Save(filepath.Join(r.opt.Dir, agents.ModelFile))
}

func batchBlob(part int) string { return fmt.Sprintf("batch.%d", part) }

// restore continues from the checkpoint.
func (r *run) restore() error {
	path := filepath.Join(r.opt.Dir, CheckpointFile)
	f, err := models.Load(path)
	if err != nil {
		return err
	}
	if err := f.Meta.Check(agents.MetaOf(r.opt.Game.Spec())); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	err = errors.Join(
		r.learner.MLP().SetTensors(f.MLP.Tensors()),
		r.learner.Restore(f.Tensors),
		r.stream.UnmarshalBinary(f.Blobs["shuffle"]),
		json.Unmarshal(f.Blobs["run"], &r.at),
	)
	for k, p := range r.parts {
		err = errors.Join(err, p.batch.RestoreState(f.Blobs[batchBlob(k)]))
	}
	if err != nil {
		return fmt.Errorf("%s does not belong to the config beside it: %w", path, err)
	}
	return nil
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
