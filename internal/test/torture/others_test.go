//go:build unix

package torture_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// small and endless are game settings.
const (
	small   = `{"target": 20}`
	endless = `{"max_rounds": 0}`
)

// solved and solvedLong are arguments of solve; those of solvedLong take longer.
var (
	solved = [][]string{
		{"-game", "martian-dice", "-players", "2"},
		{"-game", "martian-dice", "-players", "3", "-game-config", "small.json"},
		{"-game", "pig", "-game-config", "small.json"},
	}
	solvedLong = [][]string{
		{"-game", "martian-dice", "-players", "3"},
		{"-game", "martian-dice", "-players", "3", "-position", "13-17-9@1 aside T3R2H4 roll R2C1K1"},
		{"-game", "mars-is-ours-fast"},
		{"-game", "pig"},
	}
)

// files writes the game settings to files.
func (w *worker) files() error {
	return errors.Join(w.write("small.json", small), w.write("endless.json", endless))
}

// solvable picks arguments of solve.
func (w *worker) solvable() []string {
	if *duration == 0 {
		return pick(w, solved)
	}
	return pick(w, slices.Concat(solved, solvedLong))
}

var seconds = regexp.MustCompile(`"seconds": [^,\n]*`)

// answer returns the output of a command without its time.
func answer(r result) string { return seconds.ReplaceAllString(r.stdout, "") }

func (w *worker) solution(args []string) (*reference, error) {
	return w.reference("solve "+strings.Join(args, " "), func(ref *reference) error {
		r, err := w.done("solve", append(args, "-json", "-cache", "none")...)
		ref.out = answer(r)
		return err
	})
}

// solve runs a solver with a cache several times with faults, some of them while it
// writes, and then without.
func (w *worker) solve() error {
	if err := w.files(); err != nil {
		return err
	}
	game := w.solvable()
	ref, err := w.solution(game)
	if err != nil {
		return err
	}
	args := append(append([]string{}, game...), "-json", "-cache", "solutions")
	for range 1 + w.IntN(6) {
		f := w.randomFault(ref.took)
		if w.IntN(2) == 0 && f.signal != 0 { // during a write
			f.signal, f.after = syscall.SIGKILL, w.untilWritten(f.after)
		}
		r, err := w.run(f, "solve", args...)
		if err != nil {
			return err
		}
		if f.signal != 0 && r.status != 0 {
			w.count("kills and signals in solving: " + f.signal.String())
		}
		if r.status == 0 && !f.full && answer(r) != ref.out {
			return r.failure("differs from " + ref.out)
		}
	}
	r, err := w.done("solve", args...)
	if err != nil {
		return err
	}
	if answer(r) != ref.out {
		return r.failure("differs from " + ref.out)
	}
	r, err = w.done("solve", args...) // from the cache
	if err == nil && answer(r) != ref.out {
		err = r.failure("differs, with its cache, from " + ref.out)
	}
	return err
}

// untilWritten returns the approximate time of the write of a solver that takes so long.
func (w *worker) untilWritten(took time.Duration) time.Duration {
	return took*9/10 + time.Duration(w.Float64()*0.3*float64(took))
}

// solveDamaged damages a cached solution: solve must refuse it or give the right answer.
func (w *worker) solveDamaged() error {
	if err := w.files(); err != nil {
		return err
	}
	game := w.solvable()
	ref, err := w.solution(game)
	if err != nil {
		return err
	}
	args := append(append([]string{}, game...), "-json", "-cache", "solutions")
	if _, err := w.done("solve", args...); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(w.dir, "solutions", "*"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return nil // solutions of this game are not cached
	}
	what, err := w.damage(pick(w, files))
	if err != nil {
		return err
	}
	r, err := w.run(fault{}, "solve", args...)
	if err != nil {
		return fmt.Errorf("a solution that %s: %w", what, err)
	}
	if r.status != 0 {
		w.count("damaged solutions refused")
		return nil
	}
	w.count("damaged solutions without effect")
	if answer(r) != ref.out {
		return r.failure("accepts a solution that " + what)
	}
	return nil
}

// eval runs an evaluation with a fault; if it ends, its output must be right.
func (w *worker) eval() error {
	if err := w.files(); err != nil {
		return err
	}
	args := pick(w, [][]string{
		{"-game", "pig", "-game-config", "small.json", "-model", "greedy", "-against", "exact"},
		{"-model", "greedy", "-against", "random", "-games", "20000"},
		{"-model", "greedy", "-against", "exact"},
		{"match", "-model", "pretrained", "-against", "greedy", "-sequential", "0.02"},
		{"tournament", "greedy", "random", "search:10", "-games", "30"},
		{"-game", "mars-is-ours", "-players", "3", "-model", "greedy", "-against", "random", "-games", "60"},
		{"-game", "martian-risk-small", "-model", "search:2", "-against", "greedy", "-games", "3"},
		{"-game", "martian-risk-tiny", "-game-config", "endless.json", "-model", "random", "-against", "greedy", "-games", "40"},
	})
	args = append(append([]string{}, args...), "-json", "-cache", w.cache())
	ref, err := w.reference("eval "+strings.Join(args, " "), func(ref *reference) error {
		r, err := w.done("eval", args...)
		ref.out = answer(r)
		return err
	})
	if err != nil {
		return err
	}
	f := w.randomFault(ref.took)
	r, err := w.run(f, "eval", args...)
	if err != nil {
		return err
	}
	if f.full && r.status == 0 {
		return r.failure("succeeds although it cannot write its answer")
	}
	if r.status == 0 && answer(r) != ref.out {
		return r.failure("differs from " + ref.out)
	}
	return nil
}

// play plays games with random input.
func (w *worker) play() error {
	game := pick(w, [][]string{
		{"-game", "martian-dice", "-players", fmt.Sprint(1 + w.IntN(4))},
		{"-game", "pig"},
		{"-game", "mars-is-ours", "-players", fmt.Sprint(2 + w.IntN(3))},
		{"-game", "mars-is-ours-fast"},
		{"-game", "martian-risk-small"},
		{"-game", "martian-risk-tiny"},
	})
	words := []string{"", "?", "help", "1", "t", "r", "hold", "roll", "pass", "end", "\x00\xff", strings.Repeat("x", 100_000), "-1", "999999999999999999999", "quit?"}
	var in strings.Builder
	for range w.IntN(400) {
		in.WriteString(pick(w, words) + "\n")
	}
	f := w.randomFault(time.Second)
	f.in = in.String()
	if f.signal == syscall.SIGKILL {
		f.signal = 0
	}
	r, err := w.run(f, "play", append(append([]string{}, game...), "-opponent", pick(w, []string{"random", "greedy", "search:5"}), "-seed", fmt.Sprint(w.IntN(1000)), "-cache", w.cache())...)
	if err == nil && f.full && r.status == 0 {
		err = r.failure("succeeds although it cannot write")
	}
	return err
}

// invalid calls a command with invalid arguments and files.
func (w *worker) invalid() error {
	command := pick(w, []string{"train", "eval", "play", "solve"})
	flags := []string{"-steps", "-seed", "-algorithm", "-config", "-out", "-resume", "-sweep", "-game", "-players", "-game-config",
		"-model", "-against", "-games", "-sequential", "-tournament", "-compare", "-plot", "-position", "-odds", "-opponent", "-seat", "-cache", "-backend", "-device", "-policy", "-mistakes", "-pool"}
	values := []string{"", "-1", "0", "1e6", "99999999999999999999", "NaN", "invalid", "invalid.json", ".", "/dev/null", "/dev/zero", "/nowhere/at/all",
		"none", "pig", "martian-dice", "exact", "greedy,greedy", "search:0", "search:1e9", "search:5:invalid.json", "6 against 4", "13-17@1", "\x00", "\xff\xfe", strings.Repeat("a", 5000)}
	text := pick(w, []string{"", "{", "null", "[]", `{"train": null}`, `{"game": "pig", "train": {"steps": -1}}`, `{"train": {"hidden": [1e9]}}`,
		`{"players": 1e99}`, `{"grid": {"train.rows": []}}`, strings.Repeat("[", 100_000), strings.Repeat(" ", 100_000) + "x",
		`{"train": {"rows": 1048576, "ppo": {"horizon": 1000000}}}`, `{"` + strings.Repeat("k", 50_000) + `": 1}`, "\x00\x01\x02"})
	if err := w.write("invalid.json", text); err != nil {
		return err
	}
	args := []string{}
	for range 1 + w.IntN(3) {
		if v := pick(w, values); !strings.Contains(v, "\x00") { // not possible in an argument
			args = append(args, pick(w, flags), v)
		}
	}
	// Arguments that happen to be valid need not run to the end.
	f := fault{signal: syscall.SIGINT, after: 5 * time.Second, in: "quit\n"}
	if _, err := w.run(f, command, args...); err != nil {
		return err
	}
	if left, err := os.ReadDir(filepath.Join(w.dir, "runs")); err == nil {
		for _, d := range left {
			if !w.exists("runs", d.Name(), "config.json") && !w.exists("runs", d.Name(), "sweep.json") {
				return fmt.Errorf("%s %q leaves an empty run folder", command, args)
			}
		}
	}
	return nil
}
