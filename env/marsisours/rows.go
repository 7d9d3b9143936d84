package marsisours

import (
	"math/bits"
	"math/rand/v2"

	"marsgym/env/game"
)

// rows plays all rows of a batch. It changes states in place, and keeps what does not
// change within a game: the terrain of the representative and its elements of the
// observation. Of the others it changes those that differ.
type rows[T game.DType] struct {
	r       *Rules
	e       *encoder[T]
	grounds []ground // [N]
	seen    []seen   // [N] by the last Show
	legal   []game.Action
}

// ground is the terrain of a row in the last Show.
type ground struct {
	terrain [2]uint64 // of the state
	views   uint8     // those in which the terrain is the smallest
	image   [2]uint64 // the terrain in these views
	view    *view     // that of the representative
}

// NewRows implements [game.Sampler].
func (r *Rules) NewRows(n int) game.Rows[State, float32] { return newRows(r.numbers, n) }

// NewCompactRows implements [game.CompactEncoder].
func (r *Rules) NewCompactRows(n int) game.Rows[State, uint8] { return newRows(r.codes, n) }

func newRows[T game.DType](e *encoder[T], n int) *rows[T] {
	r := e.Rules
	return &rows[T]{r: r, e: e, grounds: make([]ground, n), seen: make([]seen, n), legal: make([]game.Action, 0, r.act.n)}
}

// Step implements [game.Rows].
func (w *rows[T]) Step(states []State, actions []game.Action, dice []rand.PCG, players []game.Player) int {
	r := w.r
	for i, a := range actions {
		if r.illegalReason(&states[i], w.played(i, a)) != "" {
			return i
		}
	}
	limit := r.spec.ChanceLimit()
	for i, a := range actions {
		s := &states[i]
		r.apply(s, w.played(i, a))
		who := s.player()
		for k := 0; k < limit && who == game.Chance; k++ {
			r.sample(s, &dice[i])
			who = s.player()
		}
		players[i] = who
	}
	return -1
}

// played returns the action of the state of row i for that of its representative, or
// an illegal one.
func (w *rows[T]) played(i int, a game.Action) int {
	if list := w.grounds[i].view.relabel; uint(a) < uint(len(list)) {
		return int(list[a])
	}
	return -1
}

// Show implements [game.Rows].
func (w *rows[T]) Show(states []State, players []game.Player, shown []State, relabel [][]game.Action, obs []T, mask []bool) {
	r, e, d, n := w.r, w.e, len(obs)/len(states), w.r.act.n
	// The viewer is the mover, so that its element is zero only before the first Show.
	fresh := obs[e.lay.mover] == 0
	clear(mask)
	for i := range states {
		s, g, c, row := &states[i], &w.grounds[i], &shown[i], obs[i*d:][:d]
		known := !fresh && g.terrain == s.Terrain
		if !known {
			r.lookAt(g, s)
		}
		*c, relabel[i] = *s, nil
		c.Terrain = g.image
		g.view = r.lowestView(c, g.views)
		if g.view != &r.views[0] {
			r.show(c, g.view)
			relabel[i] = g.view.relabel
		}
		if r.fast { // so short that nothing is gained by the differences
			clear(row)
			e.encodeSeats(row, c, int(players[i]))
		} else {
			if !known {
				clear(row)
				e.encodeGround(row, c)
				w.seen[i] = seen{viewer: maxSeats}
			}
			e.observe(row, &w.seen[i], c, uint8(players[i]))
		}
		legal := mask[i*n:][:n]
		for set := r.open(c); set != 0; set &= set - 1 {
			legal[r.slot[bits.TrailingZeros64(set)]] = true
		}
		w.legal = r.appendOthers(w.legal[:0], c)
		for _, a := range w.legal {
			legal[a] = true
		}
	}
}

// lookAt sets g to the terrain of s.
func (r *Rules) lookAt(g *ground, s *State) {
	g.terrain, g.views = s.Terrain, r.lowestGround(s, r.allViews())
	v := &r.views[bits.TrailingZeros8(g.views)]
	for k := range g.image {
		g.image[k] = r.transform(v, g.terrain[k])
	}
}
