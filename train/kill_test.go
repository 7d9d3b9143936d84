package train_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"marsgym/agents"
	"marsgym/internal/tensorboard"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train"
)

// short is a run of about forty short iterations that saves after about every
// third.
func short(a train.Algorithm) train.Config { return shortened(train.DefaultConfig(a)) }

// shortened returns settings with less of everything.
func shortened(cfg train.Config) train.Config {
	cfg.Hidden, cfg.Rows = []int{16}, 16
	cfg.PPO.Horizon, cfg.PPO.Minibatch = 16, 64
	cfg.Expert.Search.Decisions = 16
	cfg.Steps, cfg.Checkpoints = 10_000, 13
	return cfg
}

// TestKill trains in processes that are killed at any moment, and compares the
// result with that of an undisturbed run.
func TestKill(t *testing.T) {
	const (
		key  = "MARSGYM_TRAIN_TEST"
		lead = 8 // iterations after which a process waits for its kill, so that none comes too late
	)
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`)
	if job := os.Getenv(key); job != "" { // this is such a process
		algorithm, dir, _ := strings.Cut(job, " ")
		_, waits := os.LookupEnv(key + "_WAITS")
		opt := train.Options{Game: g, Dir: dir, Learner: learner, Resume: true}
		left := lead
		opt.Report = func(train.Metrics) {
			fmt.Println("iteration")
			if left--; left == 0 && waits {
				io.Copy(io.Discard, os.Stdin) // until the kill
			}
		}
		fmt.Println("ready")
		if _, err := train.Run(t.Context(), short(train.Algorithm(algorithm)), opt); err != nil {
			t.Fatal(err)
		}
		return
	}
	if testing.Short() {
		t.Skip("starts and kills thirty processes")
	}
	fulltest.Gate(t)
	kills := 4
	if fulltest.On() {
		kills = 6
	}
	for _, a := range train.Algorithms() {
		t.Run(string(a), func(t *testing.T) {
			t.Parallel() // they wait for processes
			whole, dir := t.TempDir(), t.TempDir()
			if _, err := train.Run(t.Context(), short(a), train.Options{Game: g, Dir: whole, Learner: learner}); err != nil {
				t.Fatal(err)
			}
			seed := rand.Uint64()
			random := rand.New(rand.NewPCG(seed, 0))
			defer func() {
				if t.Failed() {
					t.Logf("seed %d", seed)
				}
			}()
			killed := 0
			for ended := false; !ended; {
				child := exec.Command(os.Args[0], "-test.run=^TestKill$")
				child.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s", key, a, dir))
				if killed < kills {
					child.Env = append(child.Env, key+"_WAITS=")
				}
				out, err := child.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if _, err := child.StdinPipe(); err != nil { // closed when this process ends
					t.Fatal(err)
				}
				if err := child.Start(); err != nil {
					t.Fatal(err)
				}
				lines, text := bufio.NewScanner(out), ""
				// Some are killed before the first iteration is over.
				for left := random.IntN(1 + lead); left >= 0 && lines.Scan(); left-- {
					text += lines.Text() + "\n"
				}
				if killed < kills {
					time.Sleep(time.Duration(random.Int64N(int64(5 * time.Millisecond))))
					child.Process.Kill()
				}
				for lines.Scan() {
					text += lines.Text() + "\n"
				}
				err = child.Wait()
				ended = child.ProcessState.Exited()
				if ended && err != nil {
					t.Fatalf("after %d kills: %v\n%s", killed, err, text)
				}
				if !ended {
					killed++
				}
			}
			if killed < 3 {
				t.Errorf("%d processes were killed; want at least 3", killed)
			}
			if !bytes.Equal(read(t, dir, agents.ModelFile), read(t, whole, agents.ModelFile)) {
				t.Errorf("after %d kills a run ends in another model", killed)
			}
			same(t, dir, whole)
		})
	}
}

// TestKillBeforeCheckpoint resumes a run that was killed before its first checkpoint.
func TestKillBeforeCheckpoint(t *testing.T) {
	g := testgames.Open(t, "pig", 0, `{"target": 10}`)
	whole, dir := t.TempDir(), t.TempDir()
	if _, err := train.Run(t.Context(), short(train.AlgorithmPPO), train.Options{Game: g, Dir: whole, Learner: learner}); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(dir, train.CheckpointFile+".ABCDEFGH.tmp")
	for _, path := range []string{filepath.Join(dir, train.MetricsFile), filepath.Join(dir, tensorboard.File), left} {
		if err := os.WriteFile(path, []byte("half a li"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := train.Run(t.Context(), short(train.AlgorithmPPO), train.Options{Game: g, Dir: dir, Learner: learner, Resume: true}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(read(t, dir, agents.ModelFile), read(t, whole, agents.ModelFile)) {
		t.Error("a restarted run ends in another model")
	}
	same(t, dir, whole)
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left behind: %v", left, err)
	}
}

// TestKillBeforeModel resumes a run that was killed between its last checkpoint and
// the model.
func TestKillBeforeModel(t *testing.T) {
	g := testgames.Open(t, "pig", 0, `{"target": 10}`)
	opt := train.Options{Game: g, Dir: t.TempDir(), Learner: learner}
	if _, err := train.Run(t.Context(), short(train.AlgorithmPPO), opt); err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(opt.Dir, agents.ModelFile)
	want := read(t, model)
	if err := os.WriteFile(model, []byte("older"), 0o666); err != nil {
		t.Fatal(err)
	}
	opt.Resume = true
	if _, err := train.Run(t.Context(), short(train.AlgorithmPPO), opt); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(read(t, model), want) {
		t.Error("the model is not that of the checkpoint")
	}
	if err := os.Remove(filepath.Join(opt.Dir, train.CheckpointFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := train.Run(t.Context(), short(train.AlgorithmPPO), opt); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a model without its checkpoint: %v", err)
	}
	if !bytes.Equal(read(t, model), want) {
		t.Error("the model is gone")
	}
}

// same compares the records of two runs, except times, and their counted work.
func same(t *testing.T, dir, whole string) {
	t.Helper()
	var lines, events, work [2][]byte
	for i, d := range []string{dir, whole} {
		f, err := models.Load(filepath.Join(d, train.CheckpointFile))
		if err != nil {
			t.Fatal(err)
		}
		work[i] = counted.Find(f.Blobs["run"])
		lines[i] = timed.ReplaceAll(read(t, d, train.MetricsFile), nil)
		events[i] = read(t, d, tensorboard.File)
	}
	if !bytes.Equal(lines[0], lines[1]) {
		t.Errorf("the metrics are\n%s\nwant\n%s", lines[0], lines[1])
	}
	if work[0] == nil || !bytes.Equal(work[0], work[1]) {
		t.Errorf("%s is counted; want %s", work[0], work[1])
	}
	if len(events[0]) != len(events[1]) {
		t.Errorf("%d bytes of events; want %d", len(events[0]), len(events[1]))
	}
	for _, tag := range []string{"loss/policy", "policy/entropy", "train/steps_per_s", "exact/win", "exact/exploitability"} {
		if got, want := bytes.Count(events[0], []byte(tag)), bytes.Count(events[1], []byte(tag)); got != want {
			t.Errorf("%d events have %s; want %d", got, tag, want)
		}
	}
}

var counted = regexp.MustCompile(`"work":[1-9]\d*`)

var timed = regexp.MustCompile(`"(seconds|steps_per_s)":[^,}]*`)

func read(t *testing.T, parts ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
