package marsisours

import (
	"math/bits"

	"marsgym/env/game"
)

// view is the board seen from another side: turned, or in a mirror.
type view struct {
	from    [maxCells]uint8                 // the cell that comes to a cell
	image   [(maxCells + 7) / 8][256]uint64 // of each byte of a set of cells
	relabel []game.Action                   // of the actions of what is seen
}

// newViews lists the views that look like the board itself, the plain one first.
func newViews(r *Rules) []view {
	b := r.board
	last := 0
	for c := range b.cells {
		last = max(last, b.row[c], b.col[c])
	}
	index := map[[2]int]uint8{}
	for c := range b.cells {
		index[[2]int{b.row[c], b.col[c]}] = uint8(c)
	}
	var views []view
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
			alike = alike && ok && (b.stations>>c^b.stations>>d|b.stone>>c^b.stone>>d)&1 == 0
			to[c] = d
		}
		if alike {
			views = append(views, newView(r, &to))
		}
	}
	return views
}

func newView(r *Rules, to *[maxCells]uint8) view {
	var v view
	for c := range r.board.cells {
		v.from[to[c]] = uint8(c)
		for set := range 256 {
			v.image[c/8][set] |= uint64(set>>(c%8)&1) << to[c]
		}
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

// see is the image of a set of places.
func (v *view) see(set uint64, bytes int) uint64 {
	out := set & allLabs
	for i := range bytes {
		out |= v.image[i][uint8(set>>(8*i))]
	}
	return out
}

// Canonical keeps [game.Symmetry]: once the map lies, it is seen from the side
// where its ground, and among equals its robots, make the smallest number.
func (r *Rules) Canonical(s State) (State, []game.Action) {
	if s.Phase == Laying || len(r.views) == 1 {
		return s, nil
	}
	candidates := uint8(1<<len(r.views) - 1)
	if !r.fast {
		candidates = r.lowest(&s, candidates)
	}
	if candidates == 1 {
		return s, nil
	}
	v := bits.TrailingZeros8(candidates)
	best := r.seen(&s, v)
	for candidates &= candidates - 1; candidates != 0; candidates &= candidates - 1 {
		w := bits.TrailingZeros8(candidates)
		if other := r.seen(&s, w); less(&other, &best) {
			v, best = w, other
		}
	}
	if v == 0 {
		return s, nil
	}
	return best, r.views[v].relabel
}

// lowest are the views of the candidates in which the ground reads lowest.
func (r *Rules) lowest(s *State, candidates uint8) uint8 {
	lo, hi := s.Terrain[0], s.Terrain[1]
	for set := r.board.land &^ r.board.stone; set != 0 && candidates&(candidates-1) != 0; set &= set - 1 {
		c := bits.TrailingZeros64(set)
		least, kept := uint64(products), uint8(0)
		for left := candidates; left != 0; left &= left - 1 {
			from := r.views[bits.TrailingZeros8(left)].from[c]
			t := lo>>from&1 | hi>>from&1<<1
			if t < least {
				least, kept = t, 0
			}
			if t == least {
				kept |= left & -left
			}
		}
		candidates = kept
	}
	return candidates
}

// seen is the position as it looks in a view.
func (r *Rules) seen(s *State, i int) State {
	v, bytes := &r.views[i], (r.board.cells+7)/8
	next := *s
	for p := range r.cfg.Players {
		next.Robots[p] = v.see(s.Robots[p], bytes)
	}
	if !r.fast {
		next.Standing = v.see(s.Standing, bytes)
		next.Terrain[0] = v.see(s.Terrain[0], bytes)
		next.Terrain[1] = v.see(s.Terrain[1], bytes)
	}
	if s.Attackers > 0 && s.Place < firstLab {
		next.Place = uint8(bits.TrailingZeros64(v.see(1<<s.Place, bytes)))
	}
	return next
}

// less orders positions with the same ground.
func less(a, b *State) bool {
	for p := range a.Robots {
		if a.Robots[p] != b.Robots[p] {
			return a.Robots[p] < b.Robots[p]
		}
	}
	if a.Standing != b.Standing {
		return a.Standing < b.Standing
	}
	return a.Place < b.Place
}
