package sweep_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"marsgym/train"
	"marsgym/train/sweep"
)

func TestPlan(t *testing.T) {
	p, err := sweep.Parse([]byte(`{
		"base": {"game": "pig", "train": {"steps": 1000, "seed": 18446744073709551615}},
		"grid": {"train.rows": [64, 128], "train.learning_rate.0": [0.01, 0.02, 0.03]}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range p.Variants {
		for _, set := range v.Runs {
			c := set.Train
			if set.Game != "pig" || c.Steps != 1000 || c.Seed != math.MaxUint64 || c.LearningRate[1] != train.DefaultConfig(c.Algorithm).LearningRate[1] {
				t.Fatalf("settings %+v", set)
			}
			got = append(got, fmt.Sprintf("%v %v", c.LearningRate[0], c.Rows))
		}
	}
	if want := []string{"0.01 64", "0.01 128", "0.02 64", "0.02 128", "0.03 64", "0.03 128"}; !slices.Equal(got, want) {
		t.Errorf("variants %q, want %q", got, want)
	}
}

// TestPlanMarked: the base of a sweep counts after a byte order mark.
func TestPlanMarked(t *testing.T) {
	p, err := sweep.Parse([]byte("\ufeff" + `{"base": {"game": "pig"}}`))
	if err != nil || p.Game.Spec().ID != "pig" {
		t.Errorf("%+v, %v; want a sweep of pig", p, err)
	}
}

func TestPlanRandom(t *testing.T) {
	const text = `{
		"random": {"runs": 300, "seed": 1, "draw": {"train.value_coef": {"log": [1, 100]}, "train.rows": {"uniform": [64, 128], "int": true}}},
		"grid": {"train.algorithm": ["ppo", "turn-exact"]},
		"seeds": [5, 6]
	}`
	p, err := sweep.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Variants) != 600 {
		t.Fatalf("%d variants, want 600", len(p.Variants))
	}
	low, rows := 0, 0
	for i, v := range p.Variants {
		c := v.Runs[0].Train
		if len(v.Runs) != 2 || c.Seed != 5 || v.Runs[1].Train.Seed != 6 {
			t.Fatalf("seeds of %v", v)
		}
		if want := []train.Algorithm{train.AlgorithmPPO, train.TurnExact}[i%2]; c.Algorithm != want || (c.PPO.Horizon > 0) != (i%2 == 0) {
			t.Fatalf("variant %d: %+v; want the defaults of %s", i, c, want)
		}
		if !(c.ValueCoef >= 1 && c.ValueCoef <= 100) || c.Rows < 64 || c.Rows > 128 {
			t.Fatalf("drew %v and %d", c.ValueCoef, c.Rows)
		}
		if c.ValueCoef < 10 {
			low++
		}
		rows += c.Rows
	}
	// Half of the logarithms are below the middle of their bounds.
	if low < 240 || low > 360 {
		t.Errorf("%d of 600 values are below 10", low)
	}
	if mean := rows / 600; mean < 92 || mean > 100 {
		t.Errorf("rows are %d on average; want about 96", mean)
	}
	again, err := sweep.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprint(p.Variants), fmt.Sprint(again.Variants); a != b {
		t.Error("the same seed draws other values")
	}
}

func TestPlanRefuses(t *testing.T) {
	hundred := "[0" + strings.Repeat(", 0", 99) + "]"
	for _, test := range []struct{ text, want string }{
		{`{"grids": {}}`, `unknown field "grids"`},
		{`{} {}`, "after the JSON"},
		{`{"base": {"train": {"rowz": 1}}}`, `unknown field "rowz"`},
		{`{"grid": {"train.rowz": [1]}}`, `unknown field "rowz"`},
		{`{"grid": {"train.rowz": [1]}}`, "did you mean rows?"},
		{`{"grid": {"train.shards": [4]}}`, "train.shards is gone: leave it out, as a run divides its work itself"},
		{`{"random": {"runs": 1, "draw": {"train.shards": {"uniform": [1, 4]}}}}`, "train.shards is gone"},
		{`{"base": {"train": {"shards": 4}}}`, "train.shards is gone"},
		{`{"grid": {"train.rows": []}}`, "no values"},
		{`{"grid": {"train.rows": ["many"]}}`, "train.rows is a string; want a whole number"},
		{`{"grid": {"train.rows": [0]}}`, "rows is 0"},
		{`{"grid": {"train.hidden": [[16], [0]]}}`, "hidden[0] is 0"},
		{`{"base": {"game": "martian-risk-tiny"}, "grid": {"train.algorithm": ["one-move", "turn-exact"]}}`, "algorithm is turn-exact; want one of [ppo one-move search]"},
		{`{"base": {"train": {"algorithm": "ppo"}}, "grid": {"train.ppo.horizon": [64, 65536], "train.rows": [512, 1048576]}}`, "GiB of memory, "},
		{`{"grid": {"train.learning_rate.2": [0]}}`, `want 0 to 1 in the place of "2"`},
		{`{"base": {"train": {"hidden": []}}, "grid": {"train.hidden.0": [16]}}`, "the list train.hidden is empty"},
		{`{"grid": {"train.learning_rate.0": [0.1], "train.learning_rate": [[0.1, 0.1]]}}`, "varies as a whole"},
		{`{"grid": {"train.rows.0": [0]}}`, "train.rows has no parts"},
		{`{"grid": {"train.seed": [1]}}`, "under seeds"},
		{`{"seeds": [1, 2, 1]}`, "seeds has 1 twice"},
		{`{"grid": {"game": ["pig"]}}`, `"game" cannot vary`},
		{`{"grid": {"train.algorithm": ["pppo"]}}`, "did you mean ppo?"},
		{`{"grid": {"train.evaluations": [0]}}`, "evaluations is 0"},
		{`{"random": {"runs": 0}}`, "random.runs is 0"},
		{`{"random": {"runs": 5001}, "seeds": [1, 2]}`, "make 1e+04 runs; want at most 10000"},
		{fmt.Sprintf(`{"grid": {"train.value_coef": %[1]s, "train.rows": %[1]s, "train.adam.eps": %[1]s, "train.steps": %[1]s, "train.warmup": %[1]s}}`, hundred), "make 1e+10 runs; want at most 10000"},
		{`{"random": {"runs": 1, "draw": {"train.rows": {"uniform": [1.2, 1.8], "int": true}}}}`, "no whole number is from 1.2 to 1.8"},
		{`{"grid": {"` + strings.Repeat("x", 1000) + `": [1]}}`, `"xxx`},
		{`{"random": {"runs": 1, "draw": {"train.value_coef": {"log": [0, 1]}}}}`, "above 0"},
		{`{"random": {"runs": 1, "draw": {"train.value_coef": {"uniform": [2, 1]}}}}`, "the lower first"},
		{`{"random": {"runs": 1, "draw": {"train.value_coef": {"uniform": [1, 2, 3]}}}}`, "two numbers"},
		{`{"random": {"runs": 1, "draw": {"train.value_coef": {"uniform": [1, 2], "log": [1, 2]}}}}`, `"uniform" or "log"`},
		{`{"random": {"runs": 1, "draw": {"train.rows": {"uniform": [1.1, 1.2]}}}}`, "want a whole number"},
		{`{"random": {"runs": 1, "draw": {"train.value_coef": {"log": [1, 2]}}}, "grid": {"train.value_coef": [1]}}`, "both in grid and in random"},
	} {
		_, err := sweep.Parse([]byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 600 {
			t.Errorf("%.200s: %v, want %q", test.text, err, test.want)
		}
	}
}
