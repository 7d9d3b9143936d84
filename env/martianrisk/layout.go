package martianrisk

import (
	_ "embed"
	"encoding/json"
	"math"

	"marsgym/env/game"
)

// layout is where the regions of a map are drawn.
type layout struct {
	width, height, unit float64
	lines               bool // the outlines do not touch, and lines show the borders
	cells               []placedRegion
}

// placedRegion is a region in a drawing. anchor, if not nil, is a point inside the
// outline, where at is outside.
type placedRegion struct {
	at      game.ScenePoint
	anchor  *game.ScenePoint
	outline [][]game.ScenePoint
}

//go:embed outlines.json
var outlineFile []byte

// outlines holds the outlines of the regions of the map "us", with coordinates x, y, x, y
// and so on.
type outlines struct {
	Source  string `json:"source"`
	Regions map[string]struct {
		At      game.ScenePoint  `json:"at"`
		Anchor  *game.ScenePoint `json:"anchor"`
		Outline [][]float64      `json:"outline"`
	} `json:"regions"`
}

// newLayout returns the layout of a map: by the outlines of the states if they touch
// exactly where the map has borders, else on a grid.
func newLayout(m Map, b *board) *layout {
	if l := stateLayout(m); l != nil && l.touching(b) {
		l.crop()
		return l
	}
	return gridLayout(m)
}

// stateLayout returns the layout by the outlines of the states, or nil if a region has
// none.
func stateLayout(m Map) *layout {
	var file outlines
	if err := json.Unmarshal(outlineFile, &file); err != nil {
		panic("martianrisk: outlines.json: " + err.Error())
	}
	l := &layout{unit: math.Inf(1)}
	for _, region := range m.Regions {
		o, ok := file.Regions[region.Name]
		if !ok {
			return nil
		}
		cell := placedRegion{at: o.At, anchor: o.Anchor}
		for _, flat := range o.Outline {
			var ring []game.ScenePoint
			for i := 0; i+1 < len(flat); i += 2 {
				ring = append(ring, game.ScenePoint{flat[i], flat[i+1]})
			}
			cell.outline = append(cell.outline, ring)
		}
		if cell.anchor == nil {
			l.unit = min(l.unit, 2*cell.room())
		}
		l.cells = append(l.cells, cell)
	}
	return l
}

// room returns the distance of at from the outline.
func (c *placedRegion) room() float64 {
	least := math.Inf(1)
	for _, ring := range c.outline {
		for i, a := range ring {
			b := ring[(i+1)%len(ring)]
			dx, dy := b[0]-a[0], b[1]-a[1]
			along := ((c.at[0]-a[0])*dx + (c.at[1]-a[1])*dy) / (dx*dx + dy*dy)
			along = min(1, max(0, along)) // the nearest point of the side
			least = min(least, math.Hypot(c.at[0]-a[0]-along*dx, c.at[1]-a[1]-along*dy))
		}
	}
	return least
}

// touching reports whether two outlines have a side in common exactly where the map has a
// border.
func (l *layout) touching(b *board) bool {
	type side [2]game.ScenePoint
	of := map[side]int{}
	for i, cell := range l.cells {
		for _, ring := range cell.outline {
			for k, p := range ring {
				of[side{p, ring[(k+1)%len(ring)]}] = i
			}
		}
	}
	adj := make([]uint64, len(l.cells))
	for s, i := range of {
		if k, ok := of[side{s[1], s[0]}]; ok {
			adj[i] |= 1 << k
		}
	}
	for i, set := range adj {
		if set != b.adj[i] {
			return false
		}
	}
	return true
}

// crop moves the layout to the origin, with a margin.
func (l *layout) crop() {
	left, top := math.Inf(1), math.Inf(1)
	each := func(f func(p *game.ScenePoint, room float64)) {
		for i := range l.cells {
			f(&l.cells[i].at, l.unit/2)
			if l.cells[i].anchor != nil {
				f(l.cells[i].anchor, 0)
			}
			for _, ring := range l.cells[i].outline {
				for k := range ring {
					f(&ring[k], 0)
				}
			}
		}
	}
	each(func(p *game.ScenePoint, room float64) { left, top = min(left, p[0]-room), min(top, p[1]-room) })
	const margin = 8 // chosen: lines at the edge are drawn in full
	each(func(p *game.ScenePoint, room float64) {
		p[0], p[1] = p[0]-left+margin, p[1]-top+margin
		l.width, l.height = max(l.width, p[0]+room+margin), max(l.height, p[1]+room+margin)
	})
}

// gridLayout draws each region as a square at its column and row.
func gridLayout(m Map) *layout {
	left, top := m.Regions[0].At[0], m.Regions[0].At[1]
	for _, region := range m.Regions {
		left, top = min(left, region.At[0]), min(top, region.At[1])
	}
	const side, half = 100, 36 // chosen: a line of a quarter of the side between neighbours
	l := &layout{unit: 52, lines: true}
	for _, region := range m.Regions {
		x, y := float64(side*(region.At[0]-left)+side/2), float64(side*(region.At[1]-top)+side/2)
		l.width, l.height = max(l.width, x+side/2), max(l.height, y+side/2)
		l.cells = append(l.cells, placedRegion{
			at:      game.ScenePoint{x, y},
			outline: [][]game.ScenePoint{{{x - half, y - half}, {x + half, y - half}, {x + half, y + half}, {x - half, y + half}}},
		})
	}
	return l
}
