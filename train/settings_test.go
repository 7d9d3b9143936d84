package train_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/tablegame"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train"
)

// complete reads settings, opens their game and completes them for it.
func complete(text []byte, a train.Algorithm) (s train.Settings, g env.Game, err error) {
	d, err := train.ReadDraft(text)
	if err == nil {
		g, err = d.Open()
	}
	if err == nil {
		s, err = d.Complete(g, a)
	}
	return s, g, err
}

// TestShards reads settings of release 0.1.0, as they are given and from a run folder.
func TestShards(t *testing.T) {
	text := []byte(`{"train": {"algorithm": "ppo", "shards": 4}}`)
	if _, _, err := complete(text, ""); !errors.Is(err, train.ErrShards) {
		t.Errorf("settings: %v; want ErrShards", err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, train.ConfigFile)
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := train.LoadSettings(dir); !errors.Is(err, train.ErrShards) || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("run folder: %v; want ErrShards in %s", err, path)
	}
}

// TestDefaultForTable: a table plays each decision once, and the policy of a game without chance is fitted
// to a temperature at which equal options stay equal.
func TestDefaultForTable(t *testing.T) {
	listed := func(list *tablegame.Table) env.Game {
		rules, err := tablegame.New(list)
		if err != nil {
			t.Fatal(err)
		}
		return catalog.OpenTable(rules)
	}
	for _, test := range []struct {
		name        string
		g           env.Game
		turns       int
		steps       uint64
		temperature train.Schedule
	}{
		{"tic-tac-toe", catalog.OpenTable(testgames.NewTicTacToe()), 1, 5e6, train.Schedule{0.05, 0.05}},
		{"table of pig", listed(testgames.List("pig", testgames.NewPig(t, 2, 10), true)), 1, 5e6, train.Schedule{0.02, 0.002}},
		{"table of pig for three", listed(testgames.List("pig", testgames.NewPig(t, 3, 5), true)), 1, 5e6, train.Schedule{0.02, 0.004}},
		{"pig", testgames.Open(t, "pig", 2, "{}"), 4, 5e6, train.Schedule{0.02, 0.002}},
	} {
		c, err := train.DefaultFor(test.g)
		if err != nil {
			t.Fatal(err)
		}
		if c.Algorithm != train.TurnExact || c.Steps != test.steps || c.Expert.Search.Turns != test.turns || c.Expert.Temperature != test.temperature {
			t.Errorf("%s: %s, %d decisions, each turn %d times, temperature %v; want %+v", test.name, c.Algorithm, c.Steps, c.Expert.Search.Turns, c.Expert.Temperature, test)
		}
	}
}

// TestDefaultFor compares what depends on the game.
func TestDefaultFor(t *testing.T) {
	fulltest.Gate(t)
	if testing.Short() {
		t.Skip("plays a million decisions")
	}
	for _, test := range []struct {
		name       string
		players    int
		want       train.Algorithm
		head       models.Head
		horizon    int
		lambda     float64 // of the advantages
		outcomes   int     // of chance, of the advantages
		entropy    train.Schedule
		rows       int
		steps      uint64
		last       float64 // temperature of expert iteration at the end
		population int
		each       float64 // fraction of the run for each network of the population
		greedy     float64
	}{
		{"martian-dice", 0, train.TurnExact, models.Score, 0, 0, 0, train.Schedule{}, 32, 5e6, 0.002, 0, 0.1, 0},
		{"martian-dice", 4, train.TurnExact, models.Score, 0, 0, 0, train.Schedule{}, 32, 40e6, 0.004, 0, 0.1, 0},
		{"pig", 0, train.TurnExact, models.Score, 0, 0, 0, train.Schedule{}, 32, 5e6, 0.002, 0, 0.1, 0},
		{"pig", 3, train.TurnExact, models.Score, 0, 0, 0, train.Schedule{}, 32, 17e6, 0.004, 0, 0.1, 0}, // a turn has more leaves
		{"martian-dice", 1, train.AlgorithmPPO, models.Score, 64, 0.85, 0, train.Schedule{0.25, 0.001}, 512, 12e6, 0, 0, 0.1, 0},
		{"mars-is-ours", 2, train.AlgorithmPPO, models.Logits, 64, 0.85, 0, train.Schedule{0.08, 0.001}, 512, 100e6, 0, 0, 0.1, 0},
		{"mars-is-ours", 3, train.AlgorithmPPO, models.Logits, 128, 0.85, 0, train.Schedule{0.25, 0.001}, 1024, 53e6, 0, 0, 0.1, 0},
		{"mars-is-ours", 4, train.AlgorithmPPO, models.Logits, 64, 0.85, 0, train.Schedule{0.25, 0.001}, 512, 46e6, 0, 0, 0.1, 0},
		{"mars-is-ours-fast", 0, train.OneMove, models.Logits, 0, 0, 0, train.Schedule{}, 16, 5e6, 0.002, 0, 0.1, 0},
		{"martian-risk-small", 0, train.AlgorithmPPO, models.Logits, 128, 0.95, 0, train.Schedule{0.1, 0.02}, 1024, 85e6, 0, 6, 0.1, 0.3},
		{"martian-risk", 0, train.AlgorithmPPO, models.Score, 512, 0.995, 64, train.Schedule{0.02, 0.0005}, 128, 100e6, 0, 2, 0.25, 0.1},
		{"martian-risk", 6, train.AlgorithmPPO, models.Score, 512, 0.995, 64, train.Schedule{0.02, 0.0005}, 32, 55e6, 0, 2, 0.25, 0.1}, // more rows would take too much memory
	} {
		g, err := catalog.Open(test.name, test.players, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := train.DefaultFor(g)
		if err != nil {
			t.Fatal(err)
		}
		if c.Algorithm != test.want || c.Head != test.head || c.PPO.Horizon != test.horizon || c.PPO.Lambda != test.lambda || c.PPO.Outcomes != test.outcomes || c.PPO.EntropyCoef != test.entropy || c.Rows != test.rows || c.Steps != test.steps || c.Expert.Temperature[1] != test.last {
			t.Errorf("%s: %s with %s, horizon %d, λ %v, %d outcomes, entropy bonus %v, %d rows, %d decisions, last temperature %v; want %+v", test.name, c.Algorithm, c.Head, c.PPO.Horizon, c.PPO.Lambda, c.PPO.Outcomes, c.PPO.EntropyCoef, c.Rows, c.Steps, c.Expert.Temperature[1], test)
		}
		if c.Algorithm == train.AlgorithmPPO && c.PPO.Epochs != 1 {
			t.Errorf("%s: %d epochs; want 1", test.name, c.PPO.Epochs)
		}
		fraction := 0.0
		if test.population > 0 {
			fraction = 0.6
		}
		if o := c.Opponents; o.Population != test.population || o.Fraction != fraction || o.PopulationSteps != test.each || o.Bots["greedy"] != test.greedy || o.Ensemble != (test.population == 2) {
			t.Errorf("%s: opponents %+v; want fraction %v, a population of %d, %v of the run for each, and %v of greedy; an ensemble with two", test.name, o, fraction, test.population, test.each, test.greedy)
		}
		c.Memory = 24
		if err := c.Check(g); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestCPUMinutes: the defaults of the board games take minutes, in proportion to their decisions, and
// other runs have no such figure.
func TestCPUMinutes(t *testing.T) {
	minutes := func(game string, change func(c *train.Config)) float64 {
		g, err := catalog.Open(game, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := train.DefaultFor(g)
		if err != nil {
			t.Fatal(err)
		}
		change(&c)
		m, err := c.CPUMinutes(g)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	all := minutes("martian-risk-small", func(*train.Config) {})
	half := minutes("martian-risk-small", func(c *train.Config) { c.Steps /= 2 })
	if !(all >= 6 && all <= 12) || !(math.Abs(half-all/2) <= 0.01) {
		t.Errorf("martian-risk-small: %v minutes, and %v for half of the decisions; want 6 to 12", all, half)
	}
	if m := minutes("martian-risk-small", func(c *train.Config) { c.Hidden = []int{1024, 1024} }); m != 0 {
		t.Errorf("martian-risk-small with large layers: %v minutes", m)
	}
	if m := minutes("pig", func(*train.Config) {}); m != 0 {
		t.Errorf("pig: %v minutes", m)
	}
}

// TestBots has bots in settings, which replace those of the defaults.
func TestBots(t *testing.T) {
	for text, want := range map[string]train.Bots{
		`{"fraction": 0.5}`:                         {"greedy": 0.3},
		`{"bots": {"random": 0.25}}`:                {"random": 0.25},
		`{"bots": {"random": 0.25, "greedy": 0.5}}`: {"random": 0.25, "greedy": 0.5},
		`{"bots": {}}`:                              {},
	} {
		s, _, err := complete([]byte(`{"game": "martian-risk-small", "train": {"opponents": `+text+`}}`), "")
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(s.Train.Opponents.Bots, want) {
			t.Errorf("%s: %v; want %v", text, s.Train.Opponents.Bots, want)
		}
	}
}

// TestComplete completes settings by the defaults of their game.
func TestComplete(t *testing.T) {
	for _, test := range []struct {
		text      string
		algorithm train.Algorithm
		want      func(*train.Config)
	}{
		{``, "", func(c *train.Config) {}},
		{`{"train": {"rows": 64, "ppo": {"gamma": 0.5}}}`, "", func(c *train.Config) { c.Rows, c.PPO.Gamma = 64, 0.5 }},
		{`{"train": {"algorithm": "ppo"}}`, "", func(c *train.Config) { *c = train.DefaultConfig(train.AlgorithmPPO) }},
		{`{"train": {"algorithm": "ppo", "rows": 64}}`, train.Search, func(c *train.Config) { *c = train.DefaultConfig(train.Search); c.Rows = 64 }},
	} {
		var text []byte
		if test.text != "" {
			text = []byte(test.text)
		}
		s, g, err := complete(text, test.algorithm)
		if err != nil {
			t.Fatal(err)
		}
		want, err := train.DefaultFor(g)
		if err != nil {
			t.Fatal(err)
		}
		test.want(&want)
		if !reflect.DeepEqual(s.Train, want) || s.Game != "martian-dice" || string(s.GameConfig) != g.Spec().ConfigJSON() || s.Backend != "gorgonia" || s.Device != "cpu" {
			t.Errorf("%s: %+v; want %+v", test.text, s, want)
		}
	}
	for text, want := range map[string]string{
		`{"train": {"rowz": 1}}`:         `unknown field "rowz"`,
		`{"train": {"algorithm": "pp"}}`: "did you mean ppo?",
		`{"game": "pigs"}`:               "pigs",
		`[]`:                             "the document is an array; want an object",

		`{"game": "pig", "Game": "chess"}`:                           `unknown field "Game"; want one of: backend, device, game, game_config, group, name, tags, train; did you mean game?`,
		`{"train": {"rows": 64, "rows": 128}}`:                       `train: the key "rows" is there twice`,
		`{"train": {"algorithm": "ppo", "ppo": {"Gamma": 1}}}`:       `train.ppo: unknown field "Gamma"`,
		`{"train": {"opponents": {"bots": {"a": 1, "a": 1}}}}`:       `train.opponents.bots: the key "a" is there twice`,
		`{"game": "pig", "game_config": {"Target": 20}}`:             `unknown field "Target"; want one of: `,
		`{"game": "pig", "game_config": {"target": 2, "target": 3}}`: `game_config: the key "target" is there twice`,
		"\xff\xfe{\x00}\x00":                                         "UTF-16",
	} {
		_, _, err := complete([]byte(text), "")
		refused(t, err, want)
	}
	s, _, err := complete([]byte("\ufeff"+`{"game": "pig", "game_config": {"target": 20}}`), "")
	if err != nil || !bytes.Contains(s.GameConfig, []byte(`"target":20`)) {
		t.Errorf("after a byte order mark: the game %s, %v; want a target of 20", s.GameConfig, err)
	}
	_, _, err = complete([]byte("\ufeff"+`{"train": {"shards": 4}}`), "")
	refused(t, err, "train.shards is gone")
}

// TestLoadMarked loads settings that a Windows editor saved.
func TestLoadMarked(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, train.ConfigFile), []byte("\ufeff"+`{"game": "pig", "train": {"algorithm": "ppo"}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if s, err := train.LoadSettings(dir); err != nil || s.Game != "pig" {
		t.Errorf("%+v, %v", s, err)
	}
}

// FuzzSettings reads any settings. Those that are accepted are unchanged by saving
// and loading them.
func FuzzSettings(f *testing.F) {
	for _, id := range []string{"martian-dice", "pig"} {
		for _, a := range train.Algorithms() {
			text, err := json.Marshal(train.Settings{Game: id, GameConfig: []byte("{}"), Backend: "gotch", Device: "cuda:0", Train: train.DefaultConfig(a)})
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	for _, text := range []string{"{}", `{"game": "pig", "train": {"steps": 1e3}}`, `{"train": {"learning_rate": [1]}}`, `{"game_config": null}`, `{"device": ""}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if board(text) {
			return
		}
		s, g, err := complete(text, "")
		if err != nil || s.Train.Check(g) != nil {
			return
		}
		dir := t.TempDir()
		if err := s.Save(dir); err != nil {
			t.Fatal(err)
		}
		back, err := train.LoadSettings(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*train.Settings{&s, &back} {
			var b bytes.Buffer
			if err := json.Compact(&b, s.GameConfig); err != nil {
				t.Fatal(err)
			}
			s.GameConfig = b.Bytes()
		}
		if !reflect.DeepEqual(back, s) {
			t.Errorf("%+v is loaded as %+v", s, back)
		}
	})
}

// board reports whether settings may be of a game whose defaults need games to be
// played, which takes too long here.
func board(text []byte) bool {
	lower := bytes.ToLower(text)
	return bytes.Contains(lower, []byte("mars-")) || bytes.Contains(lower, []byte("risk")) || bytes.Contains(lower, []byte(`\u`))
}
