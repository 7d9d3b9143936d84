package marsisours

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"marsgym/env/game/message"
)

// writtenParts returns [game.Spec.WrittenParts]: the map, its tiles and the tracks, without the section on
// the quick game, or all rules of the quick game.
// c has its defaults filled in.
func (c Config) writtenParts() map[string]message.Message {
	if c.Variant == Fast2 {
		return map[string]message.Message{"rules": message.New("rules.ours.quick", c.StartHand, c.StartJunk, c.writeQuickMap())}
	}
	return map[string]message.Message{"map": c.writeMap(), "tracks": c.writeTracks(), "quick": {}}
}

// published reports whether the maps, tiles and tracks are those of the package.
func (c Config) published() bool { return reflect.DeepEqual(c.Data, published.withoutSources()) }

// origin says where a part of the data comes from, by a key below "rules.ours.".
func (c Config) origin(part string) message.Message {
	if c.published() {
		return message.New("rules.ours.invented." + part)
	}
	return message.New("rules.ours.given." + part)
}

// writeQuickMap draws the map of the quick game with its stations. Programs can show a picture in place
// of what is fenced as a map.
func (c Config) writeQuickMap() message.Message {
	m := c.Data.Layouts[c.Layout]
	part := "quick-map"
	if c.Stations == Corners && c.Layout == Four && c.published() {
		part = "quick-corners"
	}
	cells := strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' {
			return r
		}
		return '.'
	}, strings.Join(m.Cells, "\n"))
	return message.New("rules.ours.quick-map", c.origin(part), drawGrid(strings.Split(cells, "\n"), m.Stations[c.Stations].Cells))
}

// writeMap draws the map with its stations, and lists the tiles.
func (c Config) writeMap() message.Message {
	m := c.Data.Layouts[c.Layout]
	fixed := message.Message{}
	if m.Terrain != nil {
		fixed = message.New("rules.ours.fixed", drawGrid(m.Terrain, nil))
	}
	var list []message.Message
	tiles := c.Data.Tiles[c.Terrain].Tiles
	for _, t := range tiles {
		key, ground := "{0} × {1}", []any{t.Copies}
		for i := range len(t.Tile) {
			if i > 0 {
				key += fmt.Sprintf("-{%d}", i+1)
			}
			ground = append(ground, message.New(terrainNames[strings.IndexByte(terrainLetters, t.Tile[i])]))
		}
		list = append(list, message.New(key, ground...))
	}
	what := "rules.ours.tiles"
	if len(tiles[0].Tile) == 1 {
		what = "rules.ours.single-tiles"
	}
	return message.New("rules.ours.map", c.origin("map"), drawGrid(m.Cells, m.Stations[c.Stations].Cells), fixed, message.New(what, list))
}

// drawGrid writes a grid of cells, with o for the cells of stations.
func drawGrid(grid, stations []string) string {
	var b strings.Builder
	columns := 0
	for _, line := range grid {
		columns = max(columns, len(line))
	}
	fmt.Fprintf(&b, "   %s\n", "abcdefghijklmnopqrstuvwxyz"[:columns])
	for i, line := range grid {
		row := []byte(line)
		for j := range row {
			if slices.Contains(stations, fmt.Sprintf("%c%d", 'a'+j, i+1)) {
				row[j] = 'o'
			}
		}
		fmt.Fprintf(&b, "%2d %s\n", i+1, strings.TrimRight(string(row), " "))
	}
	return b.String()
}

// writeTracks lists what each level of a track pays.
func (c Config) writeTracks() message.Message {
	key, args := "{0}\n\n| {1} |", []any{c.origin("tracks"), message.New("level")}
	cell := func(m message.Message) {
		key += fmt.Sprintf(" {%d} |", len(args))
		args = append(args, m)
	}
	for _, name := range terrainNames[:products] {
		cell(message.New(name))
	}
	key += "\n|" + strings.Repeat("---|", 1+products) + "\n"
	for level := 1; level < len(c.Data.Tracks.Gem.Levels); level++ {
		key += fmt.Sprintf("| %d |", level)
		for _, t := range c.Data.tracks() {
			cell(t.Levels[level].text())
		}
		key += "\n"
	}
	return message.New(key, args...)
}
