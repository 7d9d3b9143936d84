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
	Iteration uint64  `json:"iteration"` // from 1
	Steps     uint64  `json:"steps"`     // decisions so far
	Games     uint64  `json:"games"`     // ended so far
	Seconds   float64 `json:"seconds"`   // of training so far, evaluation left out
	Losses
	Rate      float64       `json:"rate"`
	StepsPerS float64       `json:"steps_per_s"` // of this iteration, evaluation left out
	Exact     *models.Exact `json:"exact,omitempty"`
	Decisions uint64        `json:"-"` // of this iteration
	Done      float64       `json:"-"` // share of the run
}

// method is an algorithm at work.
type method interface {
	// iterate plays and fits the network, at a share x of the run. It returns
	// the losses, the rate, and the games and decisions of this iteration.
	iterate(x float64) (Metrics, error)
	// save adds what a checkpoint must hold beside the network and its
	// optimizer; restore takes it back.
	save(blobs map[string][]byte) error
	restore(blobs map[string][]byte) error
}

// run is the state of a run.
type run struct {
	cfg     Config
	opt     Options
	learner models.Learner
	method  method
	log     *os.File

	at struct { // kept in checkpoints
		Iteration uint64        `json:"iteration"`
		Steps     uint64        `json:"steps"`
		Games     uint64        `json:"games"`
		Seconds   float64       `json:"seconds"`
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
	if cfg.Algorithm != AlgorithmPPO {
		shape.Values = models.Shares
	}
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
	if cfg.Algorithm == AlgorithmPPO {
		r.method = newPPO(&r.cfg, opt.Game, r.learner)
	} else if r.method, err = newExpert(&r.cfg, opt.Game, r.learner); err != nil {
		return nil, fmt.Errorf("algorithm %s: %w", cfg.Algorithm, err)
	}
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
	n := r.cfg.Steps
	for r.at.Steps < n {
		start := time.Now()
		m, err := r.method.iterate(float64(r.at.Steps) / float64(n))
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
		if err := r.record(m); err != nil {
			return err
		}
		if r.opt.Report != nil {
			r.opt.Report(m)
		}
		stop := ctx.Err() != nil && r.at.Steps < n
		if stop || due(r.cfg.Checkpoints) {
			if err := r.save(); err != nil {
				return err
			}
		}
		if stop {
			return fmt.Errorf("%w after %d of %d decisions", ErrInterrupted, r.at.Steps, n)
		}
	}
	return nil
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
	m.Algorithm, m.Seed = string(r.cfg.Algorithm), r.cfg.Seed
	m.Steps, m.Iterations, m.Games = int64(r.at.Steps), int64(r.at.Iteration), int64(r.at.Games)
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
	if err := r.method.save(f.Blobs); err != nil {
		return err
	}
	if err := f.Save(filepath.Join(r.opt.Dir, CheckpointFile)); err != nil {
		return err
	}
	model := &models.File{Meta: f.Meta, MLP: f.MLP}
	return model.Save(filepath.Join(r.opt.Dir, agents.ModelFile))
}

// partBlob names what a checkpoint holds of a part of the rows.
func partBlob(part int) string { return fmt.Sprintf("part.%d", part) }

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
		json.Unmarshal(f.Blobs["run"], &r.at),
		r.method.restore(f.Blobs),
	)
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
