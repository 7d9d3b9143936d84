package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"marsgym/internal/atomicfile"
	"marsgym/internal/input"
	"marsgym/internal/jobs"
	"marsgym/models"
	"marsgym/train"
)

// File is the copy of the sweep in its folder.
const File = "sweep.json"

// ErrOther is returned if a folder holds runs of another sweep.
var ErrOther = errors.New("the folder has the runs of another sweep")

// Options decide how a plan is run, not its results.
type Options struct {
	Dir string // the folder of the sweep, which must exist
	// Learner returns [train.Options].Learner for settings.
	Learner func(train.Settings) func(*models.MLP, models.AdamConfig) (models.Learner, error)
	// Evaluate is [train.Options].Evaluate. Without it no variant has a strength. All
	// evaluations of the settings are made, to compare strengths after equal time.
	Evaluate func(context.Context, *models.MLP) (*models.Exact, error)
	// Match is [train.Options].Match.
	Match train.Matcher
	// Report, if not nil, is called after each iteration of a run, counted from 0.
	Report func(run int, m train.Metrics)
	// Executor, if not nil, first trains all runs at the same time, each in segments from one
	// checkpoint to the next (see [train.RunBy]).
	Executor jobs.Executor
	// Ended, if not nil, is called after each run with all runs so far. trained
	// reports whether this call of Run trained the last one, at least in part. An
	// error ends Run.
	Ended func(trials []Trial, trained bool) error
}

// Run trains with all settings of the plan, each in a folder of its own: the first
// seed of all variants, then the second. A run that diverges is recorded as such. It
// returns the runs that have ended, also with an error.
//
// If opt.Dir holds the same sweep it is resumed. Errors wrap [ErrOther],
// [train.ErrInterrupted], with the current run saved, or the errors of [train.Run].
func (p *Plan) Run(ctx context.Context, opt Options) ([]Trial, error) {
	if err := p.Prepare(opt.Dir); err != nil {
		return nil, err
	}
	if opt.Executor != nil {
		if err := p.runAll(ctx, opt); err != nil {
			return nil, err
		}
	}
	var trials []Trial
	for k := range p.Runs() {
		s, t := p.trial(opt.Dir, k)
		if err := prepareRun(t.Dir, s); err != nil {
			return trials, err
		}
		trained := false
		_, err := train.Run(ctx, s.Train, train.Options{
			Game: p.Game, Dir: t.Dir, Backend: s.Backend, Evaluate: opt.Evaluate, Match: opt.Match, Resume: true,
			Learner: opt.Learner(s),
			Report: func(m train.Metrics) {
				trained = true
				if opt.Report != nil {
					opt.Report(k, m)
				}
			},
		})
		if errors.Is(err, models.ErrDiverged) {
			t.Diverged, err = err, nil
		}
		if err != nil {
			return trials, &RunError{t.Dir, err}
		}
		if err := t.load(); err != nil {
			return trials, err
		}
		trials = append(trials, t)
		if opt.Ended != nil {
			if err := opt.Ended(trials, trained); err != nil {
				return trials, err
			}
		}
	}
	return trials, nil
}

// RunError is the error of a run of a sweep.
type RunError struct {
	Dir string // the folder of the run
	Err error
}

func (e *RunError) Error() string { return e.Dir + ": " + e.Err.Error() }
func (e *RunError) Unwrap() error { return e.Err }

// trial returns run k of the plan.
func (p *Plan) trial(dir string, k int) (train.Settings, Trial) {
	variant, seed := k%len(p.Variants), k/len(p.Variants)
	s := p.Variants[variant].Runs[seed]
	return s, Trial{Variant: variant, Dir: filepath.Join(dir, fmt.Sprintf("%02d-seed-%d", variant+1, s.Train.Seed))}
}

// atOnce is the number of runs that an executor trains at the same time. Chosen: more than
// workers, few enough for the memory of their checkpoints.
const atOnce = 256

// runAll trains all runs by the executor.
func (p *Plan) runAll(ctx context.Context, opt Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, p.Runs())
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	var mu sync.Mutex // of Report
	for k := range errs {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			s, t := p.trial(opt.Dir, k)
			if errs[k] = ctx.Err(); errs[k] == nil {
				errs[k] = prepareRun(t.Dir, s)
			}
			if errs[k] == nil {
				errs[k] = train.RunBy(ctx, opt.Executor, s, train.Options{Dir: t.Dir, Report: func(m train.Metrics) {
					mu.Lock()
					defer mu.Unlock()
					if opt.Report != nil {
						opt.Report(k, m)
					}
				}})
			}
			if errs[k] != nil {
				cancel()
			}
		})
	}
	wg.Wait()
	for k, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			_, t := p.trial(opt.Dir, k)
			return &RunError{t.Dir, err}
		}
	}
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("%w: %w", train.ErrInterrupted, err)
		}
	}
	return nil
}

// Prepare writes the sweep to its folder, which must exist, unless it is there
// already. Run calls it too. Its error wraps [ErrOther] if there is another sweep.
func (p *Plan) Prepare(dir string) error {
	d, err := atomicfile.OpenDir(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	text, err := d.ReadFile(File, input.Settings)
	if errors.Is(err, fs.ErrNotExist) {
		return d.Write(File, func(w io.Writer) error {
			_, err := w.Write(p.text)
			return err
		})
	}
	if err == nil && !bytes.Equal(text, p.text) {
		err = fmt.Errorf("%s: %w; choose another folder", filepath.Join(dir, File), ErrOther)
	}
	return err
}

// prepareRun makes a run folder, or finds one with the same settings.
func prepareRun(dir string, s train.Settings) error {
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) { // no new sweep, if that was renamed
		return err
	}
	before, err := train.LoadSettings(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return s.Save(dir)
	}
	if errors.Is(err, train.ErrShards) {
		return fmt.Errorf("%w: %w; choose another folder", ErrOther, err)
	}
	if err != nil {
		return err
	}
	list, err := before.Differences(s)
	if err == nil && list != nil {
		err = fmt.Errorf("%s: %w: its settings differ, by hand or by another release: %s; put them back, or choose another folder", dir, ErrOther, input.Cut(strings.Join(list, ", ")))
	}
	return err
}
