package marsisours

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// A place is a cell of the map, numbered row by row, or a lab, numbered from firstLab
// on. A set of places is a uint64 with a bit for each.
const (
	maxCells = 52
	labs     = 6
	firstLab = maxCells
	allLabs  = (1<<labs - 1) << firstLab
	maxSteps = 3 // of a deployed robot
	side     = 10
)

// The terrains. The first four are products, each with a track.
const (
	gem = iota
	soda
	metal
	turf
	stone
	terrains
	products = stone
)

const terrainLetters = "gsmt"

var terrainNames = [terrains]string{"gem", "soda", "metal", "turf", "stone"}

// The labs.
const (
	fair = iota // attacks cost 1 token a robot
	rocket
	converter
	vacuum
	drill
	shield
)

var labNames = [labs]string{"fair", "rocket", "converter", "vacuum", "drill", "shield"}

// board is a map with its stations.
type board struct {
	grid       []string // the drawing of the tiles
	cells      int      // C
	row, col   [maxCells]int
	name       [firstLab + labs]string
	neighbours [maxCells]uint64 // neighbours, stations included
	near       cellMap          // to the neighbours
	stations   uint64
	doors      uint64 // the neighbours of stations
	stone      uint64
	standable  uint64    // where robots can stand: all but the stations
	free       []uint8   // the cells of standable, in order
	units      []unit    // to be laid, in order
	terrain    [2]uint64 // that the config fixes
	fixed      uint64    // the cells whose terrain the config fixes
}

// cellMap maps sets of cells to sets, byte by byte: it has the image of each byte.
type cellMap [7][256]uint64

// add adds a set to the image of cell c.
func (m *cellMap) add(c int, image uint64) {
	for set := range m[c/8] {
		if set>>(c%8)&1 == 1 {
			m[c/8][set] |= image
		}
	}
}

// image returns the image of the cells of a set.
func (b *board) image(m *cellMap, set uint64) uint64 {
	out := m[0][uint8(set)] | m[1][uint8(set>>8)]
	if b.cells > 16 {
		out |= m[2][uint8(set>>16)] | m[3][uint8(set>>24)] | m[4][uint8(set>>32)] |
			m[5][uint8(set>>40)] | m[6][uint8(set>>48)]
	}
	return out
}

// unit holds the cells that are laid at once: those of a tile, clockwise, or one.
type unit []uint8

var errTooLarge = fmt.Errorf("the map is larger than %d cells, %d to a side", maxCells, side)

// newBoard reads a map with one of its sets of stations. Its units have the size of
// the tiles in the pool; there are none if the pool is nil.
func newBoard(m Map, at Stations, p *pool) (*board, error) {
	for _, line := range slices.Concat(m.Cells, m.Terrain) {
		if max(len(line), len(m.Cells), len(m.Terrain)) > side {
			return nil, errTooLarge
		}
	}
	b := &board{grid: m.Cells}
	index := map[[2]int]int{}
	tiles := map[byte][]uint8{}
	var order []byte
	for i, line := range m.Cells {
		for j := range len(line) {
			letter := line[j]
			if letter == ' ' {
				continue
			}
			if b.cells == maxCells {
				return nil, errTooLarge
			}
			c := b.cells
			b.cells++
			index[[2]int{i, j}] = c
			b.row[c], b.col[c] = i, j
			b.name[c] = fmt.Sprintf("%c%d", 'a'+j, i+1)
			if letter == '#' {
				b.stone |= 1 << c
				continue
			}
			if tiles[letter] == nil {
				order = append(order, letter)
			}
			tiles[letter] = append(tiles[letter], uint8(c))
		}
	}
	for l, name := range labNames {
		b.name[firstLab+l] = name
	}
	for c := range b.cells {
		for _, d := range [4][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
			if n, ok := index[[2]int{b.row[c] + d[0], b.col[c] + d[1]}]; ok {
				b.neighbours[c] |= 1 << n
			}
		}
		b.near.add(c, b.neighbours[c])
	}
	for _, name := range m.Stations[at].Cells {
		c := slices.Index(b.name[:b.cells], name)
		if c < 0 || b.stations>>c&1 == 1 {
			return nil, fmt.Errorf("station %q is no cell of the map, or is listed twice", name)
		}
		b.stations |= 1 << c
	}
	if b.stations == 0 {
		return nil, errors.New("there is no station")
	}
	b.doors = b.neighboursOf(b.stations)
	b.standable = (1<<b.cells - 1) &^ b.stations
	for set := b.standable; set != 0; set &= set - 1 {
		b.free = append(b.free, uint8(bits.TrailingZeros64(set)))
	}
	if len(b.free) == 0 {
		return nil, errors.New("there is no cell to stand on")
	}
	if err := b.readTerrain(m, index); err != nil {
		return nil, err
	}
	for _, letter := range order {
		if err := b.addUnits(letter, tiles[letter], p); err != nil {
			return nil, err
		}
	}
	if p != nil && len(b.units) > p.size {
		return nil, fmt.Errorf("%d tiles are to be laid, and there are %d", len(b.units), p.size)
	}
	return b, nil
}

// readTerrain reads the drawing of the terrain.
func (b *board) readTerrain(m Map, index map[[2]int]int) error {
	for i, line := range m.Terrain {
		for j := range len(line) {
			c, ok := index[[2]int{i, j}]
			switch t := strings.IndexByte(terrainLetters, line[j]); {
			case !ok && line[j] == ' ', ok && line[j] == '.':
			case !ok || b.stone>>c&1 == 1 && line[j] != '#' || b.stone>>c&1 == 0 && t < 0:
				return fmt.Errorf("terrain %q, line %d: want a letter of %s for each cell, a dot where tiles are drawn, # where the stone lies", line, i+1, terrainLetters)
			case t >= 0:
				b.fixed |= 1 << c
				set(&b.terrain, c, t)
			}
		}
	}
	for w := range b.terrain {
		b.terrain[w] &= b.standable
	}
	return nil
}

// addUnits adds the cells of a tile to the units.
func (b *board) addUnits(letter byte, cells []uint8, p *pool) error {
	at := func(i int) [2]int { return [2]int{b.row[cells[i]], b.col[cells[i]]} }
	if len(cells) != 4 || at(1) != [2]int{at(0)[0], at(0)[1] + 1} ||
		at(2) != [2]int{at(0)[0] + 1, at(0)[1]} || at(3) != [2]int{at(0)[0] + 1, at(0)[1] + 1} {
		return fmt.Errorf("tile %q is no square of four cells", string(letter))
	}
	whole := 0
	for _, c := range cells {
		whole += int(b.fixed >> c & 1)
	}
	switch {
	case whole == 4 || p == nil:
	case whole > 0:
		return fmt.Errorf("terrain: tile %q is drawn in part", string(letter))
	case p.quarters == 4:
		b.units = append(b.units, unit{cells[0], cells[1], cells[3], cells[2]})
	default:
		for _, c := range cells { // the ground under a station is hidden
			if b.standable>>c&1 == 1 {
				b.units = append(b.units, unit{c})
			}
		}
	}
	return nil
}

// neighboursOf returns the set of all neighbours of a set.
func (b *board) neighboursOf(set uint64) uint64 { return b.image(&b.near, set) }

// set sets the terrain of cell c to t. The cell has none yet.
func set(words *[2]uint64, c, t int) {
	words[0] |= uint64(t&1) << c
	words[1] |= uint64(t>>1) << c
}

// pool holds the tiles that are drawn.
type pool struct {
	quarters int // on a tile: 4, or 1
	size     int
	kinds    []kind
	kindOf   [256]uint8 // by the code of a unit, in any rotation; noKind for other codes
}

// maxKinds is the number of tiles of four quarters that differ when turned.
const maxKinds = 70

const noKind = 255

// kind is a number of equal tiles.
type kind struct {
	code   uint8 // two bits for each quarter
	copies int
}

func newPool(tiles []Tile) (*pool, error) {
	p := &pool{}
	for i := range p.kindOf {
		p.kindOf[i] = noKind
	}
	for _, t := range tiles {
		n := len(t.Tile)
		if p.quarters == 0 {
			p.quarters = n
		}
		if n != 1 && n != 4 || n != p.quarters || t.Copies < 1 || t.Copies > maxCells {
			return nil, fmt.Errorf("tile %q, copies %d: want four letters each, or one each, and 1 to %d copies", t.Tile, t.Copies, maxCells)
		}
		code := 0
		for i := range n {
			letter := strings.IndexByte(terrainLetters, t.Tile[i])
			if letter < 0 {
				return nil, fmt.Errorf("tile %q: want letters of %s", t.Tile, terrainLetters)
			}
			code |= letter << (2 * i)
		}
		p.size += t.Copies
		if k := p.kindOf[code]; k != noKind {
			p.kinds[k].copies += t.Copies
			continue
		}
		p.kinds = append(p.kinds, kind{uint8(code), t.Copies})
		for range n {
			p.kindOf[code] = uint8(len(p.kinds) - 1)
			code = p.rotate(code)
		}
	}
	if p.size == 0 {
		return nil, errors.New("there are no tiles")
	}
	return p, nil
}

// rotate returns the code of a tile turned by a quarter.
func (p *pool) rotate(code int) int {
	width := 2 * p.quarters
	return (code<<2 | code>>(width-2)) & (1<<width - 1)
}
