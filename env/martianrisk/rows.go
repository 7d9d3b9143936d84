package martianrisk

import (
	"math/rand/v2"

	"marsgym/env/game"
)

// rows plays all rows of a batch, and changes states and observations in place.
type rows[T game.DType] struct {
	r     *Rules
	e     *encoder[T]
	seen  []seen[T] // [N] by the last Show
	legal []game.Action
}

// NewRows implements [game.Sampler].
func (r *Rules) NewRows(n int) game.Rows[State, float32] { return newRows(r.numbers, n) }

// NewCompactRows implements [game.CompactEncoder].
func (r *Rules) NewCompactRows(n int) game.Rows[State, uint8] { return newRows(r.codes(), n) }

func newRows[T game.DType](e *encoder[T], n int) *rows[T] {
	return &rows[T]{r: e.Rules, e: e, seen: make([]seen[T], n), legal: make([]game.Action, 0, e.spec.Actions)}
}

// Step implements [game.Rows].
func (w *rows[T]) Step(states []State, actions []game.Action, dice []rand.PCG, players []game.Player) int {
	r := w.r
	for i, a := range actions {
		if r.apply(&states[i], a) != nil {
			for k := range i + 1 {
				states[k] = w.seen[k].state
			}
			return i
		}
	}
	limit := r.spec.ChanceLimit()
	for i := range states {
		s := &states[i]
		who := s.player()
		for k := 0; k < limit && who == game.Chance; k++ {
			r.sample(s, &dice[i])
			who = s.player()
		}
		players[i] = who
	}
	return -1
}

// Show implements [game.Rows].
func (w *rows[T]) Show(states []State, players []game.Player, _ []State, _ [][]game.Action, obs []T, mask []bool) {
	r, e, d, n := w.r, w.e, w.e.at.end, w.r.spec.Actions
	// The viewer is the mover, so that this element is zero only before the first Show.
	if obs[e.at.seats+e.at.mover] == 0 {
		for i := range w.seen {
			w.seen[i] = *e.blank
		}
	}
	clear(mask)
	for i := range states {
		s := &states[i]
		e.show(obs[i*d:], &w.seen[i], s, uint8(players[i]))
		legal, supply := mask[i*n:][:n], int(w.seen[i].seats[s.Mover].supply)
		if s.Phase == Reinforce { // most decisions: faster without a list
			r.showReinforce(legal, s, supply)
			continue
		}
		w.legal = r.appendLegal(w.legal[:0], s, supply)
		for _, a := range w.legal {
			legal[a] = true
		}
	}
}

// showReinforce completes a mask of zeros to what Legal gives when the mover reinforces,
// given his supply.
func (r *Rules) showReinforce(mask []bool, s *State, supply int) {
	if supply > 0 {
		r.setRegions(mask, s.Own[s.Mover])
	}
	r.setRegions(mask[r.piece:], r.buildable(s))
	mask[r.end] = true
}

// setRegions writes the mask of a set of regions eight elements at a time. It clears up to
// seven after those of the regions.
func (r *Rules) setRegions(mask []bool, set uint64) {
	for i := 0; i < r.n; i += 8 {
		*(*[8]bool)(mask[i:]) = bools[set>>(i&63)&0xff]
	}
}

// bools holds the bits of each byte.
var bools = func() (list [256][8]bool) {
	for b := range list {
		for i := range list[b] {
			list[b][i] = b>>i&1 != 0
		}
	}
	return list
}()
