package train_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"marsgym/agents"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train"
)

// countdown is a context that is cancelled after a number of calls of Err.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterruptWithinIteration: a run drops an interrupted iteration, or evaluation, and the
// resumed run ends in the same bits.
func TestInterruptWithinIteration(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`)
	exact, err := exactly(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	for k, tt := range []struct {
		algorithm train.Algorithm
		lag       int
	}{{train.OneMove, 0}, {train.Search, 0}, {train.TurnExact, 0}, {train.OneMove, 1}, {train.TurnExact, 1}, {train.AlgorithmPPO, 0}, {train.AlgorithmPPO, 0}} {
		a, cfg := tt.algorithm, short(tt.algorithm)
		cfg.Steps, cfg.Checkpoints, cfg.Expert.PolicyLag = 1000, 1, tt.lag
		if fulltest.On() {
			cfg.Steps = 2000
		}
		if k%2 == 0 {
			cfg.Opponents = someOpponents
		}
		var evaluate func(context.Context, *models.MLP) (*models.Exact, error)
		evaluations := 0 // that were interrupted
		if a == train.AlgorithmPPO {
			cfg.Evaluations, cfg.Openings.Fraction = 2, 0.5
			if k%2 == 0 {
				cfg.Opponents.Population, cfg.Opponents.PopulationSteps = 1, 0.5
			}
			evaluate = func(ctx context.Context, mlp *models.MLP) (*models.Exact, error) {
				for range 300 { // positions
					if err := ctx.Err(); err != nil {
						evaluations++
						return nil, err
					}
				}
				return exact(ctx, mlp)
			}
		}
		whole, dir := t.TempDir(), t.TempDir()
		if _, err := train.Run(t.Context(), cfg, train.Options{Game: g, Dir: whole, Learner: learner, Evaluate: evaluate}); err != nil {
			t.Fatal(err)
		}
		dropped := 0
		for calls, ended := int64(3), false; !ended; calls += 5 {
			if !fulltest.On() {
				calls += calls / 4 // a search has a thousand calls in an iteration
			}
			ctx := &countdown{Context: t.Context()}
			ctx.left.Store(calls)
			iterations := 0
			_, err := train.Run(ctx, cfg, train.Options{Game: g, Dir: dir, Learner: learner, Evaluate: evaluate, Resume: true, Report: func(train.Metrics) { iterations++ }})
			switch ended = err == nil; {
			case !ended && !errors.Is(err, train.ErrInterrupted):
				t.Fatal(err)
			case !ended && iterations == 0:
				dropped++
			}
		}
		if dropped == 0 {
			t.Errorf("%s: no iteration was interrupted", a)
		}
		if evaluate != nil && evaluations == 0 {
			t.Errorf("%s: no evaluation was interrupted", a)
		}
		if !bytes.Equal(read(t, dir, agents.ModelFile), read(t, whole, agents.ModelFile)) {
			t.Errorf("%s: an interrupted run ends in another model", a)
		}
		same(t, dir, whole)
	}
}

// stuck is a learner that is interrupted in its first step, and cannot go back.
type stuck struct {
	models.Learner
	interrupt func()
}

func (l stuck) Fit(ctx context.Context, _ []models.Shard, _ float64) (float64, error) {
	l.interrupt()
	return 0, ctx.Err()
}

var errStuck = errors.New("the optimizer cannot go back")

func (stuck) Restore([]models.Tensor) error { return errStuck }

// TestInterruptHalf: a run whose interrupted iteration cannot be undone fails, and saves nothing of
// it.
func TestInterruptHalf(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	_, err := train.Run(ctx, short(train.AlgorithmPPO), train.Options{
		Game: testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`), Dir: dir,
		Learner: func(mlp *models.MLP, adam models.AdamConfig) (models.Learner, error) {
			l, err := learner(mlp, adam)
			return stuck{l, cancel}, err
		},
	})
	if errors.Is(err, train.ErrInterrupted) || !errors.Is(err, errStuck) {
		t.Errorf("the run returns %v; want %v", err, errStuck)
	}
	if _, err := os.Lstat(filepath.Join(dir, train.CheckpointFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a checkpoint, or %v", err)
	}
}
