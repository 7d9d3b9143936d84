package sweep_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/train"
	"marsgym/train/sweep"
)

// TestRun stops a sweep after its second run, resumes it, and compares the result
// with that of an undisturbed sweep.
func TestRun(t *testing.T) {
	parse := func(seeds string) *sweep.Plan {
		p, err := sweep.Parse([]byte(`{
			"base": {"game": "pig", "game_config": {"target": 10}, "train": {
				"algorithm": "ppo", "hidden": [4], "rows": 8, "ppo": {"horizon": 8, "minibatch": 16}, "steps": 256, "evaluations": 2}},
			"grid": {"train.learning_rate": [[0.01, 0], [0, 0]]},
			"seeds": ` + seeds + `}`))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := parse("[3, 4]")
	options := func(dir string) sweep.Options {
		return sweep.Options{
			Dir: dir,
			Learner: func(train.Settings) func(*models.MLP, models.AdamConfig) (models.Learner, error) {
				return func(m *models.MLP, c models.AdamConfig) (models.Learner, error) { return gorgonia.New(m, c) }
			},
			Evaluate: func(_ context.Context, m *models.MLP) (*models.Exact, error) {
				return &models.Exact{Exploitability: float64(m.Weights()[0])}, nil
			},
		}
	}
	whole, err := p.Run(t.Context(), options(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}

	dir, stop := t.TempDir(), errors.New("stop")
	opt := options(dir)
	opt.Ended = func(trials []sweep.Trial, trained bool) error {
		if !trained {
			t.Errorf("run %d was not trained", len(trials))
		}
		if len(trials) == 2 {
			return stop
		}
		return nil
	}
	if trials, err := p.Run(t.Context(), opt); !errors.Is(err, stop) || len(trials) != 2 {
		t.Fatalf("%d runs, error %v; want 2 and that of Ended", len(trials), err)
	}
	opt.Ended = func(trials []sweep.Trial, trained bool) error {
		if want := len(trials) > 2; trained != want {
			t.Errorf("run %d of the resumed sweep was trained: %v; want %v", len(trials), trained, want)
		}
		return nil
	}
	resumed, err := p.Run(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		variant int
		dir     string
	}{{0, "01-seed-3"}, {1, "02-seed-3"}, {0, "01-seed-4"}, {1, "02-seed-4"}}
	if len(whole) != 4 || len(resumed) != 4 {
		t.Fatalf("%d and %d runs; want 4", len(whole), len(resumed))
	}
	for k, w := range want {
		r := resumed[k]
		if r.Variant != w.variant || r.Dir != filepath.Join(dir, w.dir) || len(r.Strengths) != 2 || r.Diverged != nil {
			t.Errorf("run %d is %+v; want %+v", k, r, w)
		}
		if a, b := exploitabilities(whole[k]), exploitabilities(r); !reflect.DeepEqual(a, b) {
			t.Errorf("run %d: exploitabilities %v; want %v", k, b, a)
		}
	}

	if _, err := parse("[3]").Run(t.Context(), options(dir)); !errors.Is(err, sweep.ErrOther) {
		t.Errorf("another sweep in the same folder: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "01-seed-3", train.ConfigFile), []byte(`{"train": {"shards": 4}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(t.Context(), options(dir)); !errors.Is(err, sweep.ErrOther) || !errors.Is(err, train.ErrShards) {
		t.Errorf("a run of an older release: %v", err)
	}
}

func exploitabilities(t sweep.Trial) (list []float64) {
	for _, s := range t.Strengths {
		list = append(list, s.Exploitability)
	}
	return list
}
