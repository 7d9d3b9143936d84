package marsisours

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"marsgym/internal/input"
)

// Data holds what the text of the source leaves to its figures. A Source describes
// the origin of a value and is no part of the rules.
type Data struct {
	Layouts map[Layout]Map    `json:"layouts"`
	Tiles   map[Terrain]Tiles `json:"tiles"`
	Tracks  struct {
		Gem   Track `json:"gem"`
		Soda  Track `json:"soda"`
		Metal Track `json:"metal"`
		Turf  Track `json:"turf"`
	} `json:"tracks"`
}

// Map is a drawing of the tiles, a string for each row. A square of four cells with
// the same letter is a tile; # is the stone, and a space is no cell.
type Map struct {
	Source string   `json:"source,omitempty"`
	Cells  []string `json:"cells"`
	// Terrain draws the terrain of the cells, with the letters of Tile, # for the
	// stone, and a dot where tiles are drawn at random. It may be left out.
	Terrain  []string             `json:"terrain,omitempty"`
	Stations map[Stations]Station `json:"stations"`
}

// Station names the cells with a space station: column letter, row from the top.
type Station struct {
	Source string   `json:"source,omitempty"`
	Cells  []string `json:"cells"`
}

// Tiles are the tiles that are drawn.
type Tiles struct {
	Source string `json:"source,omitempty"`
	Tiles  []Tile `json:"tiles"`
}

// Tile names a tile by its quarters, clockwise: g gems, s soda, m metal, t turf. A
// single letter is a quarter that is drawn by itself.
type Tile struct {
	Tile   string `json:"tile"`
	Copies int    `json:"copies"`
}

// Track lists the rewards of a production track by level, from 0 on.
type Track struct {
	Source string   `json:"source,omitempty"`
	Levels []Reward `json:"levels"`
}

// Reward is the pay of a level.
type Reward struct {
	Money  int `json:"money,omitempty"`
	Tokens int `json:"tokens,omitempty"`
	Dice   int `json:"dice,omitempty"`
	Robots int `json:"robots,omitempty"`
}

//go:embed mars.json
var file []byte

// published is the data of the package.
var published = func() *Data {
	var data Data
	if err := input.DecodeJSON(file, &data); err != nil {
		panic("marsisours: mars.json: " + err.Error())
	}
	return &data
}()

// withoutSources returns a copy without sources, so that a better note changes no
// hash.
func (d *Data) withoutSources() *Data {
	c := *d
	c.Layouts = maps.Clone(d.Layouts)
	for name, m := range c.Layouts {
		m.Source, m.Stations = "", maps.Clone(m.Stations)
		for name, s := range m.Stations {
			s.Source = ""
			m.Stations[name] = s
		}
		c.Layouts[name] = m
	}
	c.Tiles = maps.Clone(d.Tiles)
	for name, t := range c.Tiles {
		t.Source = ""
		c.Tiles[name] = t
	}
	for _, t := range c.tracks() {
		t.Source = ""
	}
	return &c
}

// tracks returns the four tracks in the order of the terrains.
func (d *Data) tracks() [products]*Track {
	return [products]*Track{&d.Tracks.Gem, &d.Tracks.Soda, &d.Tracks.Metal, &d.Tracks.Turf}
}

// validate reports all faults of the data at once.
func (d *Data) validate() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(d.Layouts)) {
		m := d.Layouts[name]
		for _, at := range slices.Sorted(maps.Keys(m.Stations)) {
			if _, err := newBoard(m, at, nil); err != nil {
				errs = append(errs, fmt.Errorf("layout %s, stations %s: %w", name, at, err))
				break // one error is enough: the name of a layout may be long
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Tiles)) {
		if _, err := newPool(d.Tiles[name].Tiles); err != nil {
			errs = append(errs, fmt.Errorf("tiles %s: %w", name, err))
		}
	}
	levels := len(d.Tracks.Gem.Levels)
	for i, t := range d.tracks() {
		if n := len(t.Levels); n != levels || n < 2 || n > maxLevels {
			errs = append(errs, fmt.Errorf("track %s has %d levels; want 2 to %d, and as many as gem", terrainNames[i], n, maxLevels))
		}
		for level, w := range t.Levels {
			if m := min(w.Money, w.Tokens, w.Dice, w.Robots); m < 0 || max(w.Money, w.Tokens, w.Dice, w.Robots) > 100 {
				errs = append(errs, fmt.Errorf("track %s, level %d: %+v; want numbers from 0 to 100", terrainNames[i], level, w))
			}
		}
	}
	return errors.Join(errs...)
}

// keys lists the keys of a map in order.
func keys[K ~string, V any](m map[K]V) string {
	var list []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, string(k))
	}
	return strings.Join(list, ", ")
}
