package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"marsgym/agents"
	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/train"
	"marsgym/train/sweep"
)

// quickSweep is four runs of a fraction of a second.
const quickSweep = `{
	"base": {"game": "martian-dice", "game_config": {"dice": 4, "target": 4}, "train": {
		"algorithm": "ppo", "hidden": [16], "rows": 32, "ppo": {"horizon": 16, "minibatch": 256}, "steps": 4096, "evaluations": 16, "checkpoints": 16}},
	"grid": {"train.learning_rate": [[0.01, 1e-5],
		[0.0, 0]]},
	"seeds": [3, 4]
}`

// TestSweepProgress: the progress of a resumed sweep counts the runs that have ended before.
func TestSweepProgress(t *testing.T) {
	plan, err := sweep.Parse([]byte(quickSweep))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		s := &session{bar: cli.NewProgress(&b)}
		opt := s.sweepOptions(plan, "")
		for k := range 3 {
			if err := opt.Ended(make([]sweep.Trial, k+1), false); err != nil {
				t.Fatal(err)
			}
		}
		m := train.Metrics{Steps: 1000, Decisions: 1000, Seconds: 1, StepsPerS: 1000, Done: 0.5}
		opt.Report(3, m)
		time.Sleep(31 * time.Second)
		opt.Report(3, m)
		if want := "run 4 of 4, 1000 steps/s: 88%\n"; b.String() != want {
			t.Errorf("%q, want %q", b.String(), want)
		}
	})
}

// TestSweep interrupts a sweep in each of its runs and resumes it, and compares a run
// with one of the same settings outside the sweep.
func TestSweep(t *testing.T) {
	t.Parallel()
	file, dir := clitest.Config(t, quickSweep), filepath.Join(t.TempDir(), "sweep")
	var out bytes.Buffer
	stops := 0
	for {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		out.Reset()
		// At once, or else after the first run of the call.
		at := map[bool]string{true: "runs of", false: "after run"}[stops == 0]
		stopping := writerFunc(func(b []byte) (int, error) {
			if bytes.Contains(b, []byte(at)) {
				cancel()
			}
			return out.Write(b)
		})
		var errs bytes.Buffer
		status := run(ctx, []string{"-sweep", file, "-out", dir}, nil, stopping, &errs)
		if status == cli.Done {
			break
		}
		if status != cli.Interrupted {
			t.Fatalf("status %d\n%s%s", status, out.String(), errs.String())
		}
		if !strings.Contains(out.String(), fmt.Sprintf("go run ./cmd/train -sweep %s -out %s", cli.Argument(file), cli.Argument(dir))) {
			t.Errorf("it does not print how to resume:\n%s", out.String())
		}
		if stops++; stops > 4 {
			t.Fatalf("it makes no progress:\n%s", out.String())
		}
	}
	if stops != 4 {
		t.Errorf("it was interrupted %d times; want once in each run", stops)
	}
	// TestRank of package sweep tests the order.
	_, table, ended := strings.Cut(out.String(), "after run 4 of 4")
	for _, want := range []string{" 01    [0.01,1e-5] ", " 02        [0.0,0] "} {
		if !ended || !strings.Contains(table, want) {
			t.Errorf("%q is not in the table:\n%s", want, out.String())
		}
	}
	for _, name := range []string{"01-seed-3", "01-seed-4", "02-seed-3", "02-seed-4", "curve.svg", "curve.png", sweep.File} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	best := filepath.Join(dir, "01-seed-3")
	again := filepath.Join(t.TempDir(), "again")
	if status, _, errs := command(t, "-config", filepath.Join(best, train.ConfigFile), "-out", again); status != cli.Done {
		t.Fatal(errs)
	}
	if !bytes.Equal(read(t, best, agents.ModelFile), read(t, again, agents.ModelFile)) {
		t.Error("a run of a sweep ends in another model than outside it")
	}

	// Other settings are refused.
	status, _, errs := command(t, "-sweep", clitest.Config(t, strings.Replace(quickSweep, "[3, 4]", "[3]", 1)), "-out", dir)
	if status != cli.Misuse || !strings.Contains(errs, "another sweep") {
		t.Errorf("another sweep in the same folder: status %d, %s", status, errs)
	}
	set, err := train.LoadSettings(best)
	if err != nil {
		t.Fatal(err)
	}
	set.Train.Warmup = 0.5
	if err := set.Save(best); err != nil {
		t.Fatal(err)
	}
	if status, _, errs = command(t, "-sweep", file, "-out", dir); status != cli.Misuse || !strings.Contains(errs, "train.warmup was 0.5 and is 0;") {
		t.Errorf("a run with other settings: status %d, %s", status, errs)
	}
}

func TestSweepDiverges(t *testing.T) {
	t.Parallel()
	text := strings.Replace(quickSweep, `"grid": {`, `"grid": {"train.value_coef": [1e30, 0.5], `, 1)
	status, out, errs := command(t, "-sweep", clitest.Config(t, text), "-out", filepath.Join(t.TempDir(), "sweep"))
	if status != cli.Done || strings.Count(errs, "diverged") != 4 {
		t.Fatalf("status %d, %s", status, errs)
	}
	lines := strings.Split(out, "\n")
	last := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "after run 8 of 8") })
	if last < 0 || !strings.Contains(lines[last+3], " 0.5 ") || !strings.Contains(lines[last+6], "1e30") || !strings.Contains(lines[last+6], " - ") {
		t.Errorf("the table is\n%s", out)
	}
}

func TestSweepRefuses(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-sweep", clitest.Config(t, quickSweep), "-seed", "3"}, "leave out the other flags"},
		{[]string{"-sweep", clitest.Config(t, `{"grid": {"train.rowz": [1]}}`)}, "did you mean rows?"},
		{[]string{"-sweep", clitest.Config(t, `{"base": {"backend": "torch"}}`)}, "gorgonia"},
		{[]string{"-sweep", clitest.Config(t, `{"seeds": [1, 2, 1]}`)}, "seeds has 1 twice"},
		{[]string{"-sweep", clitest.Config(t, `{"grid": {"train.rows": []}}`)}, "no values"},
		{[]string{"-sweep", clitest.Config(t, `{"grid": {"train.rows": [64]}, "random": {"runs": 1, "draw": {"train.rows": {"uniform": [1, 2]}}}}`)}, "both in grid and in random"},
		{[]string{"-sweep", clitest.Config(t, `{"random": {"runs": 1, "draw": {"train.value_coef": {"log": [0, 2]}}}}`)}, "numbers above 0"},
		{[]string{"-sweep", clitest.Config(t, `{"random": {"runs": 1, "draw": {"train.value_coef": {"uniform": [2, 1]}}}}`)}, "the lower first"},
		{[]string{"-sweep", clitest.Config(t, `{"grid": {"train.seed": [1]}}`)}, "list seeds under seeds"},
		{[]string{"-sweep", clitest.Config(t, `{"grid": {"train.learning_rate.2": [1]}}`)}, "no field"},
		{[]string{"-sweep", clitest.Config(t, `{"random": {"runs": 20000}}`)}, "at most 10000"},
		{[]string{"-sweep", clitest.Config(t, `{"league": {"games": -1}}`)}, "0 or more"},
		{[]string{"-sweep", clitest.Config(t, `{"base": {"game": "pig", "game_config": {"target": 10}, "train": {"steps": 1}}, "grid": {"train.rows": [64, 128, 64]}}`)}, `"train.rows" 64 makes the same run twice`},
		{[]string{"-sweep", clitest.Config(t, `{"base": {"game": "pig", "game_config": {"target": 10}, "train": {"steps": 1}}, "grid": {"train.warmup": [0.1, 1e-1]}}`)}, `makes the same run twice`},
		{[]string{"-sweep", clitest.Config(t, `{"base": {"game": "pig", "game_config": {"target": 10}, "train": {"steps": 1}}, "random": {"runs": 3, "draw": {"train.rows": {"uniform": [64, 65], "int": true}}}}`)}, "only 2 different values"},
		{[]string{"-sweep", clitest.Config(t, `{"base": {"game": "pig"}, "league": {"against": ["gredy"]}}`)}, "did you mean greedy?"},
		{[]string{"-sweep", clitest.Config(t, `{"base": {"game": "pig", "game_config": {"target": 10}, "train": {"steps": 1}}, "grid": {"train.hidden": [[16], [0]]}}`)}, "hidden[0] is 0"},
		{[]string{"-sweep", clitest.Config(t, `{"base": {"game_config": {"players": 3, "dice": 4}}, "grid": {"train.rows": [64]}}`)}, "sweep a game for two"},
		{[]string{"-sweep", clitest.Config(t, `{"base": {"game": "pig"}, "grid": {"train.rows": [64]}, "league": {"games": 20000000}}`)}, "at most 10000000 games"},
		{[]string{"-sweep", clitest.Config(t, `{"base": {"game": "pig"}, "grid": {"train.rows": [64]}, "league": {"lookahead": 21}}`)}, "look-ahead by 20 plies"},
		// Solutions of Martian Dice are cached.
		{[]string{"-sweep", clitest.Config(t, `{"base": {"game_config": {"dice": 4, "target": 4}}, "league": {"games": 20000000}}`)}, "at most 10000000 games"},
		{[]string{"-sweep", clitest.Config(t, `{"base": {"game_config": {"dice": 4, "target": 4}}, "league": {"against": ["runs/nowhere"]}}`)}, "league.against: "},
	} {
		t.Chdir(t.TempDir())
		cache := t.TempDir()
		status, _, errs := command(t, append(test.args, "-cache", cache)...)
		if status != cli.Misuse || !strings.Contains(errs, test.want) {
			t.Errorf("%s: status %d, %s", test.args, status, errs)
		}
		if left, _ := os.ReadDir(cache); len(left) > 0 {
			t.Errorf("%s: the game was solved before the error", test.args)
		}
		if left, _ := os.ReadDir("."); len(left) > 0 {
			t.Errorf("%s is left", left[0].Name())
		}
	}
}

// TestSweepChecksFolder: a folder of another sweep is refused before the game is solved.
func TestSweepChecksFolder(t *testing.T) {
	t.Parallel()
	dir, cache := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, sweep.File), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{dir, filepath.Dir(dir)} {
		status, _, errs := command(t, "-sweep", clitest.Config(t, quickSweep), "-out", folder, "-cache", cache)
		if status != cli.Misuse || !strings.Contains(errs, "-out") {
			t.Errorf("status %d, %s", status, errs)
		}
	}
	if left, _ := os.ReadDir(cache); len(left) > 0 {
		t.Error("the game was solved before the error")
	}
}
