package martianrisk_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martianrisk"
)

// maxMoves is the largest number of moves for an input of a fuzz target.
const maxMoves = 256

// play plays a game in which each byte chooses a legal action or seeds the dice, and
// checks the invariants of every state.
func play(t *testing.T, r *martianrisk.Rules, choices []byte) {
	cfg := r.Spec().Config.(martianrisk.Config)
	s := r.Initial()
	for i, b := range choices[:min(len(choices), maxMoves)] {
		if fault := invariants(&cfg, &s); fault != "" {
			t.Fatalf("%s in %q", fault, r.Format(s))
		}
		if i%16 > 0 {
			// The notation is slow: not every state is checked.
		} else if again, err := r.Parse(r.Format(s)); err != nil || again != s {
			t.Fatalf("%q is read as %+v, error %v; want %+v", r.Format(s), again, err, s)
		}
		switch r.CurrentPlayer(s) {
		case game.Terminal:
			if _, err := r.Apply(s, 0); !errors.Is(err, game.ErrGameOver) {
				t.Fatalf("after the end: error %v", err)
			}
			return
		case game.Chance:
			s = r.Sample(s, rand.NewPCG(uint64(b), uint64(s.Round)))
		default:
			legal := r.Legal(nil, s)
			next, err := r.Apply(s, legal[int(b)%len(legal)])
			if err != nil {
				t.Fatalf("in %q: %v", r.Format(s), err)
			}
			s = next
		}
	}
}

// FuzzApply plays games of several configs by bytes.
func FuzzApply(f *testing.F) {
	var list []*martianrisk.Rules
	for _, cfg := range []martianrisk.Config{
		martianrisk.DefaultConfig(), martianrisk.SmallConfig(), martianrisk.TinyConfig(), published(6, nil),
		published(4, func(c *martianrisk.Config) {
			c.StrictRoll, c.OneAttack, c.MergeLarge, c.MergeSmall, c.LostArmies = false, true, false, false, martianrisk.Out
		}),
		toy(func(c *martianrisk.Config) { c.Trios, c.Unions = 2, false }),
	} {
		list = append(list, rules(f, cfg))
	}
	random := rand.New(rand.NewPCG(1, 1))
	for i := range list {
		choices := make([]byte, maxMoves)
		for k := range choices {
			choices[k] = byte(random.Uint32())
		}
		f.Add(uint8(i), choices)
	}
	f.Fuzz(func(t *testing.T, which uint8, choices []byte) { play(t, list[int(which)%len(list)], choices) })
}

// FuzzMap reads any map. A game on an accepted map can be played, and the map survives
// JSON unchanged.
func FuzzMap(f *testing.F) {
	choices := make([]byte, 100)
	random := rand.New(rand.NewPCG(1, 1))
	for k := range choices {
		choices[k] = byte(random.Uint32())
	}
	for i, cfg := range []martianrisk.Config{martianrisk.TinyConfig(), martianrisk.SmallConfig(), published(6, nil)} {
		full := rules(f, cfg).Spec().Config.(martianrisk.Config).Map
		text, err := json.Marshal(full)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), text)
	}
	files, err := filepath.Glob("maps/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(3), text)
	}
	f.Add(uint8(0), []byte(`"strip"`))
	f.Add(uint8(0), []byte(`{"name": "two", "source": "invented", "regions": [{"name": "a", "at": [0, 0]}, {"name": "b", "at": [0, 1]}], "borders": {"b": ["a"]}}`))
	f.Fuzz(func(t *testing.T, players uint8, text []byte) {
		cfg := martianrisk.DefaultConfig()
		cfg.Players, cfg.Experimental, cfg.RegionsPerPlayer = 2+int(players)%5, true, 0
		cfg.SetupArmies, cfg.ArmyCap = 40, 50
		if json.Unmarshal(text, &cfg.Map) != nil {
			return
		}
		r, err := martianrisk.New(cfg)
		if err != nil {
			return
		}
		full := r.Spec().Config.(martianrisk.Config).Map
		again, err := json.Marshal(full)
		if err != nil {
			t.Fatal(err)
		}
		var back martianrisk.Map
		if err := json.Unmarshal(again, &back); err != nil || !reflect.DeepEqual(back, full) {
			t.Fatalf("%s is read as %+v, error %v", again, back, err)
		}
		play(t, r, choices)
	})
}

// FuzzOdds passes any question to OddsTables and checks the tables: rows as long as the
// columns, and probabilities from 0 to 1.
func FuzzOdds(f *testing.F) {
	r := rules(f, martianrisk.DefaultConfig())
	for _, question := range []string{
		"all", "up to 20", "up to 200", "5 against 3", "200 against 200 towers -3",
		"6 against 4 towers +1 region 3 enemy 1", "2 against 1 enemy 1e6", "", "up to 1", "5 against 3 region NaN",
	} {
		f.Add(question)
	}
	f.Fuzz(func(t *testing.T, question string) {
		tables, err := r.OddsTables(question)
		if err != nil {
			return
		}
		if len(tables) == 0 {
			t.Errorf("%q: no tables", question)
		}
		for _, table := range tables {
			for _, row := range table.Rows {
				if len(row) != len(table.Columns) {
					t.Fatalf("%q: %s has a row of %d for %d columns", question, table.Name, len(row), len(table.Columns))
				}
				for k, x := range row {
					p, ok := x.(float64)
					column := table.Columns[k]
					chance := column == "battle_won" || column == "conquest" || column == "probability" || len(tables) > 4
					if ok && (p-p != 0 || chance && !(p >= 0 && p <= 1+1e-9)) {
						t.Fatalf("%q: %s, %s is %v", question, table.Name, column, p)
					}
				}
			}
			if table.Name == "left" {
				sum := 0.0
				for _, row := range table.Rows {
					sum += row[2].(float64)
				}
				if !(math.Abs(sum-1) <= 1e-9) {
					t.Fatalf("%q: the probabilities of the table left sum to %v", question, sum)
				}
			}
		}
	})
}
