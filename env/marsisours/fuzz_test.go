package marsisours_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"marsgym/env/game"
	"marsgym/env/marsisours"
)

// FuzzData reads any maps, tiles and tracks. A game with accepted data can be played,
// and the data survives JSON unchanged.
func FuzzData(f *testing.F) {
	file, err := os.ReadFile("mars.json")
	if err != nil {
		f.Fatal(err)
	}
	names := []string{"two", "three", "four", "quick", "two on nine", "tips"}
	for i, name := range names {
		f.Add(uint8(i), file)
		text, err := json.Marshal(smallData(newRules(f, configs()[name])))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), text)
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		cfg := configs()[names[int(which)%len(names)]]
		cfg.Data = new(marsisours.Data)
		if json.Unmarshal(text, cfg.Data) != nil {
			return
		}
		r, err := marsisours.New(cfg)
		if err != nil {
			return
		}
		full := r.Spec().Config.(marsisours.Config).Data
		again, err := json.Marshal(full)
		if err != nil {
			t.Fatal(err)
		}
		var back marsisours.Data
		if err := json.Unmarshal(again, &back); err != nil || !reflect.DeepEqual(&back, full) {
			t.Fatalf("%s is read as %+v, error %v", again, back, err)
		}
		dice, choices := rand.NewPCG(1, 1), rand.New(rand.NewPCG(1, 2))
		s := r.Initial()
		for range 100 {
			if again, err := r.Parse(r.Format(s)); err != nil || again != s {
				t.Fatalf("%q is read as %+v, error %v; want %+v", r.Format(s), again, err, s)
			}
			if fault := broken(r, &s); fault != "" {
				t.Fatalf("%s in %q", fault, r.Format(s))
			}
			switch r.CurrentPlayer(s) {
			case game.Terminal:
				return
			case game.Chance:
				s = r.Sample(s, dice)
			default:
				legal := r.Legal(nil, s)
				if s, err = r.Apply(s, legal[choices.IntN(len(legal))]); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// smallData returns the part of the data that a game uses.
func smallData(r *marsisours.Rules) marsisours.Data {
	cfg := r.Spec().Config.(marsisours.Config)
	d := *cfg.Data
	m := d.Layouts[cfg.Layout]
	m.Stations = map[marsisours.Stations]marsisours.Station{cfg.Stations: m.Stations[cfg.Stations]}
	d.Layouts = map[marsisours.Layout]marsisours.Map{cfg.Layout: m}
	d.Tiles = map[marsisours.Terrain]marsisours.Tiles{cfg.Terrain: d.Tiles[cfg.Terrain]}
	return d
}
