//go:build unix

package torture_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
)

// job is a training of a second or so, or of more for a long torture.
type job struct {
	game, config string
	algorithms   []string
	long         bool
}

// settings are those of train, less what only ppo has.
const (
	settings    = `"steps": 6000, "hidden": [16], "rows": 16, "shards": 2, "checkpoints": 9, "evaluations": 3`
	settingsPPO = `, "ppo": {"horizon": 16, "minibatch": 64, "pool": {"fraction": 0.25, "interval": 0.2}}`
)

var jobs = []job{
	{"pig", `{"target": 20}`, []string{"ppo", "one-ply"}, false},
	{"pig", `{"players": 3, "target": 30}`, []string{"ppo"}, false},
	{"martian-dice", `{"dice": 5, "target": 6}`, []string{"ppo", "one-ply", "turn-exact"}, false},
	{"martian-dice", `{"players": 3, "dice": 6, "target": 5}`, []string{"ppo", "one-ply", "turn-exact"}, false},
	{"mars-is-ours", `{"players": 2}`, []string{"ppo"}, false},
	{"martian-risk-small", `{"max_rounds": 3}`, []string{"ppo"}, false},
	{"martian-risk", `{"max_rounds": 1}`, []string{"ppo"}, false},
	{"mars-is-ours-fast", `{}`, []string{"ppo"}, true},
	{"mars-is-ours", `{"players": 4}`, []string{"ppo"}, true},
	{"mars-is-ours", `{"players": 2}`, []string{"one-ply"}, true},
	{"martian-risk-small", `{"max_rounds": 3}`, []string{"one-ply"}, true},
}

// training is a job with all that decides its end.
type training struct {
	name   string
	config string // of the run, as -config takes it
}

// training picks one.
func (w *worker) training() training {
	j := pick(w, slices.DeleteFunc(slices.Clone(jobs), func(j job) bool { return j.long && *duration == 0 }))
	a := pick(w, j.algorithms)
	settings := settings
	if a == "ppo" {
		settings += settingsPPO
	}
	seed := 1 + w.IntN(2)
	return training{
		name: fmt.Sprintf("%s %s %s %d", j.game, j.config, a, seed),
		config: fmt.Sprintf(`{"game": %q, "game_config": %s, "train": {"algorithm": %q, "seed": %d, %s}}`,
			j.game, j.config, a, seed, settings),
	}
}

// What a run folder holds.
const (
	modelFile   = "model.safetensors"
	metricsFile = "metrics.jsonl"
)

var runFiles = []string{modelFile, metricsFile, "checkpoint.safetensors", "config.json", "events.out.tfevents.0.marsgym"}

// whole is the training left alone: a run folder.
func (w *worker) whole(t training) (*reference, error) {
	return w.reference("train "+t.name, func(r *reference) error {
		r.dir = filepath.Join(w.bin, fmt.Sprintf("whole-%x", w.Uint64()))
		if err := w.write("config.json", t.config); err != nil {
			return err
		}
		_, err := w.done("train", "-config", "config.json", "-out", r.dir, "-cache", w.cache())
		return err
	})
}

// cache is a folder of solutions that nobody attacks.
func (w *worker) cache() string { return filepath.Join(w.bin, "cache") }

func (w *worker) write(name, text string) error {
	return os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o666)
}

// broken begins the training and strikes it some times, and returns the folder.
func (w *worker) broken(t training, whole *reference, strikes int) (dir string, err error) {
	if err := w.write("config.json", t.config); err != nil {
		return "", err
	}
	for range strikes {
		f := w.strike(whole.took)
		args := []string{"-resume", "run", "-cache", w.cache()}
		if !w.exists("run", "config.json") {
			os.RemoveAll(filepath.Join(w.dir, "run")) // where a kill left it without settings
			args = []string{"-config", "config.json", "-out", "run", "-cache", w.cache()}
		}
		r, err := w.run(f, "train", args...)
		if err != nil {
			return "", err
		}
		if f.signal != 0 && r.status != 0 {
			w.count("kills and signals in training: " + f.signal.String())
		}
		if f.full && r.status == 0 {
			return "", r.wrong("cannot write its answer, and succeeds")
		}
	}
	if !w.exists("run", "config.json") {
		os.RemoveAll(filepath.Join(w.dir, "run"))
		_, err := w.done("train", "-config", "config.json", "-out", "run", "-cache", w.cache())
		return "run", err
	}
	return "run", nil
}

func (w *worker) exists(parts ...string) bool {
	_, err := os.Stat(filepath.Join(append([]string{w.dir}, parts...)...))
	return err == nil
}

// train kills and interrupts a run, resumes it to its end, and compares.
func (w *worker) train() error {
	t := w.training()
	whole, err := w.whole(t)
	if err != nil {
		return err
	}
	dir, err := w.broken(t, whole, 1+w.IntN(6))
	if err != nil {
		return err
	}
	r, err := w.done("train", "-resume", dir, "-cache", w.cache())
	if err != nil {
		return err
	}
	if err := w.same(whole, dir, modelFile, metricsFile); err != nil {
		return fmt.Errorf("%s, %s: %w", t.name, r.command, err)
	}
	left, err := filepath.Glob(filepath.Join(w.dir, dir, "*.tmp"))
	if err != nil || len(left) > 0 {
		return fmt.Errorf("%s: left behind: %v, %v", t.name, left, err)
	}
	return nil
}

var timed = regexp.MustCompile(`"(seconds|steps_per_s)":[^,}]*`)

// same compares files of a run with those of one that was left alone, but for what
// they say of time.
func (w *worker) same(whole *reference, dir string, names ...string) error {
	for _, name := range names {
		got, err := os.ReadFile(filepath.Join(w.dir, dir, name))
		if err != nil {
			return err
		}
		want, err := os.ReadFile(filepath.Join(whole.dir, name))
		if err != nil {
			return err
		}
		if name == metricsFile {
			got, want = timed.ReplaceAll(got, nil), timed.ReplaceAll(want, nil)
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("%s differs from that of a run that was left alone", name)
		}
	}
	return nil
}

// trainDamaged damages a file of a run, ended or not. Then -resume and eval refuse
// it, or give the right result.
func (w *worker) trainDamaged() error {
	t := w.training()
	whole, err := w.whole(t)
	if err != nil {
		return err
	}
	dir, err := w.broken(t, whole, 1+w.IntN(3))
	if err != nil {
		return err
	}
	var name string
	for {
		if name = pick(w, runFiles); w.exists(dir, name) || !w.exists(dir, modelFile) {
			break
		}
	}
	path := filepath.Join(w.dir, dir, name)
	what, err := w.damage(path)
	if err != nil {
		return err
	}
	if name == modelFile {
		if _, err := w.run(fault{}, "eval", "-model", dir, "-against", "random", "-games", "10", "-cache", w.cache()); err != nil {
			return fmt.Errorf("%s %s: %w", name, what, err)
		}
	}
	r, err := w.run(fault{cores: 1 + w.IntN(4)}, "train", "-resume", dir, "-cache", w.cache())
	if err != nil {
		return fmt.Errorf("%s %s: %w", name, what, err)
	}
	if r.status != 0 {
		w.count("damaged run files refused")
		return nil
	}
	w.count("damaged run files without effect")
	if err := w.same(whole, dir, modelFile); err != nil {
		return fmt.Errorf("%s, %s %s: %w", t.name, name, what, err)
	}
	return nil
}

// damage does something to a file, and says what.
func (w *worker) damage(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "is missing", nil
	}
	what := ""
	switch n := len(b); w.IntN(7) {
	case 0:
		return "is removed", os.Remove(path)
	case 1:
		what, b = "is empty", nil
	case 2:
		n = w.IntN(n + 1)
		what, b = fmt.Sprintf("is cut to %d bytes", n), b[:n]
	case 3:
		what, b = "has more at its end", append(b, bytes.Repeat([]byte{byte(w.IntN(256))}, 1+w.IntN(100))...)
	case 4:
		what, b = "is all zeros", make([]byte, n)
	case 5:
		what, b = "is twice as long", append(b, b...)
	default:
		if n > 0 {
			i := w.IntN(n)
			what = fmt.Sprintf("has a bit flipped in byte %d", i)
			b[i] ^= 1 << w.IntN(8)
		}
	}
	return what, os.WriteFile(path, b, 0o666)
}

// trainReplaced puts a link, a folder or a pipe in the place of a file. What a link
// points to stays as it is.
func (w *worker) trainReplaced() error {
	t := w.training()
	whole, err := w.whole(t)
	if err != nil {
		return err
	}
	dir, err := w.broken(t, whole, 1+w.IntN(2))
	if err != nil {
		return err
	}
	const precious = "nobody may touch this\n"
	if err := w.write("precious", precious); err != nil {
		return err
	}
	name := pick(w, runFiles)
	path := filepath.Join(w.dir, dir, name)
	os.Remove(path)
	switch w.IntN(4) {
	case 0:
		err = os.Symlink("../precious", path)
	case 1:
		err = os.Symlink(filepath.Join(w.dir, "precious"), path)
	case 2:
		err = os.Mkdir(path, 0o777)
	default:
		err = syscall.Mkfifo(path, 0o666)
	}
	if err != nil {
		return err
	}
	r, err := w.run(fault{}, "train", "-resume", dir, "-cache", w.cache())
	if err != nil {
		return fmt.Errorf("%s replaced: %w", name, err)
	}
	w.count("run files replaced")
	if b, err := os.ReadFile(filepath.Join(w.dir, "precious")); err != nil || string(b) != precious {
		return r.wrong(fmt.Sprintf("writes through a link at %s: %q, %v", name, b, err))
	}
	if r.status == 0 {
		return w.same(whole, dir, modelFile)
	}
	return nil
}

// sweep kills a sweep and goes on with it.
func (w *worker) sweep() error {
	const text = `{"base": {"game": "pig", "game_config": {"target": 20}, "train": {"algorithm": "ppo", ` + settings + settingsPPO + `}}, "grid": {"train.rows": [8, 16]}, "seeds": [1, 2]}`
	args := []string{"-sweep", "sweep.json", "-out", "runs", "-cache", w.cache()}
	whole, err := w.reference("sweep", func(r *reference) error {
		r.dir = filepath.Join(w.bin, "whole-sweep")
		if err := w.write("sweep.json", text); err != nil {
			return err
		}
		_, err := w.done("train", "-sweep", "sweep.json", "-out", r.dir, "-cache", w.cache())
		return err
	})
	if err != nil {
		return err
	}
	if err := w.write("sweep.json", text); err != nil {
		return err
	}
	for range 1 + w.IntN(4) {
		f := w.strike(whole.took)
		r, err := w.run(f, "train", args...)
		if err != nil {
			return err
		}
		if f.signal != 0 && r.status != 0 {
			w.count("kills and signals in training: " + f.signal.String())
		}
	}
	if _, err := w.done("train", args...); err != nil {
		return err
	}
	return filepath.WalkDir(whole.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != modelFile {
			return err
		}
		run, err := filepath.Rel(whole.dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		return w.same(&reference{dir: filepath.Dir(path)}, filepath.Join("runs", run), modelFile, metricsFile)
	})
}
