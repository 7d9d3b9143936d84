package tablegame

import (
	"math"
	"math/rand/v2"

	"marsgym/env/game"
)

// maxWide is the largest number of states times actions of a table that batches play by a successor
// and a mask for each, which take 5 bytes. Chosen: they stay in the caches of a core, and a lookup is
// twice as fast as a search in the list of actions.
const maxWide = 1 << 20

// wide holds a number for each state and action.
type wide struct {
	next []uint32  // [states, A]; illegal where the action is
	mask []bool    // [states, A]
	obs  []float32 // [states, Seats, Len] of observations in bytes
}

// illegal is the successor by an action that is not legal.
const illegal = math.MaxUint32

// widen returns the wide form of a table, or nil if it is too large.
func (t *Table) widen() *wide {
	n := len(t.Mover) * t.Actions
	if n > maxWide {
		return nil
	}
	w := &wide{next: make([]uint32, n), mask: make([]bool, n)}
	for i := range w.next {
		w.next[i] = illegal
	}
	for i, mover := range t.Mover {
		if mover < 0 {
			continue
		}
		first := int(t.First[i])
		for k, a := range t.actions(uint32(i)) {
			w.next[i*t.Actions+int(a)], w.mask[i*t.Actions+int(a)] = t.Next[first+k], true
		}
	}
	return w
}

// NewRows implements [game.Sampler]. All rows of a table share 5 bytes for each state and action, if
// they are a million or fewer.
func (r *Rules) NewRows(n int) game.Rows[State] {
	return &rows{r: r, t: r.t, wide: r.wide(), next: make([]uint32, n), shown: make([]uint32, n)}
}

// rows plays the rows of a batch.
type rows struct {
	r     *Rules
	t     *Table
	wide  *wide    // or nil
	next  []uint32 // [N] scratch of Step
	shown []uint32 // [N] 1 + the states of the last Show; 0 before the first
}

// Step implements [game.Rows].
func (w *rows) Step(states []State, actions []game.Action, dice []rand.PCG, players []game.Player) int {
	next := w.next[:len(states)]
	actions, players = actions[:len(states)], players[:len(states)]
	if bad := w.play(next, states, actions); bad >= 0 {
		return bad
	}
	mover := w.t.Mover
	limit := 0
	for i, to := range next {
		who := mover[to]
		if who == game.Chance {
			if limit == 0 {
				limit = w.r.spec.ChanceLimit()
			}
			for k := 0; k < limit && who == game.Chance; k++ {
				to = w.t.sample(to, &dice[i])
				who = mover[to]
			}
		}
		states[i].At, players[i] = to, who
	}
	return -1
}

// play sets next [N] to the successors by actions, and returns the first row whose action is illegal,
// or -1.
func (w *rows) play(next []uint32, states []State, actions []game.Action) int {
	if w.wide == nil {
		for i, s := range states {
			to, ok := uint32(0), w.t.Mover[s.At] >= 0 && actions[i] >= 0
			if ok {
				to, ok = w.t.play(s.At, actions[i])
			}
			if !ok {
				return i
			}
			next[i] = to
		}
		return -1
	}
	wide, n := w.wide.next, uint(w.t.Actions)
	for i, s := range states {
		a := uint(actions[i])
		if a >= n {
			return i
		}
		to := wide[uint(s.At)*n+a]
		if to == illegal {
			return i
		}
		next[i] = to
	}
	return -1
}

// Show implements [game.Rows].
func (w *rows) Show(states []State, players []game.Player, _ []State, _ [][]game.Action, obs []float32, mask []bool) {
	w.showMasks(states, mask)
	d := w.r.d
	o := &w.t.Observation
	switch {
	case o.Floats != nil:
		floats, size, seats := o.Floats, o.Len, o.Seats
		for i, s := range states {
			from := int(s.At)
			if seats > 1 {
				from = from*seats + int(players[i])
			}
			copy(obs[i*d:(i+1)*d], floats[from*size:(from+1)*size])
		}
	case o.Bytes == nil && len(w.t.Mover) <= maxOneHot:
		// Only what was shown is 1, and only it is cleared: an observation has thousands of numbers.
		n := len(w.t.Mover)
		for i, s := range states {
			row := obs[i*d : (i+1)*d]
			if w.shown[i] > 0 {
				row[w.shown[i]-1] = 0
			}
			w.shown[i] = s.At + 1
			row[s.At] = 1
			if seats := row[n:]; len(seats) > 0 {
				clear(seats)
				seats[players[i]] = 1
			}
		}
	default:
		for i, s := range states {
			w.r.Encode(obs[i*d:(i+1)*d], s, players[i])
		}
	}
}

// showMasks writes the masks.
func (w *rows) showMasks(states []State, mask []bool) {
	n := w.t.Actions
	if w.wide == nil {
		for i, s := range states {
			row := mask[i*n : (i+1)*n]
			clear(row)
			if w.t.Mover[s.At] < 0 {
				continue
			}
			for _, a := range w.t.actions(s.At) {
				row[a] = true
			}
		}
		return
	}
	for i, s := range states {
		copy(mask[i*n:(i+1)*n], w.wide.mask[int(s.At)*n:(int(s.At)+1)*n])
	}
}
