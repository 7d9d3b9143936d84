package train_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/internal/input"
	"marsgym/internal/tensorboard"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train"
)

// tiny is a config of some milliseconds: a few short iterations.
func tiny(a train.Algorithm) train.Config {
	cfg := train.DefaultConfig(a)
	cfg.Hidden, cfg.Rows = []int{2}, 2
	cfg.PPO.Horizon, cfg.PPO.Minibatch = 4, 4
	if a == train.AlgorithmPPO {
		cfg.Opponents = train.Opponents{Fraction: 0.5, Bots: map[string]float64{"random": 0.5}, Size: 2, Interval: 0.25, Power: 2}
		cfg.Openings = train.Openings{Fraction: 0.5, Decisions: 3}
	}
	cfg.Expert.Search.Turns, cfg.Expert.Search.Decisions = 1, 2
	cfg.Steps, cfg.Evaluations, cfg.Checkpoints = 32, 0, 1
	return cfg
}

// FuzzConfig reads any config. One that is accepted is unchanged by writing and
// reading it, and a run with it ends if it is small.
func FuzzConfig(f *testing.F) {
	games := []env.Game{testgames.Open(f, "pig", 0, `{"target": 10}`), testgames.Open(f, "martian-dice", 0, `{"players": 3, "dice": 2, "target": 2}`)}
	for _, a := range train.Algorithms() {
		for i := range games {
			for _, cfg := range []train.Config{train.DefaultConfig(a), tiny(a)} {
				text, err := json.Marshal(cfg)
				if err != nil {
					f.Fatal(err)
				}
				f.Add(uint8(i), text)
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		g := games[int(which)%len(games)]
		var cfg train.Config
		if input.DecodeJSON(text, &cfg) != nil || cfg.Check(g) != nil {
			return
		}
		again, err := json.Marshal(cfg)
		if err != nil {
			t.Fatal(err)
		}
		var back train.Config
		if err := input.DecodeJSON(again, &back); err != nil || !reflect.DeepEqual(back, cfg) {
			t.Fatalf("%s is read as %+v, error %v", again, back, err)
		}
		small := cfg.Steps <= 200 && cfg.Rows <= 16 && cfg.PPO.Epochs <= 4 && cfg.PPO.Horizon <= 16 &&
			cfg.Expert.Search.Turns <= 4 && cfg.Expert.Search.Decisions <= 16 && len(cfg.Hidden) <= 4
		for _, width := range cfg.Hidden {
			small = small && width <= 32
		}
		if !small {
			return
		}
		if _, err := train.Run(t.Context(), cfg, train.Options{Game: g, Dir: t.TempDir(), Learner: learner}); err != nil && !errors.Is(err, models.ErrDiverged) {
			t.Error(err)
		}
	})
}

// FuzzRestore resumes a run from a checkpoint with any bytes in one of its blobs. The
// run is refused or ends.
func FuzzRestore(f *testing.F) {
	g := testgames.Open(f, "pig", 0, `{"target": 10}`)
	type interrupted struct {
		cfg        train.Config
		checkpoint *models.File
		files      map[string][]byte
	}
	var runs []interrupted
	blobs := []string{"run", "settings", "shuffle", "part.0", "pool", "pool.0", "openings", "lag.at", "lag.weights"}
	for i, a := range train.Algorithms() {
		ctx, cancel := context.WithCancel(f.Context())
		opt := train.Options{Game: g, Dir: f.TempDir(), Learner: learner}
		opt.Report = func(m train.Metrics) {
			if m.Done > 0.5 {
				cancel()
			}
		}
		r := interrupted{cfg: tiny(a), files: map[string][]byte{}}
		if a == train.OneMove {
			r.cfg.Expert.PolicyLag = 1
		}
		if _, err := train.Run(ctx, r.cfg, opt); !errors.Is(err, train.ErrInterrupted) {
			f.Fatal(err)
		}
		var err error
		if r.checkpoint, err = models.Load(filepath.Join(opt.Dir, train.CheckpointFile)); err != nil {
			f.Fatal(err)
		}
		for _, name := range []string{train.MetricsFile, tensorboard.File} {
			if r.files[name], err = os.ReadFile(filepath.Join(opt.Dir, name)); err != nil {
				f.Fatal(err)
			}
		}
		runs = append(runs, r)
		for k, name := range blobs {
			f.Add(uint8(i), uint8(k), r.checkpoint.Blobs[name])
		}
	}
	f.Fuzz(func(t *testing.T, which, blob uint8, content []byte) {
		r := runs[int(which)%len(runs)]
		dir := t.TempDir()
		for name, b := range r.files {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		file := *r.checkpoint
		file.Blobs = maps.Clone(file.Blobs)
		file.Blobs[blobs[int(blob)%len(blobs)]] = content
		if err := file.Save(filepath.Join(dir, train.CheckpointFile)); err != nil {
			t.Fatal(err)
		}
		if _, err := train.Run(t.Context(), r.cfg, train.Options{Game: g, Dir: dir, Learner: learner, Resume: true}); err != nil {
			return
		}
		if _, err := models.Load(filepath.Join(dir, agents.ModelFile)); err != nil {
			t.Error(err)
		}
	})
}
