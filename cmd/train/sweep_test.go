package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/internal/cli"
	"marsgym/train"
)

// quickSweep is four runs of a moment.
const quickSweep = `{
	"base": {"game": "martian-dice", "game_config": {"dice": 4, "target": 4}, "train": {
		"algorithm": "ppo", "hidden": [16], "rows": 32, "ppo": {"horizon": 16, "minibatch": 256}, "steps": 8192, "evaluations": 16, "checkpoints": 16}},
	"grid": {"train.rate": [[0.01, 1e-5],
		[0.0, 0]]},
	"seeds": [3, 4]
}`

func newTestPlan(t *testing.T, text string) (*plan, error) {
	t.Helper()
	return newPlan([]byte(text), func(text []byte, a train.Algorithm) (settings, env.Game, error) {
		name := cli.NewFlags("train", "").Game(catalog.IDs())
		name.Default("", nil)
		return complete(text, name, a)
	})
}

func TestPlan(t *testing.T) {
	p, err := newTestPlan(t, `{
		"base": {"game": "pig", "train": {"steps": 1000, "seed": 18446744073709551615}},
		"grid": {"train.rows": [64, 128], "train.rate.0": [0.01, 0.02, 0.03]}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range p.variants {
		for _, set := range v.runs {
			c := set.Train
			if set.Game != "pig" || c.Steps != 1000 || c.Seed != math.MaxUint64 || c.Rate[1] != train.DefaultConfig(c.Algorithm).Rate[1] {
				t.Fatalf("settings %+v", set)
			}
			got = append(got, fmt.Sprintf("%v %v", c.Rate[0], c.Rows))
		}
	}
	if want := []string{"0.01 64", "0.01 128", "0.02 64", "0.02 128", "0.03 64", "0.03 128"}; !slices.Equal(got, want) {
		t.Errorf("variants %q, want %q", got, want)
	}
}

func TestPlanRandom(t *testing.T) {
	const text = `{
		"random": {"runs": 300, "seed": 1, "draw": {"train.value": {"log": [1, 100]}, "train.rows": {"uniform": [64, 128], "int": true}}},
		"grid": {"train.algorithm": ["ppo", "turn-exact"]},
		"seeds": [5, 6]
	}`
	p, err := newTestPlan(t, text)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.variants) != 600 {
		t.Fatalf("%d variants, want 600", len(p.variants))
	}
	low, rows := 0, 0
	for i, v := range p.variants {
		c := v.runs[0].Train
		if len(v.runs) != 2 || c.Seed != 5 || v.runs[1].Train.Seed != 6 {
			t.Fatalf("seeds of %v", v)
		}
		if want := []train.Algorithm{train.AlgorithmPPO, train.TurnExact}[i%2]; c.Algorithm != want || (c.PPO.Horizon > 0) != (i%2 == 0) {
			t.Fatalf("variant %d: %+v; want the defaults of %s", i, c, want)
		}
		if !(c.Value >= 1 && c.Value <= 100) || c.Rows < 64 || c.Rows > 128 {
			t.Fatalf("drew %v and %d", c.Value, c.Rows)
		}
		if c.Value < 10 {
			low++
		}
		rows += c.Rows
	}
	// Half of the logarithms are below the middle.
	if low < 240 || low > 360 {
		t.Errorf("%d of 600 values are below 10", low)
	}
	if mean := rows / 600; mean < 92 || mean > 100 {
		t.Errorf("rows are %d on average; want about 96", mean)
	}
	again, err := newTestPlan(t, text)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprint(p.variants), fmt.Sprint(again.variants); a != b {
		t.Error("the same seed draws other values")
	}
}

// TestDrawBounds draws at both ends and between them, where the difference or the
// ratio of the ends has no place in a float64, and where three digits are too few.
func TestDrawBounds(t *testing.T) {
	const most = math.MaxFloat64
	for _, test := range []struct {
		draw draw
		want [3]float64 // at 0, 1/2 and just below 1
	}{
		{draw{Uniform: []float64{1, 2}}, [3]float64{1, 1.5, 2}},
		{draw{Uniform: []float64{-most, most}}, [3]float64{-most, 0, most}},
		{draw{Uniform: []float64{0.125125, 0.125375}}, [3]float64{0.125125, 0.12525, 0.125375}},
		{draw{Uniform: []float64{1.2, 2.9}, Int: true}, [3]float64{2, 2, 2}},
		{draw{Log: []float64{1, 100}}, [3]float64{1, 10, 100}},
		{draw{Log: []float64{1e-300, 1e300}}, [3]float64{1e-300, 1, 1e300}},
		{draw{Log: []float64{1e-300, most}}, [3]float64{1e-300, 1.34e4, most}},
	} {
		ends := append(test.draw.Uniform, test.draw.Log...)
		for i, u := range []float64{0, 0.5, math.Nextafter(1, 0)} {
			text, err := test.draw.value(u)
			if err != nil {
				t.Fatalf("%+v: %v", test.draw, err)
			}
			got, err := strconv.ParseFloat(string(text), 64)
			if err != nil || got < ends[0] || got > ends[1] || !(math.Abs(got-test.want[i]) <= 1e-3*math.Abs(test.want[i])) {
				t.Errorf("%+v at %v: %s, %v; want about %v, within the bounds", test.draw, u, text, err, test.want[i])
			}
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	hundred := "[0" + strings.Repeat(", 0", 99) + "]"
	for _, test := range []struct{ text, want string }{
		{`{"grids": {}}`, `unknown field "grids"`},
		{`{} {}`, "behind the JSON"},
		{`{"base": {"train": {"rowz": 1}}}`, `unknown field "rowz"`},
		{`{"grid": {"train.rowz": [1]}}`, `unknown field "rowz"`},
		{`{"grid": {"train.rowz": [1]}}`, "did you mean rows?"},
		{`{"grid": {"train.rows": []}}`, "no values"},
		{`{"grid": {"train.rows": ["many"]}}`, "cannot unmarshal string"},
		{`{"grid": {"train.rows": [0]}}`, "rows is 0"},
		{`{"grid": {"train.hidden": [[16], [0]]}}`, "hidden[0] is 0"},
		{`{"base": {"game": "martian-risk-tiny"}, "grid": {"train.algorithm": ["one-ply", "turn-exact"]}}`, "algorithm is turn-exact; want one of [ppo one-ply]"},
		{`{"base": {"train": {"algorithm": "ppo"}}, "grid": {"train.ppo.horizon": [64, 65536], "train.rows": [512, 1048576]}}`, "GiB of memory, "},
		{`{"grid": {"train.rate.2": [0]}}`, `want 0 to 1 in the place of "2"`},
		{`{"grid": {"train.rate.0": [0.1], "train.rate": [[0.1, 0.1]]}}`, "varies as a whole"},
		{`{"grid": {"train.rows.0": [0]}}`, "train.rows has no parts"},
		{`{"grid": {"train.seed": [1]}}`, "under seeds"},
		{`{"seeds": [1, 2, 1]}`, "seeds has 1 twice"},
		{`{"grid": {"game": ["pig"]}}`, `"game" cannot vary`},
		{`{"grid": {"train.algorithm": ["pppo"]}}`, "did you mean ppo?"},
		{`{"grid": {"train.evaluations": [0]}}`, "evaluations is 0"},
		{`{"base": {"backend": "torch"}}`, "gorgonia"},
		{`{"random": {"runs": 0}}`, "random.runs is 0"},
		{`{"random": {"runs": 5001}, "seeds": [1, 2]}`, "make 1e+04 runs; want at most 10000"},
		{fmt.Sprintf(`{"grid": {"train.value": %[1]s, "train.rows": %[1]s, "train.parts": %[1]s, "train.steps": %[1]s, "train.warmup": %[1]s}}`, hundred), "make 1e+10 runs; want at most 10000"},
		{`{"random": {"runs": 1, "draw": {"train.rows": {"uniform": [1.2, 1.8], "int": true}}}}`, "no whole number is from 1.2 to 1.8"},
		{`{"grid": {"` + strings.Repeat("x", 1000) + `": [1]}}`, `"xxx`},
		{`{"random": {"runs": 1, "draw": {"train.value": {"log": [0, 1]}}}}`, "above 0"},
		{`{"random": {"runs": 1, "draw": {"train.value": {"uniform": [2, 1]}}}}`, "the lower first"},
		{`{"random": {"runs": 1, "draw": {"train.value": {"uniform": [1, 2, 3]}}}}`, "two numbers"},
		{`{"random": {"runs": 1, "draw": {"train.value": {"uniform": [1, 2], "log": [1, 2]}}}}`, `"uniform" or "log"`},
		{`{"random": {"runs": 1, "draw": {"train.rows": {"uniform": [1.1, 1.2]}}}}`, "cannot unmarshal number"},
		{`{"random": {"runs": 1, "draw": {"train.value": {"log": [1, 2]}}}, "grid": {"train.value": [1]}}`, "both in grid and in random"},
	} {
		_, err := newTestPlan(t, test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 600 {
			t.Errorf("%.200s: %v, want %q", test.text, err, test.want)
		}
	}
}

// TestRows orders trials by what they had reached when the quickest ended.
func TestRows(t *testing.T) {
	at := func(pairs ...float64) (list []strengthAt) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, strengthAt{pairs[i], pairs[i+1]})
		}
		return list
	}
	list, equal := rows([]trial{
		{variant: 0, strengths: at(5, 0.3, 20, 0.01), seconds: 20, speed: 1},
		{variant: 1, strengths: at(5, 0.2, 10, 0.1), seconds: 10, speed: 2},
		{variant: 2, strengths: at(1, 0.01), seconds: 1, diverged: true},
		{variant: 3, strengths: at(11, 0.001), seconds: 11},
		{variant: 1, strengths: at(9, 0.3), seconds: 12, speed: 4},
	})
	if equal != 10 {
		t.Errorf("compared at %v s, want 10", equal)
	}
	inf := math.Inf(1)
	want := []row{
		{variant: 1, trials: 2, equal: 0.2, worst: 0.3, end: 0.2, seconds: 11, speed: 3},
		{variant: 0, trials: 1, equal: 0.3, worst: 0.3, end: 0.01, seconds: 20, speed: 1},
		{variant: 3, trials: 1, equal: inf, worst: inf, end: 0.001, seconds: 11},
		{variant: 2, trials: 1, equal: inf, worst: inf, end: inf, seconds: 1},
	}
	if fmt.Sprint(list) != fmt.Sprint(want) {
		t.Errorf("rows %+v, want %+v", list, want)
	}
}

// TestSweep stops a sweep in each of its runs and goes on, and compares with
// runs of the same settings.
func TestSweep(t *testing.T) {
	file, dir := write(t, quickSweep), filepath.Join(t.TempDir(), "sweep")
	var out bytes.Buffer
	stops := 0
	for {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		out.Reset()
		// At once, or else when the first run since has ended.
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
		if !strings.Contains(out.String(), fmt.Sprintf("go run ./cmd/train -sweep %s -out %s", file, dir)) {
			t.Errorf("it does not say how to go on:\n%s", out.String())
		}
		if stops++; stops > 4 {
			t.Fatalf("it does not get on:\n%s", out.String())
		}
	}
	if stops != 4 {
		t.Errorf("it was stopped %d times; want once in each run", stops)
	}
	// TestRows is on the order.
	_, table, ended := strings.Cut(out.String(), "after run 4 of 4")
	for _, want := range []string{" 01  [0.01,1e-5] ", " 02      [0.0,0] "} {
		if !ended || !strings.Contains(table, want) {
			t.Errorf("%q is not in the table:\n%s", want, out.String())
		}
	}
	for _, name := range []string{"01-seed-3", "01-seed-4", "02-seed-3", "02-seed-4", "curve.svg", "curve.png", sweepFile} {
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
		t.Error("a run of a sweep ends in another model than by itself")
	}

	// Other settings are not mixed in.
	status, _, errs := command(t, "-sweep", write(t, strings.Replace(quickSweep, "[3, 4]", "[3]", 1)), "-out", dir)
	if status != cli.Failed || !strings.Contains(errs, "another sweep") {
		t.Errorf("another sweep in the same folder: status %d, %s", status, errs)
	}
	var set settings
	if err := json.Unmarshal(read(t, best, train.ConfigFile), &set); err != nil {
		t.Fatal(err)
	}
	set.Train.Warmup = 0.5
	if err := set.save(best); err != nil {
		t.Fatal(err)
	}
	if status, _, errs = command(t, "-sweep", file, "-out", dir); status != cli.Failed || !strings.Contains(errs, "train.warmup was 0.5 and is 0;") {
		t.Errorf("a run with other settings: status %d, %s", status, errs)
	}
}

func TestSweepDiverges(t *testing.T) {
	text := strings.Replace(quickSweep, `"grid": {`, `"grid": {"train.value": [1e30, 0.5], `, 1)
	status, out, errs := command(t, "-sweep", write(t, text), "-out", filepath.Join(t.TempDir(), "sweep"))
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
		{[]string{"-sweep", write(t, quickSweep), "-seed", "3"}, "leave out the other flags"},
		{[]string{"-sweep", write(t, `{"grid": {"train.rowz": [1]}}`)}, "did you mean rows?"},
		{[]string{"-sweep", write(t, `{"base": {"game": "pig", "game_config": {"target": 10}, "train": {"steps": 1}}, "grid": {"train.hidden": [[16], [0]]}}`)}, "hidden[0] is 0"},
		{[]string{"-sweep", write(t, `{"base": {"game_config": {"players": 3, "dice": 4}}, "grid": {"train.rows": [64]}}`)}, "sweep a game for two"},
	} {
		t.Chdir(t.TempDir())
		status, _, errs := command(t, test.args...)
		if status != cli.Misuse || !strings.Contains(errs, test.want) {
			t.Errorf("%s: status %d, %s", test.args, status, errs)
		}
		if left, _ := os.ReadDir("."); len(left) > 0 {
			t.Errorf("%s is left behind", left[0].Name())
		}
	}
}
