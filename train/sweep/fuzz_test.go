// In package sweep for the number of runs, before their settings are worked out.
package sweep

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"marsgym/internal/input"
)

// board reports whether a sweep may be of a game whose default settings need games
// to be played, which takes too long here.
func board(text []byte) bool {
	lower := bytes.ToLower(text)
	return bytes.Contains(lower, []byte("mars-")) || bytes.Contains(lower, []byte("risk")) || bytes.Contains(lower, []byte(`\u`))
}

// FuzzSweep reads any sweep. One that is accepted has no more runs than it may,
// each of which can be trained, and the same plan each time.
func FuzzSweep(f *testing.F) {
	f.Add([]byte(`{
		"base": {"game": "martian-dice", "game_config": {"dice": 4, "target": 4}, "train": {
			"algorithm": "ppo", "hidden": [16], "rows": 32, "ppo": {"horizon": 16, "minibatch": 256}, "steps": 8192, "evaluations": 16, "checkpoints": 16}},
		"grid": {"train.learning_rate": [[0.01, 1e-5],
			[0.0, 0]]},
		"seeds": [3, 4]
	}`))
	f.Add([]byte(`{
		"base": {"game": "pig", "train": {"steps": 2000000}},
		"grid": {"train.rows": [64, 128], "train.hidden": [[64], [128, 128]], "train.algorithm": ["ppo", "one-move"]},
		"random": {"runs": 3, "seed": 1, "draw": {"train.learning_rate.0": {"log": [0.001, 0.02]}, "train.value_coef": {"uniform": [1, 9], "int": true}}},
		"seeds": [1, 2]
	}`))
	f.Add([]byte(`{"random": {"runs": 1, "draw": {"train.warmup": {"uniform": [-1.7e308, 1.7e308]}, "train.value_coef": {"log": [5e-324, 1.7e308]}}}}`))
	f.Add([]byte(`{"grid": {"train.ppo.` + strings.Repeat("a.", 50) + `": [1]}}`))
	f.Add([]byte(`{"grid": {"train.hidden.0": [1, 2], "train.hidden": [[3]]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var d document
		if board(text) || input.DecodeJSON(text, &d) != nil || d.runs() > 100 {
			return // more take long
		}
		p, err := Parse(text)
		if err != nil {
			return
		}
		runs := 0
		for _, v := range p.Variants {
			for _, s := range v.Runs {
				if err := s.Train.Check(p.Game); err != nil {
					t.Errorf("%v: %v", v.Values, err)
				}
				runs++
			}
		}
		if runs == 0 || float64(runs) != d.runs() {
			t.Errorf("%d runs; want %v", runs, d.runs())
		}
		if again, err := Parse(text); err != nil || !reflect.DeepEqual(again.Variants, p.Variants) {
			t.Errorf("%s gives two plans, error %v", text, err)
		}
	})
}
