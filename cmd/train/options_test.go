package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/internal/test/fulltest"
	"marsgym/models"
	"marsgym/train"
)

// configOf reads the settings of a run.
func configOf(t *testing.T, dir string) train.Config {
	t.Helper()
	s, err := train.LoadSettings(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s.Train
}

// TestSet: -set changes settings as a file does, also a part of a list, a name without quotes and a
// setting that the file of a run leaves out.
func TestSet(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	status, _, errs := command(t, "-config", clitest.Config(t, quick), "-out", dir, "-steps", "1024", "-set", "train.learning_rate.0=0.002", "-set", "train.rows=16", "-set", "train.head=logits", "-set", "train.metrics_every=3", "-set", "train.hidden=[8, 4]")
	if status != cli.Done {
		t.Fatalf("status %d, %s", status, errs)
	}
	c := configOf(t, dir)
	if c.LearningRate != (train.Schedule{0.002, 1e-5}) || c.Rows != 16 || c.Head != models.Logits || c.MetricsEvery != 3 || !slices.Equal(c.Hidden, []int{8, 4}) || c.PPO.Minibatch != 256 {
		t.Errorf("the settings are %+v", c)
	}
	for _, tt := range []struct {
		sets []string
		want string
	}{
		{[]string{"train.rowz=16"}, `unknown field "rowz"`},
		{[]string{"train.rowz=16"}, "did you mean rows?"},
		{[]string{"train.rows"}, `-set "train.rows": want FIELD=VALUE, such as train.rows=64`},
		{[]string{"train.rows=1", "train.rows=2"}, `"train.rows" is given twice`},
		{[]string{"train.rows=many"}, "train.rows is a string; want a whole number"},
		{[]string{"train.rows=0"}, "train.rows is 0; want 1 to 1048576"},
		{[]string{"train.learning_rate.2=1"}, "want 0 to 1 in the place of \"2\""},
		{[]string{"train.shards=1"}, "train.shards is gone"},
		{[]string{"train.ppo.clip=1"}, `unknown field "clip"`},
		{[]string{"train.expert.chances=1"}, "the settings of this run have no train.expert"},
		{[]string{"train.pppo.gamma=1"}, "have no train.pppo; did you mean ppo?"},
		{[]string{"game=pig"}, `want train.FIELD, such as train.rows, in the place of "game"`},
		{[]string{"train.algorithm=pppo"}, "did you mean ppo?"},
		{[]string{"train.algorithm=7"}, "train.algorithm is \"7\"; want the name of an algorithm"},
	} {
		args := []string{"-config", clitest.Config(t, quick), "-out", filepath.Join(t.TempDir(), "refused")}
		for _, set := range tt.sets {
			args = append(args, "-set", set)
		}
		if status, _, errs := command(t, args...); status != cli.Misuse || !strings.Contains(errs, tt.want) {
			t.Errorf("-set %q: status %d, %s; want %q", tt.sets, status, errs, tt.want)
		}
	}
}

// TestLabels: the name, the group and the tags of a run stand in its settings and change no bits, so
// that a run resumes after they have changed, and all runs of -seeds have them.
func TestLabels(t *testing.T) {
	t.Parallel()
	dir, config := filepath.Join(t.TempDir(), "run"), clitest.Config(t, quick)
	status, _, errs := command(t, "-config", config, "-out", dir, "-steps", "1024", "-evaluate", "none", "-name", "first try", "-group", "tries", "-tags", "a,b")
	if status != cli.Done {
		t.Fatalf("status %d, %s", status, errs)
	}
	s, err := train.LoadSettings(dir)
	if err != nil || s.Name != "first try" || s.Group != "tries" || !slices.Equal(s.Tags, []string{"a", "b"}) {
		t.Errorf("the settings are %+v, %v", s, err)
	}
	s.Name, s.Tags = "second try", nil
	if err := s.Save(dir); err != nil {
		t.Fatal(err)
	}
	if status, _, errs := command(t, "-resume", dir); status != cli.Done {
		t.Errorf("resumed: status %d, %s", status, errs)
	}
	seeds := filepath.Join(t.TempDir(), "seeds")
	if status, _, errs := command(t, "-config", config, "-out", seeds, "-steps", "1024", "-seeds", "2", "-group", "tries"); status != cli.Done {
		t.Fatalf("status %d, %s", status, errs)
	}
	runs, err := filepath.Glob(filepath.Join(seeds, "*", train.ConfigFile))
	if err != nil || len(runs) != 2 {
		t.Errorf("the runs are %v, %v", runs, err)
	}
	for _, run := range runs {
		if s, err := train.LoadSettings(filepath.Dir(run)); err != nil || s.Group != "tries" {
			t.Errorf("%s: the settings are %+v, %v", run, s, err)
		}
	}
	for _, tt := range []struct{ flag, value, want string }{
		{"-name", strings.Repeat("n", 129), "want at most 128 bytes of text"},
		{"-name", " x", "without spaces around it"},
		{"-group", "a\nb", "the group is"},
		{"-tags", "a,,b", "want different texts, such as a,b"},
		{"-tags", "a,a", "want different texts"},
		{"-tags", "a, b", "the tag is \" b\""},
		{"-tags", strings.Repeat("t", 65), "want at most 64 bytes"},
	} {
		refused := filepath.Join(t.TempDir(), "refused")
		if status, _, errs := command(t, "-config", config, "-out", refused, tt.flag, tt.value); status != cli.Misuse || !strings.Contains(errs, tt.want) {
			t.Errorf("%s %q: status %d, %s; want %q", tt.flag, tt.value, status, errs, tt.want)
		}
		if _, err := os.Lstat(refused); err == nil {
			t.Errorf("%s %q: it makes a folder", tt.flag, tt.value)
		}
	}
}

// TestFrom: a run that begins with the network of another one takes its game and shape, and a finished
// run is prolonged.
func TestFrom(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	first, second := filepath.Join(base, "first"), filepath.Join(base, "second")
	if status, _, errs := command(t, "-config", clitest.Config(t, quick), "-steps", "4096", "-out", first, "-set", "train.evaluations=2"); status != cli.Done {
		t.Fatal(errs)
	}
	if status, _, errs := command(t, "-from", first, "-out", second, "-steps", "1024", "-seed", "3", "-evaluate", "none"); status != cli.Done {
		t.Fatal(errs)
	}
	c := configOf(t, second)
	if !slices.Equal(c.Hidden, []int{32}) || c.Algorithm != train.AlgorithmPPO || c.Evaluations != 0 {
		t.Errorf("the settings are %+v", c)
	}
	start := read(t, second, train.StartFile)
	if model := read(t, first, agents.ModelFile); !slices.Equal(start, model) {
		t.Error("the run does not begin with the model of the other one")
	}
	steps := configOf(t, first).Steps
	status, _, errs := command(t, "-resume", first, "-steps", "2048")
	if got := configOf(t, first).Steps; status != cli.Done || got != steps+2048 {
		t.Errorf("prolonged: status %d, %d steps, %s; want %d", status, got, errs, steps+2048)
	}
	f, err := models.Load(filepath.Join(first, agents.ModelFile))
	if err != nil || f.Meta.Steps != int64(steps+2048) {
		t.Errorf("the model has %d steps, %v; want %d", f.Meta.Steps, err, steps+2048)
	}
	for want, args := range map[string][]string{
		"train.head is logits":             {"-from", first, "-set", "train.head=logits"},
		"[32], and train.hidden is [64]":   {"-from", first, "-set", "train.hidden=[64]"},
		`it plays "martian-dice", not pig`: {"-from", first, "-game", "pig"},
		"another meaning":                  {"-from", first, "-algorithm", "one-move"},
		"give -from a run folder":          {"-from", filepath.Join(base, "none")},
		"leave out -from and -exploit":     {"-from", first, "-seeds", "2"},
	} {
		if status, _, errs := command(t, append(args, "-out", filepath.Join(base, "refused"))...); status != cli.Misuse || !strings.Contains(errs, want) {
			t.Errorf("%q: status %d, %s; want %q", args, status, errs, want)
		}
	}
}

// TestKept: a run keeps its best network, and every evaluated one on request, under the names of agents.
func TestKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	status, out, errs := command(t, "-config", clitest.Config(t, quick), "-out", dir, "-set", "train.keep_evaluated=true", "-json")
	if status != cli.Done {
		t.Fatal(errs)
	}
	var r runResult
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Evaluations) != 4 || r.Steps != 20480 || r.Dir != dir {
		t.Fatalf("%v, %+v", err, r)
	}
	best := r.Evaluations[0]
	for _, x := range r.Evaluations {
		if x.Exact.Exploitability < best.Exact.Exploitability {
			best = x
		}
		f, err := agents.LoadModel(fmt.Sprintf("%s@%d", dir, x.Steps))
		if err != nil || f.Meta.Steps != int64(x.Steps) || *f.Meta.Exact != *x.Exact {
			t.Errorf("the network of %d steps: %v, %+v; want %+v", x.Steps, err, f, x.Exact)
		}
	}
	f, err := agents.LoadModel(dir + "@best")
	if err != nil || f.Meta.Steps != int64(best.Steps) || *f.Meta.Exact != *best.Exact {
		t.Errorf("the best network: %v, %+v; want that of %d steps", err, f, best.Steps)
	}
	if _, err := agents.LoadModel(dir + "@1"); err == nil || !strings.Contains(err.Error(), "model-1.safetensors") {
		t.Errorf("a step without a network: %v", err)
	}
}

// TestSeeds: -seeds trains runs that differ in their seeds, and gives their mean with its interval.
func TestSeeds(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "seeds")
	status, out, errs := command(t, "-config", clitest.Config(t, quick), "-steps", "4096", "-seeds", "3", "-seed", "5", "-out", dir, "-json")
	if status != cli.Done {
		t.Fatalf("status %d, %s", status, errs)
	}
	var r seedsResult
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Runs) != 3 {
		t.Fatalf("%v, %s", err, out)
	}
	mean := 0.0
	for k, run := range r.Runs {
		if run.Seed != uint64(5+k) {
			t.Errorf("run %d has the seed %d", k, run.Seed)
		}
		mean += run.Evaluations[len(run.Evaluations)-1].Exact.Exploitability / 3
	}
	if got := r.Means["exploitability"]; !(got.Mean-mean < 1e-12 && mean-got.Mean < 1e-12) || !(got.Half > 0) {
		t.Errorf("the mean is %+v; want %v", got, mean)
	}
	for _, want := range []string{"mean", "±", "seed", filepath.Join(dir, "01-seed-6")} {
		if !strings.Contains(errs, want) {
			t.Errorf("%q is not in\n%s", want, errs)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "curve.svg")); err != nil {
		t.Error(err)
	}
	status, again, errs := command(t, "-resume", dir, "-json")
	if status != cli.Done || again != out {
		t.Errorf("resumed: status %d, %s\n%s; want\n%s", status, errs, again, out)
	}
	if status, _, errs := command(t, "-resume", dir, "-steps", "100"); status != cli.Misuse || !strings.Contains(errs, "leave out -steps") {
		t.Errorf("prolonged: status %d, %s", status, errs)
	}
	if status, _, errs := command(t, "-seeds", "2", "-evaluate", "none"); status != cli.Misuse || !strings.Contains(errs, "leave out -evaluate none") {
		t.Errorf("status %d, %s", status, errs)
	}
	if status, _, errs := command(t, "-seeds", "2", "-sweep", clitest.Config(t, quickSweep)); status != cli.Misuse || !strings.Contains(errs, "-sweep takes all settings from its file") {
		t.Errorf("with -sweep: status %d, %s", status, errs)
	}
}

// TestShortRuns: a run of any number of decisions is trained, by what fits it, unless the user has set
// what does not.
func TestShortRuns(t *testing.T) {
	fulltest.Gate(t)
	t.Parallel()
	for _, tt := range []struct {
		game  string
		steps string
		want  string
	}{
		{"pig", "1", "the run is so short that it changes"},
		{"martian-risk-small", "1", "train.opponents.population from 6 to 0"},
		{"mars-is-ours-fast", "1000", "train.warmup from 0.01 to 0"},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		status, out, errs := command(t, "-game", tt.game, "-steps", tt.steps, "-evaluate", "none", "-out", dir)
		if status != cli.Done || !strings.Contains(out, tt.want) {
			t.Errorf("%s, %s decisions: status %d, %s%s; want %q", tt.game, tt.steps, status, out, errs, tt.want)
		}
	}
	whole := filepath.Join(t.TempDir(), "refused")
	if status, _, errs := command(t, "-game", "martian-risk-small", "-steps", "1", "-set", `train.opponents={"population": 6, "fraction": 0.6, "population_steps": 0.1}`, "-out", whole); status != cli.Misuse || !strings.Contains(errs, "or train.opponents.population 0") {
		t.Errorf("a population of -set: status %d, %s", status, errs)
	}
	set := clitest.Config(t, `{"game": "martian-risk-small", "train": {"opponents": {"population": 6}}}`)
	if status, _, errs := command(t, "-config", set, "-steps", "1", "-out", filepath.Join(t.TempDir(), "run")); status != cli.Misuse || !strings.Contains(errs, "or train.opponents.population 0") {
		t.Errorf("a population of a file: status %d, %s", status, errs)
	}
}

// TestEvaluate: -evaluate chooses what a run evaluates.
func TestEvaluate(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]struct{ exact, ahead bool }{"none": {}, "head": {exact: true}, "full": {true, true}} {
		status, out, errs := command(t, "-config", clitest.Config(t, quick), "-steps", "4096", "-out", filepath.Join(t.TempDir(), "run"), "-evaluate", what)
		if status != cli.Done || strings.Contains(out, "exploitability") != want.exact || strings.Contains(out, "as lookahead:3") != want.ahead {
			t.Errorf("-evaluate %s: status %d, %s%s", what, status, out, errs)
		}
	}
	if status, _, errs := command(t, "-evaluate", "ful"); status != cli.Misuse || !strings.Contains(errs, "did you mean full?") {
		t.Errorf("status %d, %s", status, errs)
	}
}

// TestMinutes: -minutes chooses the decisions by the speed of the machine.
func TestMinutes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	status, out, errs := command(t, "-config", clitest.Config(t, quick), "-out", dir, "-minutes", "0.001", "-evaluate", "none")
	steps := configOf(t, dir).Steps
	if want := fmt.Sprintf("0.001 minutes are about %d decisions here; -steps %d repeats the run", steps, steps); status != cli.Done || !strings.Contains(out, want) {
		t.Errorf("status %d, %s%s; want %q", status, out, errs, want)
	}
	for _, tt := range []struct{ args, want string }{
		{"-minutes 0", "-minutes is 0; want a number above 0"},
		{"-minutes -1", "-minutes is -1"},
		{"-minutes NaN", "-minutes is NaN"},
		{"-minutes 1 -steps 5", "leave one of them out"},
		{"-minutes 1 -seeds 2", "-minutes is for one run"},
	} {
		args := append(strings.Fields(tt.args), "-out", filepath.Join(t.TempDir(), "refused"))
		if status, _, errs := command(t, args...); status != cli.Misuse || !strings.Contains(errs, tt.want) {
			t.Errorf("%q: status %d, %s; want %q", args, status, errs, tt.want)
		}
	}
}
