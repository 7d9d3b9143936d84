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

// job is a training run of about a second, or longer for long tests.
type job struct {
	game, config string
	algorithms   []string
	long         bool
}

// settings are the settings of train, without those of ppo.
const (
	settings    = `"steps": 6000, "hidden": [16], "rows": 16, "checkpoints": 9, "evaluations": 3`
	settingsPPO = `, "ppo": {"horizon": 16, "minibatch": 64}, "opponents": {"fraction": 0.25, "interval": 0.2, "bots": {"random": 0.5}}, "openings": {"fraction": 0.5}`
)

var trainings = []job{
	{"pig", `{"target": 20}`, []string{"ppo", "search", "one-move"}, false},
	{"pig", `{"players": 3, "target": 30}`, []string{"ppo"}, false},
	{"martian-dice", `{"dice": 5, "target": 6}`, []string{"ppo", "one-move", "turn-exact"}, false},
	{"martian-dice", `{"players": 3, "dice": 6, "target": 5}`, []string{"ppo", "one-move", "turn-exact"}, false},
	{"mars-is-ours", `{"players": 2}`, []string{"ppo"}, false},
	{"martian-risk-small", `{"max_rounds": 3}`, []string{"ppo"}, false},
	{"martian-risk", `{"max_rounds": 1}`, []string{"ppo"}, false},
	{"mars-is-ours-fast", `{}`, []string{"ppo"}, true},
	{"mars-is-ours", `{"players": 4}`, []string{"ppo"}, true},
	{"mars-is-ours", `{"players": 2}`, []string{"search", "one-move"}, true},
	{"martian-risk-small", `{"max_rounds": 3}`, []string{"one-move"}, true},
}

// training is a job with all its settings.
type training struct {
	name   string
	config string // of the run, as -config takes it
}

// training picks a training.
func (w *worker) training() training {
	j := pick(w, slices.DeleteFunc(slices.Clone(trainings), func(j job) bool { return j.long && *duration == 0 }))
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

// Files of a run folder.
const (
	modelFile   = "model.safetensors"
	metricsFile = "metrics.jsonl"
)

var runFiles = []string{modelFile, metricsFile, "checkpoint.safetensors", "config.json", "events.out.tfevents.0.marsgym"}

// uninterrupted returns the run folder of a training without faults.
func (w *worker) uninterrupted(t training) (*reference, error) {
	return w.reference("train "+t.name, func(r *reference) error {
		r.dir = filepath.Join(w.bin, fmt.Sprintf("uninterrupted-%x", w.Uint64()))
		if err := w.write("config.json", t.config); err != nil {
			return err
		}
		_, err := w.done("train", "-config", "config.json", "-out", r.dir, "-cache", w.cache())
		return err
	})
}

// cache returns the cache folder, which no attack damages.
func (w *worker) cache() string { return filepath.Join(w.bin, "cache") }

func (w *worker) write(name, text string) error {
	return os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o666)
}

// interrupted runs the training with a number of faults and returns the folder.
func (w *worker) interrupted(t training, ref *reference, faults int) (dir string, err error) {
	if err := w.write("config.json", t.config); err != nil {
		return "", err
	}
	for range faults {
		f := w.randomFault(ref.took)
		args := []string{"-resume", "run", "-cache", w.cache()}
		if !w.exists("run", "config.json") {
			os.RemoveAll(filepath.Join(w.dir, "run")) // a kill left it without settings
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
			return "", r.failure("succeeds although it cannot write its answer")
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

// train kills and interrupts a run, resumes it to its end, and compares the results.
func (w *worker) train() error {
	t := w.training()
	ref, err := w.uninterrupted(t)
	if err != nil {
		return err
	}
	dir, err := w.interrupted(t, ref, 1+w.IntN(6))
	if err != nil {
		return err
	}
	r, err := w.done("train", "-resume", dir, "-cache", w.cache())
	if err != nil {
		return err
	}
	if err := w.same(ref, dir, modelFile, metricsFile); err != nil {
		return fmt.Errorf("%s, %s: %w", t.name, r.command, err)
	}
	left, err := filepath.Glob(filepath.Join(w.dir, dir, "*.tmp"))
	if err != nil || len(left) > 0 {
		return fmt.Errorf("%s: temporary files remain: %v, %v", t.name, left, err)
	}
	return nil
}

var timed = regexp.MustCompile(`"(seconds|steps_per_s)":[^,}]*`)

// same compares files of a run with those of one without faults, except for times.
func (w *worker) same(ref *reference, dir string, names ...string) error {
	for _, name := range names {
		got, err := os.ReadFile(filepath.Join(w.dir, dir, name))
		if err != nil {
			return err
		}
		want, err := os.ReadFile(filepath.Join(ref.dir, name))
		if err != nil {
			return err
		}
		if name == metricsFile {
			got, want = timed.ReplaceAll(got, nil), timed.ReplaceAll(want, nil)
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("%s differs from that of a run without faults", name)
		}
	}
	return nil
}

// trainDamaged damages a file of a run, finished or not. Then -resume and eval must
// refuse it or give the right result.
func (w *worker) trainDamaged() error {
	t := w.training()
	ref, err := w.uninterrupted(t)
	if err != nil {
		return err
	}
	dir, err := w.interrupted(t, ref, 1+w.IntN(3))
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
	if err := w.same(ref, dir, modelFile); err != nil {
		return fmt.Errorf("%s, %s %s: %w", t.name, name, what, err)
	}
	return nil
}

// damage damages a file and returns how.
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

// trainReplaced replaces a file by a link, a folder or a pipe. The target of a link must
// not change.
func (w *worker) trainReplaced() error {
	t := w.training()
	ref, err := w.uninterrupted(t)
	if err != nil {
		return err
	}
	dir, err := w.interrupted(t, ref, 1+w.IntN(2))
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
		return r.failure(fmt.Sprintf("writes through a link at %s: %q, %v", name, b, err))
	}
	if r.status == 0 {
		return w.same(ref, dir, modelFile)
	}
	return nil
}

// sweep kills a sweep and resumes it.
func (w *worker) sweep() error {
	const text = `{"base": {"game": "pig", "game_config": {"target": 20}, "train": {"algorithm": "ppo", ` + settings + settingsPPO + `}}, "grid": {"train.rows": [8, 16]}, "seeds": [1, 2]}`
	args := []string{"-sweep", "sweep.json", "-out", "runs", "-cache", w.cache()}
	ref, err := w.reference("sweep", func(r *reference) error {
		r.dir = filepath.Join(w.bin, "ref-sweep")
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
		f := w.randomFault(ref.took)
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
	return filepath.WalkDir(ref.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != modelFile {
			return err
		}
		run, err := filepath.Rel(ref.dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		return w.same(&reference{dir: filepath.Dir(path)}, filepath.Join("runs", run), modelFile, metricsFile)
	})
}
