package train_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train"
)

// TestProlong: a finished run that is prolonged ends in the same bits whether or not its parts were
// interrupted, and in others than at its first end.
func TestProlong(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`)
	for _, tt := range []struct {
		algorithm train.Algorithm
		lag       int
	}{{train.AlgorithmPPO, 0}, {train.OneMove, 0}, {train.TurnExact, 1}} {
		var ends [2][]byte
		for k, interrupted := range []bool{false, true} {
			cfg, opt := short(tt.algorithm), train.Options{Game: g, Dir: t.TempDir(), Learner: learner, Backend: train.DefaultBackend, Resume: true}
			cfg.Steps, cfg.Expert.PolicyLag, cfg.Opponents = 2000, tt.lag, someOpponents
			s := train.Settings{Game: g.Spec().ID, GameConfig: []byte(g.Spec().ConfigJSON()), Backend: train.DefaultBackend, Train: cfg}
			if err := s.Save(opt.Dir); err != nil {
				t.Fatal(err)
			}
			run := func(s train.Settings) {
				t.Helper()
				for calls := int64(1000); interrupted; calls *= 4 {
					ctx := &countdown{Context: t.Context()}
					ctx.left.Store(calls)
					if _, err := train.Run(ctx, s.Train, opt); err == nil {
						return
					} else if !errors.Is(err, train.ErrInterrupted) {
						t.Fatal(err)
					}
				}
				if _, err := train.Run(t.Context(), s.Train, opt); err != nil {
					t.Fatal(err)
				}
			}
			ctx := &countdown{Context: t.Context()}
			ctx.left.Store(20)
			if _, err := train.Run(ctx, s.Train, opt); errors.Is(err, train.ErrInterrupted) {
				longer := s.Train
				longer.Steps++
				if _, err := train.Run(t.Context(), longer, opt); !errors.Is(err, train.ErrSettings) {
					t.Errorf("%s: more steps before the end: %v", tt.algorithm, err)
				}
			} else {
				t.Fatalf("%s: not interrupted: %v", tt.algorithm, err)
			}
			run(s)
			first := read(t, opt.Dir, agents.ModelFile)
			longer, err := s.Prolong(g, opt.Dir, 1500)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := longer.Prolong(g, opt.Dir, 1); err == nil || !strings.Contains(err.Error(), "of 3500; only a run that has ended can be prolonged") {
				t.Errorf("prolonged before its end: %v", err)
			}
			saved, err := train.LoadSettings(opt.Dir)
			if err != nil || saved.Train.Steps != 3500 {
				t.Errorf("the settings of the folder have %d steps, %v; want 3500", saved.Train.Steps, err)
			}
			run(saved)
			if ends[k] = read(t, opt.Dir, agents.ModelFile); bytes.Equal(ends[k], first) {
				t.Errorf("%s: the model has not changed", tt.algorithm)
			}
			f, err := models.Load(filepath.Join(opt.Dir, agents.ModelFile))
			if err != nil || f.Meta.Steps < 3500 {
				t.Errorf("%s: the model has %d steps, %v", tt.algorithm, f.Meta.Steps, err)
			}
		}
		if !bytes.Equal(ends[0], ends[1]) {
			t.Errorf("%s: an interrupted run ends in another model", tt.algorithm)
		}
	}
}

// TestProlongRefuses: a run with a population is not prolonged.
func TestProlongRefuses(t *testing.T) {
	g, dir := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`), t.TempDir()
	cfg := short(train.AlgorithmPPO)
	cfg.Steps, cfg.Opponents = 1024, someOpponents
	cfg.Opponents.Population, cfg.Opponents.PopulationSteps = 1, 0.5
	if _, err := train.Run(t.Context(), cfg, train.Options{Game: g, Dir: dir, Learner: learner, Backend: train.DefaultBackend}); err != nil {
		t.Fatal(err)
	}
	s := train.Settings{Backend: train.DefaultBackend, Train: cfg}
	if _, err := s.Prolong(g, dir, 1024); err == nil || !strings.Contains(err.Error(), "has trained a population") || !strings.Contains(err.Error(), "-from "+dir) {
		t.Errorf("a run with a population: %v", err)
	}
	if _, err := s.Prolong(g, t.TempDir(), 1024); err == nil || !strings.Contains(err.Error(), "is at decision 0 of 1024") {
		t.Errorf("a folder without a checkpoint: %v", err)
	}
}

// TestStart: a run that begins with another network begins with it again if it is resumed before its
// first checkpoint, and refuses one whose outputs have another meaning.
func TestStart(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`)
	cfg, before := short(train.OneMove), t.TempDir()
	cfg.Steps = 1000
	if _, err := train.Run(t.Context(), cfg, train.Options{Game: g, Dir: before, Learner: learner}); err != nil {
		t.Fatal(err)
	}
	f, err := models.Load(filepath.Join(before, agents.ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	cfg.Seed = 2
	if err := cfg.CheckStart(g, f); err != nil {
		t.Fatal(err)
	}
	started, resumed, plain := t.TempDir(), t.TempDir(), t.TempDir()
	if err := f.Save(filepath.Join(resumed, train.StartFile)); err != nil {
		t.Fatal(err)
	}
	for dir, opt := range map[string]train.Options{started: {Start: f.MLP}, resumed: {Resume: true}, plain: {}} {
		opt.Game, opt.Dir, opt.Learner = g, dir, learner
		ctx := &countdown{Context: t.Context()}
		ctx.left.Store(5) // within the first iteration
		if _, err := train.Run(ctx, cfg, opt); dir == resumed && !errors.Is(err, train.ErrInterrupted) {
			t.Fatalf("not interrupted: %v", err)
		}
		opt.Resume = true
		if _, err := train.Run(context.WithoutCancel(t.Context()), cfg, opt); err != nil {
			t.Fatal(err)
		}
	}
	model := func(dir string) []byte { return read(t, dir, agents.ModelFile) }
	if !bytes.Equal(model(started), model(resumed)) {
		t.Error("the resumed run ends in another model")
	}
	if bytes.Equal(model(started), model(plain)) {
		t.Error("the network that a run begins with changes nothing")
	}

	logits, wide := cfg, cfg
	logits.Head, wide.Hidden = models.Logits, []int{16, 16}
	for _, tt := range []struct {
		cfg  train.Config
		game string
		want string
	}{
		{logits, `{"dice": 5, "target": 6}`, "the network has the head score, and train.head is logits"},
		{wide, `{"dice": 5, "target": 6}`, "the hidden layers of the network have the widths [16], and train.hidden is [16 16]"},
		{short(train.AlgorithmPPO), `{"dice": 5, "target": 6}`, "the values of the network, trained by one-move, have another meaning than those of ppo"},
		{short(train.TurnExact), `{"dice": 5, "target": 6}`, "the values of the network, trained by one-move, have another meaning than those of turn-exact"},
		{cfg, `{"dice": 5, "target": 7}`, "it was trained with other settings of martian-dice"},
		{cfg, `{"dice": 5, "target": 6, "players": 3}`, "it plays martian-dice for 2 players, not 3"},
	} {
		err := tt.cfg.CheckStart(testgames.Open(t, "martian-dice", 0, tt.game), f)
		if !errors.Is(err, train.ErrConfig) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, %s: %v; want %q", tt.cfg.Algorithm, tt.game, err, tt.want)
		}
	}
}
