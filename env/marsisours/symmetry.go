package marsisours

import (
	"math/bits"

	"marsgym/env/game"
)

// view is a symmetry of the board: a rotation or a reflection.
type view struct {
	cells   cellMap
	relabel []game.Action // of the actions of the image
}

// newViews lists the symmetries of the board, the identity first, and for each cell
// with products the cells that the views map to it.
func newViews(r *Rules) (views []view, sources [][8]uint8) {
	b := r.board
	last := 0
	for c := range b.cells {
		last = max(last, b.row[c], b.col[c])
	}
	index := map[[2]int]uint8{}
	for c := range b.cells {
		index[[2]int{b.row[c], b.col[c]}] = uint8(c)
	}
	from := make([][8]uint8, b.cells)
	for mirror := range 8 {
		var to [maxCells]uint8
		alike := true
		for c := range b.cells {
			row, col := b.row[c], b.col[c]
			if mirror&1 != 0 {
				row = last - row
			}
			if mirror&2 != 0 {
				col = last - col
			}
			if mirror&4 != 0 {
				row, col = col, row
			}
			d, ok := index[[2]int{row, col}]
			alike = alike && ok && ((b.stations>>c^b.stations>>d)|(b.stone>>c^b.stone>>d))&1 == 0
			to[c] = d
		}
		if alike {
			for c := range b.cells {
				from[to[c]][len(views)] = uint8(c)
			}
			views = append(views, newView(r, &to))
		}
	}
	for set := b.standable &^ b.stone; set != 0; set &= set - 1 {
		sources = append(sources, from[bits.TrailingZeros64(set)])
	}
	return views, sources
}

func newView(r *Rules, to *[maxCells]uint8) view {
	var v view
	for c := range r.board.cells {
		v.cells.add(c, 1<<to[c])
	}
	for a := range r.act.n {
		v.relabel = append(v.relabel, game.Action(a))
	}
	for slot, c := range r.board.free {
		seen := int(r.slot[to[c]])
		v.relabel[seen] = game.Action(slot)
		for k := range maxAttack {
			v.relabel[r.act.attack+maxAttack*seen+k] = game.Action(r.act.attack + maxAttack*slot + k)
		}
		if !r.fast {
			v.relabel[r.act.down+seen] = game.Action(r.act.down + slot)
		}
	}
	return v
}

// Canonical implements [game.Symmetry]: after the map is laid, the representative is
// the view with the smallest terrain, and among equal ones the smallest sets of robots.
func (r *Rules) Canonical(s State) (State, []game.Action) {
	if s.Phase == Laying || len(r.views) == 1 {
		return s, nil
	}
	left := r.allViews()
	if !r.fast {
		left = r.lowestGround(&s, left)
	}
	v := r.lowestView(&s, left)
	if v == &r.views[0] {
		return s, nil
	}
	if !r.fast {
		s.Terrain[0], s.Terrain[1] = r.transform(v, s.Terrain[0]), r.transform(v, s.Terrain[1])
	}
	r.show(&s, v)
	return s, v.relabel
}

// allViews returns the set of all views.
func (r *Rules) allViews() uint8 { return uint8(1<<len(r.views) - 1) }

// lowestView returns the first of the views among left in which the sets of robots are
// the smallest.
func (r *Rules) lowestView(s *State, left uint8) *view {
	// The order is that of play from the starter, so that the view does not depend on the
	// starter's seat.
	for n, p := 0, s.Start; n < r.cfg.Players && several(left); n++ {
		left = r.lowest(s.Robots[p], left)
		p = game.NextSeat(p, r.cfg.Players)
	}
	if several(left) {
		left = r.lowest(s.Standing, left)
	}
	if s.attackOnMap() && several(left) {
		left = r.lowest(1<<s.Place, left)
	}
	return &r.views[bits.TrailingZeros8(left)]
}

// show changes all places of s but the terrain to those of a view.
func (r *Rules) show(s *State, v *view) {
	for p := range r.cfg.Players {
		s.Robots[p] = r.transform(v, s.Robots[p])
	}
	if !r.fast {
		s.Standing = r.transform(v, s.Standing)
	}
	if s.attackOnMap() {
		s.Place = uint8(bits.TrailingZeros64(r.transform(v, 1<<s.Place)))
	}
}

func several(set uint8) bool { return set&(set-1) != 0 }

func (s *State) attackOnMap() bool { return s.Attackers > 0 && s.Place < firstLab }

// transform returns the image of a set of places.
func (r *Rules) transform(v *view, set uint64) uint64 {
	return set&allLabs | r.board.image(&v.cells, set)
}

// lowest returns the views among left in which a set of places is the smallest
// number.
func (r *Rules) lowest(set uint64, left uint8) (kept uint8) {
	if set&^allLabs == 0 {
		return left
	}
	if r.lowestOfAll != nil && left == r.allViews() {
		return r.lowestOfAll[uint16(set)]
	}
	least := ^uint64(0)
	for ; left != 0; left &= left - 1 {
		image := r.transform(&r.views[bits.TrailingZeros8(left)], set)
		if image < least {
			least, kept = image, 0
		}
		if image == least {
			kept |= left & -left
		}
	}
	return kept
}

// smallBoard is the number of cells up to which the smallest views of each set are listed.
const smallBoard = 16

// listLowest lists what lowest returns for each set of cells that robots can stand on, and
// all views.
func (r *Rules) listLowest() []uint8 {
	list := make([]uint8, 1<<r.board.cells)
	for set := r.board.standable; set != 0; set = (set - 1) & r.board.standable {
		list[set] = r.lowest(set, r.allViews())
	}
	return list
}

// lowestGround returns the views among left in which the terrain, cell by cell, is
// the smallest.
func (r *Rules) lowestGround(s *State, left uint8) uint8 {
	lo, hi := s.Terrain[0], s.Terrain[1]
	for i := 0; i < len(r.sources) && several(left); i++ {
		from := &r.sources[i]
		least, kept := uint64(products), uint8(0)
		for ; left != 0; left &= left - 1 {
			c := from[bits.TrailingZeros8(left)]
			t := lo>>c&1 | hi>>c&1<<1
			if t < least {
				least, kept = t, 0
			}
			if t == least {
				kept |= left & -left
			}
		}
		left = kept
	}
	return left
}
