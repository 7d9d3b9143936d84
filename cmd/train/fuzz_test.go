package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/internal/cli"
	"marsgym/internal/input"
	"marsgym/train"
)

// completed is complete without flags.
func completed(text []byte, a train.Algorithm) (settings, env.Game, error) {
	name := cli.NewFlags("train", "").Game(catalog.IDs())
	name.Default("", nil)
	return complete(text, name, a)
}

// board reports whether the default settings of a game are found by playing it,
// which takes too long here.
func board(text []byte) bool {
	lower := bytes.ToLower(text)
	return bytes.Contains(lower, []byte("mars-")) || bytes.Contains(lower, []byte("risk")) || bytes.Contains(lower, []byte(`\u`))
}

// FuzzSettings reads any settings. Those that are accepted come back as they are
// from a run folder's file.
func FuzzSettings(f *testing.F) {
	f.Add([]byte(quick))
	for _, id := range []string{"martian-dice", "pig"} {
		for _, a := range train.Algorithms() {
			set := defaults(a)
			set.Game = id
			text, err := json.Marshal(set)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	for _, text := range []string{"{}", `{"game": "pig", "train": {"steps": 1e3}}`, `{"train": {"rate": [1]}}`, `{"game_config": null}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if board(text) {
			return
		}
		set, g, err := completed(text, "")
		if err != nil || set.check(g) != nil {
			return
		}
		dir := t.TempDir()
		if err := set.save(dir); err != nil {
			t.Fatal(err)
		}
		back, err := load(dir)
		if err != nil {
			t.Fatal(err)
		}
		compact := func(s *settings) {
			var b bytes.Buffer
			if err := json.Compact(&b, s.GameConfig); err != nil {
				t.Fatal(err)
			}
			s.GameConfig = b.Bytes()
		}
		compact(&set)
		compact(&back)
		if !reflect.DeepEqual(back, set) {
			t.Errorf("%+v comes back as %+v", set, back)
		}
	})
}

// FuzzSweep reads any sweep. One that is accepted has no more runs than it may,
// each of which can be trained, and is worked out the same again.
func FuzzSweep(f *testing.F) {
	f.Add([]byte(quickSweep))
	f.Add([]byte(`{
		"base": {"game": "pig", "train": {"steps": 2000000}},
		"grid": {"train.rows": [64, 128], "train.hidden": [[64], [128, 128]], "train.algorithm": ["ppo", "one-ply"]},
		"random": {"runs": 3, "seed": 1, "draw": {"train.rate.0": {"log": [0.001, 0.02]}, "train.value": {"uniform": [1, 9], "int": true}}},
		"seeds": [1, 2]
	}`))
	f.Add([]byte(`{"random": {"runs": 1, "draw": {"train.warmup": {"uniform": [-1.7e308, 1.7e308]}, "train.value": {"log": [5e-324, 1.7e308]}}}}`))
	f.Add([]byte(`{"grid": {"train.ppo.` + strings.Repeat("a.", 50) + `": [1]}}`))
	f.Add([]byte(`{"grid": {"train.hidden.0": [1, 2], "train.hidden": [[3]]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var s sweep
		if board(text) || input.DecodeJSON(text, &s) != nil || s.runs() > 100 {
			return // as many take long
		}
		p, err := newPlan(text, completed)
		if err != nil {
			return
		}
		runs := 0
		for _, v := range p.variants {
			for _, set := range v.runs {
				if err := set.check(p.game); err != nil {
					t.Errorf("%v: %v", v.values, err)
				}
				runs++
			}
		}
		if runs == 0 || float64(runs) != s.runs() {
			t.Errorf("%d runs; want %v", runs, s.runs())
		}
		if again, err := newPlan(text, completed); err != nil || !reflect.DeepEqual(again.variants, p.variants) {
			t.Errorf("%s is worked out in two ways, error %v", text, err)
		}
	})
}
