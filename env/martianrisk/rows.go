package martianrisk

import (
	"math/rand/v2"

	"marsgym/env/game"
)

// rows plays all rows of a batch, and changes states in place. To change only those
// elements of an observation that differ from the last one, where the mover is the same,
// gains little: most of the time goes to the others.
type rows struct {
	r     *Rules
	next  []State // [N] scratch of Step
	legal []game.Action
}

// NewRows implements [game.Sampler].
func (r *Rules) NewRows(n int) game.Rows[State] {
	return &rows{r: r, next: make([]State, n), legal: make([]game.Action, 0, r.spec.Actions)}
}

// Step implements [game.Rows].
func (w *rows) Step(states []State, actions []game.Action, dice []rand.PCG, players []game.Player) int {
	r := w.r
	for i, a := range actions {
		w.next[i] = states[i]
		if r.apply(&w.next[i], a) != nil {
			return i
		}
	}
	limit := r.spec.ChanceLimit()
	for i := range states {
		s := &states[i]
		*s = w.next[i]
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
func (w *rows) Show(states []State, players []game.Player, _ []State, _ [][]game.Action, obs []float32, mask []bool) {
	r, d, n := w.r, len(obs)/len(states), w.r.spec.Actions
	clear(mask)
	for i := range states {
		s := &states[i]
		r.encode(obs[i*d:], s, players[i])
		w.legal = r.appendLegal(w.legal[:0], s)
		legal := mask[i*n:][:n]
		for _, a := range w.legal {
			legal[a] = true
		}
	}
}
