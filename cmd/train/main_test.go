package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env/catalog"
	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/internal/test/fulltest"
	"marsgym/models"
	"marsgym/train"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// quick is the settings of a run of half a second: 20 iterations.
const quick = `{
	"game": "martian-dice", "game_config": {"dice": 4, "target": 6}, "backend": "gorgonia",
	"train": {"algorithm": "ppo", "hidden": [32], "rows": 32, "ppo": {"horizon": 32, "minibatch": 256}, "steps": 20480, "evaluations": 4, "checkpoints": 10}
}`

// command runs the command in this process.
func command(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	stdout, stderr, status = clitest.Command(run).Run(t, "", args...)
	return status, stdout, stderr
}

func read(t *testing.T, parts ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRun(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	status, out, errs := command(t, "-config", clitest.Config(t, quick), "-out", dir, "-seed", "7")
	if status != cli.Done {
		t.Fatalf("status %d\n%s%s", status, out, errs)
	}
	for _, want := range []string{"wins moving first", "wins moving second", "exploitability", "as lookahead:0 ", "as lookahead:3 ", "go run ./cmd/eval -model " + cli.Argument(dir), "go run ./cmd/play -opponent " + strings.Split(cli.Argument("lookahead:"+dir), dir)[0]} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	var set train.Settings
	if err := json.Unmarshal(read(t, dir, train.ConfigFile), &set); err != nil {
		t.Fatal(err)
	}
	if set.Train.Seed != 7 || set.Train.Rows != 32 || !bytes.Contains(set.GameConfig, []byte(`"target": 6`)) {
		t.Errorf("the effective config is %+v", set)
	}
	f, err := models.Load(filepath.Join(dir, agents.ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	if f.Meta.Exact == nil || f.Meta.Steps != 20480 || f.Meta.Seed != 7 {
		t.Errorf("the metadata of the model is %+v", f.Meta)
	}
	if n := bytes.Count(read(t, dir, train.MetricsFile), []byte("\n")); n != 20 {
		t.Errorf("%d lines of metrics; want 20", n)
	}

	for name, begin := range map[string]string{"curve.svg": "<?xml", "curve.png": "\x89PNG"} {
		if !bytes.HasPrefix(read(t, dir, name), []byte(begin)) {
			t.Errorf("%s is not a picture", name)
		}
	}
	// As if the run had been killed between the two files.
	if err := os.Remove(filepath.Join(dir, "curve.png")); err != nil {
		t.Fatal(err)
	}

	status, _, errs = command(t, "-config", clitest.Config(t, quick), "-out", dir)
	if status != cli.Misuse || !strings.Contains(errs, "exists") || !strings.Contains(errs, "-resume "+cli.Argument(dir)) {
		t.Errorf("an existing folder: status %d, %s", status, errs)
	}
	status, out, errs = command(t, "-resume", dir)
	if status != cli.Done || !strings.Contains(out, "exploitability") {
		t.Errorf("resuming a finished run: status %d\n%s%s", status, out, errs)
	}
	if !bytes.HasPrefix(read(t, dir, "curve.png"), []byte("\x89PNG")) {
		t.Error("resuming a finished run does not draw its curve")
	}
}

// TestNoEvaluation: a run without evaluations solves nothing, and ends without one.
func TestNoEvaluation(t *testing.T) {
	t.Parallel()
	dir, cache := filepath.Join(t.TempDir(), "run"), t.TempDir()
	status, out, errs := command(t, "-config", clitest.Config(t, strings.Replace(quick, `"evaluations": 4`, `"evaluations": 0`, 1)), "-out", dir, "-steps", "2048", "-cache", cache)
	if status != cli.Done || strings.Contains(out, "exploitability") || !strings.Contains(out, "evaluate it    go run ./cmd/eval -model "+cli.Argument(dir)) {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	if left, _ := os.ReadDir(cache); len(left) > 0 {
		t.Error("the game was solved")
	}
}

// TestNoPicture resumes a run that was killed before its first checkpoint, with a
// folder in the place of the picture.
func TestNoPicture(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.MkdirAll(filepath.Join(dir, "curve.svg", "in the way"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, train.ConfigFile), []byte(strings.Replace(quick, `"steps": 20480`, `"steps": 2048`, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	status, out, errs := command(t, "-resume", dir)
	if status != cli.Done || !strings.Contains(out, "exploitability") || !strings.Contains(errs, "no picture") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
}

func TestDivergence(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	status, out, errs := command(t, "-out", dir, "-config", clitest.Config(t, `{"game": "pig", "game_config": {"target": 20},
		"train": {"algorithm": "ppo", "hidden": [16], "rows": 32, "value_coef": 1e30}}`))
	if status != cli.Failed {
		t.Fatalf("status %d\n%s%s", status, out, errs)
	}
	for _, want := range []string{"iteration 1: minibatch 1: ", "training diverged", "lower \"learning_rate\"", "-config COPY", filepath.Join(dir, train.ConfigFile)} {
		if !strings.Contains(errs, want) {
			t.Errorf("%q is not in\n%s", want, errs)
		}
	}
}

func TestEvaluationFails(t *testing.T) {
	var log bytes.Buffer
	calls := 0
	e := lenient(&log, func(context.Context, *models.MLP) (*models.Exact, error) {
		if calls++; calls < 3 {
			return nil, errors.New("does not settle")
		}
		return &models.Exact{}, nil
	})
	for k, want := range []bool{false, false, true} {
		if x, err := e(t.Context(), nil); err != nil || (x != nil) != want {
			t.Errorf("evaluation %d: %v, %v", k, x, err)
		}
	}
	if n := strings.Count(log.String(), "does not settle"); n != 1 {
		t.Errorf("printed %d times:\n%s", n, log.String())
	}
}

func TestOtherNumbersOfPlayers(t *testing.T) {
	fulltest.Gate(t)
	t.Parallel()
	file := clitest.Config(t, `{"game_config": {"dice": 4, "target": 5}, "train": {"algorithm": "ppo", "hidden": [16], "rows": 32, "ppo": {"horizon": 16, "minibatch": 256}, "steps": 2048}}`)
	for _, players := range []string{"1", "3"} {
		status, out, errs := command(t, "-config", file, "-players", players, "-out", filepath.Join(t.TempDir(), "run")+string(filepath.Separator))
		if status != cli.Done {
			t.Fatalf("%s players: status %d\n%s%s", players, status, out, errs)
		}
		if offered := strings.Contains(out, "-against exact"); offered != (players == "3") {
			t.Errorf("%s players: an exact evaluation is offered: %v\n%s", players, offered, out)
		}
		if players == "3" && !strings.Contains(out, "games against greedy") {
			t.Errorf("no match against greedy:\n%s", out)
		}
	}
}

// TestDefaults: without other settings the command trains as [train.DefaultFor] has
// it.
func TestDefaults(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"martian-dice", "mars-is-ours-fast", "martian-risk-small"} {
		c, err := parse([]string{"-game", name}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		want, err := train.DefaultFor(c.game)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(c.Train, want) {
			t.Errorf("%s: %+v; want %+v", name, c.Train, want)
		}
	}
}

// TestShards: settings of release 0.1.0 are refused with what to do.
func TestShards(t *testing.T) {
	old := `{"game": "pig", "train": {"algorithm": "ppo", "shards": 4}}`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, train.ConfigFile), []byte(old), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"-config", clitest.Config(t, old)}, []string{"train.shards is gone: leave it out"}},
		{[]string{"-resume", dir}, []string{"train.shards is gone: leave it out", "finish the run with the release that began it", "-config COPY"}},
		{[]string{"-sweep", clitest.Config(t, `{"grid": {"train.shards": [4]}}`)}, []string{"train.shards is gone: leave it out"}},
	} {
		status, out, errs := command(t, test.args...)
		if status != cli.Misuse || out != "" {
			t.Errorf("%s: status %d, %s", test.args, status, out)
		}
		for _, want := range test.want {
			if !strings.Contains(errs, want) {
				t.Errorf("%s: %q is not in\n%s", test.args, want, errs)
			}
		}
	}
}

func TestBadInput(t *testing.T) {
	inFolder := func(settings string) string {
		path := filepath.Join(t.TempDir(), train.ConfigFile)
		if err := os.WriteFile(path, []byte(settings), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	config := inFolder(`{"game": "pig", "game_config": {}, "backend": "gorgonia", "device": "cpu", "train": {"algorithm": "ppo", "hidden": [0]}}`)
	typed := inFolder(`{"game": 3}`)
	unknown := inFolder(`{"game": "pigs", "train": {"algorithm": "ppo"}}`)
	rules := inFolder(`{"game": "pig", "game_config": {"dize": 3}, "train": {"algorithm": "ppo"}}`)
	for _, test := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"game", []string{"-game", "martain-dice"}, cli.Misuse, `martian-dice`},
		{"flag", []string{"-stpes", "3"}, cli.Misuse, "-stpes"},
		{"argument", []string{"pig"}, cli.Misuse, "pig"},
		{"players", []string{"-players", "11"}, cli.Misuse, "players is 11; want 1 to 10"},
		{"players of a game for two", []string{"-game", "mars-is-ours-fast", "-players", "4"}, cli.Misuse, "players is 4; want 2\n"},
		{"backend", []string{"-backend", "torch"}, cli.Misuse, "gorgonia"},
		{"device", []string{"-device", "cuda:0"}, cli.Misuse, "take -backend gotch"},
		{"gotch", []string{"-backend", "gotch", "-device", "cuda:200"}, cli.Misuse, "gotch: "},
		{"no run folder", []string{"-resume", ""}, cli.Misuse, "-resume is empty"},
		{"no sweep", []string{"-sweep", ""}, cli.Misuse, "-sweep is empty"},
		{"seed", []string{"-seed", "-1"}, cli.Misuse, `-seed is "-1"; want a whole number from 0 to 18446744073709551615`},
		{"part of a step", []string{"-steps", "1.5"}, cli.Misuse, `-steps is "1.5"; want a whole number`},
		{"steps", []string{"-steps", "0"}, cli.Misuse, `-steps is "0"; want a whole number from 1 to 1000000000000000`},
		{"no steps of a response", []string{"-exploit", "greedy"}, cli.Misuse, "-exploit needs -steps"},
		{"config field", []string{"-config", clitest.Config(t, `{"train": {"rowz": 3}}`)}, cli.Misuse, `: line 1, column 12: train: unknown field "rowz"`},
		{"config type", []string{"-config", clitest.Config(t, `{"train": {"hidden": 3}}`)}, cli.Misuse, "train.hidden is a number; want an array"},
		{"config syntax", []string{"-config", clitest.Config(t, "{\n\"train\": {,}}")}, cli.Misuse, "line 2, column 11: invalid character ','"},
		{"game config field", []string{"-config", clitest.Config(t, `{"game_config":`+"\n"+`{"dize": 3}}`)}, cli.Misuse, `: line 2, column 2: game config: unknown field "dize"`},
		{"config value", []string{"-config", clitest.Config(t, `{"train": {"algorithm": "ppo", "rows": 0, "ppo": {"lambda": 2}}}`)}, cli.Misuse, "lambda is 2; want 0 to 1"},
		{"layer", []string{"-config", clitest.Config(t, `{"train": {"hidden": [0]}}`)}, cli.Misuse, "hidden[0] is 0: want 1 to 65536"},
		{"no turn plans", []string{"-game", "mars-is-ours", "-algorithm", "turn-exact"}, cli.Misuse, "algorithm is turn-exact; want one of [ppo one-move search]"},
		{"rollout", []string{"-config", clitest.Config(t, `{"train": {"algorithm": "ppo", "rows": 1048576, "ppo": {"horizon": 65536}}}`)}, cli.Misuse, "train.rows times train.ppo.horizon is 68719476736"},
		{"config file", []string{"-config", "nowhere.json"}, cli.Misuse, "nowhere.json"},
		{"sweep file", []string{"-sweep", "nowhere.json"}, cli.Misuse, "nowhere.json"},
		{"run folder", []string{"-resume", t.TempDir()}, cli.Misuse, "no run folder"},
		{"run folder's config", []string{"-resume", filepath.Dir(config)}, cli.Misuse, config + ": train.hidden: shape of a network: hidden[0] is 0"},
		{"type in a run folder's config", []string{"-resume", filepath.Dir(typed)}, cli.Misuse, typed + ": line 1, column 10: game is a number; want a string"},
		{"game of a run folder", []string{"-resume", filepath.Dir(unknown)}, cli.Misuse, unknown + `: unknown game "pigs"`},
		{"game config of a run folder", []string{"-resume", filepath.Dir(rules)}, cli.Misuse, rules + `: line 1, column 33: game config: unknown field "dize"`},
		{"resume with flags", []string{"-resume", "x", "-seed", "2"}, cli.Misuse, "leave out"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			status, out, errs := command(t, test.args...)
			if status != test.status || !strings.Contains(errs, test.want) {
				t.Errorf("status %d, %q; want %d and %q", status, errs, test.status, test.want)
			}
			if out != "" {
				t.Errorf("standard output has %q", out)
			}
			if left, _ := os.ReadDir("."); len(left) > 0 {
				t.Errorf("%s is left behind", left[0].Name())
			}
		})
	}
}

func TestDamagedCheckpoint(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	if status, _, errs := command(t, "-config", clitest.Config(t, quick), "-out", dir, "-steps", "2048"); status != cli.Done {
		t.Fatal(errs)
	}
	path := filepath.Join(dir, train.CheckpointFile)
	good := read(t, path)
	for name, bad := range map[string][]byte{
		"truncated":    good[:len(good)/2],
		"flipped byte": append(append(bytes.Clone(good[:len(good)/2]), good[len(good)/2]^4), good[len(good)/2+1:]...),
	} {
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		status, _, errs := command(t, "-resume", dir)
		if status != cli.Failed || !strings.Contains(errs, path) {
			t.Errorf("%s: status %d, %s", name, status, errs)
		}
	}
}

// TestCancel stops a run as Ctrl-C does, resumes it, and compares with one that
// was never stopped.
func TestCancel(t *testing.T) {
	fulltest.Gate(t)
	t.Parallel()
	config := clitest.Config(t, quick)
	whole := filepath.Join(t.TempDir(), "whole")
	if status, _, errs := command(t, "-config", config, "-out", whole, "-steps", "10240"); status != cli.Done {
		t.Fatal(errs)
	}
	dir := filepath.Join(t.TempDir(), "my run")
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs bytes.Buffer
	cancelled := writerFunc(func(b []byte) (int, error) {
		if bytes.Contains(b, []byte("exploitability")) {
			cancel() // at the first evaluation
		}
		return errs.Write(b)
	})
	if status := run(ctx, []string{"-config", config, "-out", dir, "-steps", "10240"}, nil, &out, cancelled); status != cli.Interrupted {
		t.Fatalf("status %d, %s", status, errs.String())
	}
	if !strings.Contains(out.String(), "go run ./cmd/train -resume "+cli.Argument(dir)+"\n") {
		t.Errorf("it does not print how to resume:\n%s", out.String())
	}
	if bytes.Equal(read(t, dir, agents.ModelFile), read(t, whole, agents.ModelFile)) {
		t.Fatal("it was not stopped")
	}
	if status, _, errs := command(t, "-resume", dir); status != cli.Done {
		t.Fatal(errs)
	}
	if !bytes.Equal(read(t, dir, agents.ModelFile), read(t, whole, agents.ModelFile)) {
		t.Error("a run that was stopped and resumed ends in another model")
	}
}

// TestFirstLine: the first line of a long run says how long it takes, and that of a short one does not.
func TestFirstLine(t *testing.T) {
	t.Parallel()
	for steps, long := range map[string]bool{"100000000": true, "1000000": false} {
		ctx, cancel := context.WithCancel(t.Context())
		var out, errs bytes.Buffer
		cancelled := writerFunc(func(b []byte) (int, error) {
			cancel()
			return out.Write(b)
		})
		args := []string{"-game", "martian-risk-small", "-steps", steps, "-evaluate", "none", "-out", filepath.Join(t.TempDir(), "run"),
			"-set", "train.rows=8", "-set", "train.ppo.horizon=8", "-set", "train.ppo.minibatch=64"}
		if status := run(ctx, args, nil, cancelled, &errs); status != cli.Interrupted {
			t.Fatalf("status %d, %s", status, errs.String())
		}
		if first, _, _ := strings.Cut(out.String(), "\n"); strings.Contains(first, " CPU-minutes, ") != long {
			t.Errorf("%s decisions: %s", steps, first)
		}
	}
}

// TestCancelEvaluation interrupts the match after a run of a game for three.
func TestCancelEvaluation(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs bytes.Buffer
	cancelled := writerFunc(func(b []byte) (int, error) {
		if bytes.Contains(b, []byte("trained in")) {
			cancel()
		}
		return out.Write(b)
	})
	config := clitest.Config(t, strings.Replace(quick, `"dice": 4`, `"players": 3, "dice": 4`, 1))
	if status := run(ctx, []string{"-config", config, "-out", dir, "-steps", "2048"}, nil, cancelled, &errs); status != cli.Interrupted {
		t.Fatalf("status %d, %s", status, errs.String())
	}
	for _, want := range []string{"the trained model is saved", "go run ./cmd/eval -model " + cli.Argument(dir), "go run ./cmd/play -opponent " + cli.Argument(dir)} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if f, err := models.Load(filepath.Join(dir, agents.ModelFile)); err != nil || f.Meta.Steps != 2048 {
		t.Errorf("the model: %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestStatuses(t *testing.T) {
	t.Parallel()
	clitest.Statuses(t, run, func() []string {
		return []string{"-config", clitest.Config(t, quick), "-steps", "2048", "-out", filepath.Join(t.TempDir(), "run")}
	})
}

func TestUnusableCache(t *testing.T) {
	t.Parallel()
	clitest.UnusableCache(t, run, func() []string {
		return []string{"-config", clitest.Config(t, quick), "-steps", "2048", "-out", filepath.Join(t.TempDir(), "run")}
	})
}

// TestSuggest: an exact evaluation is offered where there is one, and opponents where there are other
// seats.
func TestSuggest(t *testing.T) {
	for name, config := range map[string]string{"martian-dice": `{"dice": 4, "target": 5}`, "mars-is-ours": `{}`, "martian-risk": `{}`} {
		g, err := catalog.Open(name, 3, []byte(config))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		(&session{stdout: &out, game: g, spec: g.Spec()}).suggest("RUN", "RUN")
		if strings.Contains(out.String(), "-against exact") != (name == "martian-dice") {
			t.Errorf("%s:\n%s", name, out.String())
		}
	}
	g, err := catalog.Open("martian-dice", 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	(&session{stdout: &out, game: g, spec: g.Spec()}).suggest("RUN", "RUN")
	if want := "evaluate it    go run ./cmd/eval -model RUN\nwatch it       go run ./cmd/play -watch -opponent RUN\n"; out.String() != want {
		t.Errorf("for one player:\n%s", out.String())
	}
}
