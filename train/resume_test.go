package train_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/internal/atomicfile"
	"marsgym/internal/tensorboard"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train"
)

// finished returns the config of a finished run and the options that resume it.
func finished(t *testing.T) (train.Config, train.Options) {
	t.Helper()
	cfg := small()
	cfg.Steps = 2
	opt := train.Options{Game: testgames.Open(t, "pig", 0, `{"target": 10}`), Dir: t.TempDir(), Learner: learner, Backend: "gorgonia"}
	if _, err := train.Run(t.Context(), cfg, opt); err != nil {
		t.Fatal(err)
	}
	opt.Resume = true
	return cfg, opt
}

func TestResumeRefusesOtherSettings(t *testing.T) {
	cfg, opt := finished(t)
	before := read(t, opt.Dir, agents.ModelFile)
	for want, change := range map[string]func(*train.Config, *train.Options){
		"train.seed was 1 and is 2;":               func(c *train.Config, _ *train.Options) { c.Seed = 2 },
		"train.steps was 2 and is 1;":              func(c *train.Config, _ *train.Options) { c.Steps = 1 },
		"train.rows was 32 and is 33;":             func(c *train.Config, _ *train.Options) { c.Rows++ },
		"train.hidden was [32] and is [32,8];":     func(c *train.Config, _ *train.Options) { c.Hidden = []int{32, 8} },
		"train.ppo.minibatch was 256 and is 128;":  func(c *train.Config, _ *train.Options) { c.PPO.Minibatch = 128 },
		"train.ppo.lambda was 0.85 and is 0.9;":    func(c *train.Config, _ *train.Options) { c.PPO.Lambda = 0.9 },
		"train.adam.beta2 was 0.999 and is 0.9;":   func(c *train.Config, _ *train.Options) { c.Adam.Beta2 = 0.9 },
		"train.evaluations was 2 and is 3;":        func(c *train.Config, _ *train.Options) { c.Evaluations = 3 },
		`train.algorithm was "ppo" and is "turn-`:  func(c *train.Config, _ *train.Options) { *c = brief(train.TurnExact) },
		`backend was "gorgonia" and is "gotch";`:   func(_ *train.Config, o *train.Options) { o.Backend = "gotch" },
		"game_config.target was 10 and is 11;":     func(_ *train.Config, o *train.Options) { o.Game = testgames.Open(t, "pig", 0, `{"target": 11}`) },
		"game was \"pig\" and is \"martian-dice\"": func(_ *train.Config, o *train.Options) { o.Game = testgames.Open(t, "martian-dice", 0, `{"dice": 5}`) },
	} {
		c, o := cfg, opt
		change(&c, &o)
		_, err := train.Run(t.Context(), c, o)
		if !errors.Is(err, train.ErrSettings) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v; want one line with %q", err, want)
		}
	}
	if !bytes.Equal(read(t, opt.Dir, agents.ModelFile), before) {
		t.Error("the model has changed")
	}
	cfg.Checkpoints++
	if _, err := train.Run(t.Context(), cfg, opt); err != nil {
		t.Errorf("saved more often: %v", err)
	}
}

// TestResumeOlderCheckpoint resumes from checkpoints of a release without a certain
// field, and of releases with another arithmetic.
func TestResumeOlderCheckpoint(t *testing.T) {
	cfg, opt := finished(t)
	path := filepath.Join(opt.Dir, train.CheckpointFile)
	f, err := models.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	replace := func(blob, old, new string) {
		t.Helper()
		text := f.Blobs[blob]
		f.Blobs[blob] = bytes.Replace(text, []byte(old), []byte(new), 1)
		if bytes.Equal(text, f.Blobs[blob]) {
			t.Fatalf("%s lacks %s", text, old)
		}
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
	}
	replace("settings", `"epochs":2,`, "")
	cfg.PPO.Epochs = train.DefaultConfig(cfg.Algorithm).PPO.Epochs
	if _, err := train.Run(t.Context(), cfg, opt); err != nil {
		t.Errorf("fewer settings: %v", err)
	}
	for text, finish := range map[string]string{`"arithmetic":3,`: "finish the run with release 0.1.0", `"arithmetic":4,`: "that of the run version 4; finish the run with the release that began it", "": "finish the run with the release that began it"} {
		if f, err = models.Load(path); err != nil { // which the run has written again
			t.Fatal(err)
		}
		before := slices.Clone(f.Blobs["run"])
		replace("run", `"arithmetic":5,`, text)
		_, err := train.Run(t.Context(), cfg, opt)
		if !errors.Is(err, train.ErrArithmetic) || !strings.Contains(err.Error(), finish) {
			t.Errorf("arithmetic %q: %v", text, err)
		}
		f.Blobs["run"] = before
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestResumeFollowsNoLink replaces the files of a run by links.
func TestResumeFollowsNoLink(t *testing.T) {
	for _, name := range []string{train.MetricsFile, tensorboard.File, train.CheckpointFile} {
		for _, inside := range []bool{false, true} {
			cfg, opt := finished(t)
			path := filepath.Join(opt.Dir, name)
			target := filepath.Join(t.TempDir(), "precious")
			link := target
			if inside {
				target, link = path+".old", name+".old"
			}
			// At least as long as in the checkpoint.
			want := append(read(t, path), "precious"...)
			if name == train.CheckpointFile {
				want = read(t, path)
			}
			if err := errors.Join(os.Remove(path), os.WriteFile(target, want, 0o666)); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(link, path); err != nil {
				t.Skip("no links here:", err)
			}
			if _, err := train.Run(t.Context(), cfg, opt); !errors.Is(err, atomicfile.ErrNotRegular) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s, inside %v: %v", name, inside, err)
			}
			if !bytes.Equal(read(t, target), want) {
				t.Errorf("%s: the target of the link has changed", name)
			}
		}
	}
}

// TestResumeRemovesOwnFiles resumes a run in a folder whose name is a pattern, beside
// another run, with a user's files in both.
func TestResumeRemovesOwnFiles(t *testing.T) {
	cfg, opt := finished(t)
	base := t.TempDir()
	dir := filepath.Join(base, "a*")
	if err := os.Rename(opt.Dir, dir); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, agents.ModelFile+".ABCDEFGH.tmp")
	kept := []string{filepath.Join(dir, "notes.tmp"), filepath.Join(base, "ab", train.CheckpointFile+".ABCDEFGH.tmp")}
	if err := os.Mkdir(filepath.Join(base, "ab"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, path := range append(kept, own) {
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	opt.Dir = dir
	if _, err := train.Run(t.Context(), cfg, opt); err != nil {
		t.Fatal(err)
	}
	for _, path := range kept {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(own); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left behind: %v", own, err)
	}
}
