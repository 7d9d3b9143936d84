package marsisours

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// writtenParts returns [game.Spec.WrittenParts]: the map, its tiles and the tracks, or all rules of the quick game.
// c has its defaults filled in.
func (c Config) writtenParts() map[string]string {
	origin := "marsgym invented %s, since the figures of the source are missing."
	if !c.published() {
		origin = "The data in the config of this game gives %s."
	}
	if c.Variant == Fast2 {
		return map[string]string{"rules": fmt.Sprintf(quickRules, c.StartHand, c.StartJunk, c.writeMap(origin))}
	}
	return map[string]string{"map": c.writeMap(origin), "tracks": c.writeTracks(origin)}
}

// published reports whether the maps, tiles and tracks are those of the package.
func (c Config) published() bool { return reflect.DeepEqual(c.Data, published.withoutSources()) }

// quickRules holds the rules of the quick game, with room for the robots in the hand and the
// junkyard, and for the map.
const quickRules = `
### The goal

The player with the most robots on the map at the end wins; the starter wins a tie.

### Setup

Each of the two players has robots of one colour: %d in the hand and %d in the junkyard. Each rolls
a die; the higher starts the game. Players who tie roll again.

### The map

%s
### Your turn

Players take turns. On your turn, choose one of these actions:

- **Place a robot** from your hand. It walks or drops.
  - A robot walks from any station, one to three steps up, down, left or right. It passes through
    empty cells, stations and your own robots, but not through other robots, and ends on an empty
    cell without a station.
  - A robot drops on an empty cell directly beside (not diagonally) any of your robots.
- **Attack.** You need at least one robot in your hand. Choose a robot of the other player that has
  one or more of your robots directly beside it. Choose how many of these attack, one to four. Roll
  a die for each attacking robot and count the highest; the defender rolls one die. You win if your
  number is equal or higher.
  - If you win, the beaten robot returns to its owner's hand. One of your robots takes the cell. It
    comes from your junkyard or, if that is empty, from your hand.
  - If you lose, a robot from your hand leaves the game.
- **Pass.** You have no more turns.

### The end

The game ends when both players have passed, or when neither can place or attack.
`

// writeMap draws the map with its stations, and lists the tiles, which the quick game does not
// have. Programs can show a picture in place of what is fenced as a map.
func (c Config) writeMap(origin string) string {
	m := c.Data.Layouts[c.Layout]
	stations := m.Stations[c.Stations].Cells
	var b strings.Builder
	if c.Variant == Fast2 {
		what, stated := "the map and the stations", ""
		if c.Stations == Corners && c.Layout == Four && c.published() {
			what, stated = "the map", " The source puts the stations in its corners."
		}
		fmt.Fprintf(&b, origin+"%s No robot can stop on a space station.\n\n```map\n", what, stated)
		cells := strings.Map(func(r rune) rune {
			if r == ' ' || r == '\n' {
				return r
			}
			return '.'
		}, strings.Join(m.Cells, "\n"))
		drawGrid(&b, strings.Split(cells, "\n"), stations)
		b.WriteString("\no space station   . other cell\n```\n")
		return b.String()
	}
	fmt.Fprintf(&b, origin+" Letters are tiles, # is stone and o is a space station.\n\n```\n", "the map, the stations and the ground of the tiles")
	drawGrid(&b, m.Cells, stations)
	b.WriteString("```\n")
	if m.Terrain != nil {
		b.WriteString("\nThe ground of these cells is fixed (g gems, s soda, m metal, t turf; a dot is drawn):\n\n```\n")
		drawGrid(&b, m.Terrain, nil)
		b.WriteString("```\n")
	}
	var list []string
	tiles := c.Data.Tiles[c.Terrain].Tiles
	for _, t := range tiles {
		var names []string
		for i := range len(t.Tile) {
			names = append(names, terrainNames[strings.IndexByte(terrainLetters, t.Tile[i])])
		}
		list = append(list, fmt.Sprintf("%d × %s", t.Copies, strings.Join(names, "-")))
	}
	what := "The tiles are listed with the ground of their four cells, clockwise"
	if len(tiles[0].Tile) == 1 {
		what = "Each cell is a tile of its own"
	}
	fmt.Fprintf(&b, "\n%s: %s.\n", what, strings.Join(list, ", "))
	return b.String()
}

// drawGrid writes a grid of cells, with o for the cells of stations.
func drawGrid(b *strings.Builder, grid, stations []string) {
	columns := 0
	for _, line := range grid {
		columns = max(columns, len(line))
	}
	fmt.Fprintf(b, "   %s\n", "abcdefghijklmnopqrstuvwxyz"[:columns])
	for i, line := range grid {
		row := []byte(line)
		for j := range row {
			if slices.Contains(stations, fmt.Sprintf("%c%d", 'a'+j, i+1)) {
				row[j] = 'o'
			}
		}
		fmt.Fprintf(b, "%2d %s\n", i+1, strings.TrimRight(string(row), " "))
	}
}

// writeTracks lists what each level of a track pays.
func (c Config) writeTracks(origin string) string {
	var b strings.Builder
	fmt.Fprintf(&b, origin+"\n\n| level | %s |\n|%s\n", "what a track pays at each level", strings.Join(terrainNames[:products], " | "), strings.Repeat("---|", 1+products))
	for level := 1; level < len(c.Data.Tracks.Gem.Levels); level++ {
		fmt.Fprintf(&b, "| %d |", level)
		for _, t := range c.Data.tracks() {
			fmt.Fprintf(&b, " %s |", cmp.Or(t.Levels[level].text(), "nothing"))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
