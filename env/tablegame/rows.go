package tablegame

import (
	"math/bits"
	"math/rand/v2"

	"marsgym/env/game"
)

// maxBits is the largest number of actions of a table with the legal ones as bits.
const maxBits = 64

// The eight bits of a byte, the lowest first, as numbers of an observation and as a mask.
var (
	floatsOf [256][8]float32
	boolsOf  [256][8]bool
)

func init() {
	for b := range floatsOf {
		for k := range 8 {
			floatsOf[b][k], boolsOf[b][k] = float32(b>>k&1), b>>k&1 == 1
		}
	}
}

// spread writes bits, the lowest first, as numbers.
func spread(dst []float32, x uint64) {
	for ; len(dst) >= 8; x >>= 8 {
		*(*[8]float32)(dst) = floatsOf[byte(x)]
		dst = dst[8:]
	}
	copy(dst, floatsOf[byte(x)][:])
}

// legalBits returns the legal actions of each state as bits, or nil if there are too many actions.
func (t *Table) legalBits() []uint64 {
	if t.Actions > maxBits {
		return nil
	}
	list := make([]uint64, len(t.Mover))
	for i, mover := range t.Mover {
		if mover < 0 {
			continue
		}
		for _, a := range t.actions(uint32(i)) {
			list[i] |= 1 << a
		}
	}
	return list
}

// words returns the observations as bits [states, Seats, (Len+63)/64], or nil if some number is neither
// 0 nor 1.
func (o *Observation) words() []uint64 {
	for _, x := range o.Floats {
		if x != 0 && x != 1 {
			return nil
		}
	}
	for _, x := range o.Bytes {
		if x > 1 {
			return nil
		}
	}
	n := len(o.Floats) + len(o.Bytes)
	if n == 0 {
		return nil
	}
	size := (o.Len + 63) / 64
	list := make([]uint64, n/o.Len*size)
	for k := range n {
		if o.Floats != nil && o.Floats[k] == 1 || o.Bytes != nil && o.Bytes[k] == 1 {
			list[k/o.Len*size+k%o.Len/64] |= 1 << (k % o.Len % 64)
		}
	}
	return list
}

// NewRows implements [game.Sampler].
func (r *Rules) NewRows(n int) game.Rows[State] {
	return &rows{r: r, t: r.t, next: make([]uint32, n), shown: make([]uint32, n)}
}

// rows plays the rows of a batch.
type rows struct {
	r     *Rules
	t     *Table
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
	for i, to := range next {
		who := mover[to]
		if who == game.Chance {
			to, who = w.settle(to, &dice[i])
		}
		states[i].At, players[i] = to, who
	}
	return -1
}

// settle samples chance from a chance state, at most as often as ChanceLimit says.
func (w *rows) settle(at uint32, dice *rand.PCG) (to uint32, who game.Player) {
	who = game.Chance
	for limit := w.r.chance; limit > 0 && who == game.Chance; limit-- {
		at = w.t.sample(at, dice)
		who = w.t.Mover[at]
	}
	return at, who
}

// play sets next [N] to the successors by actions, and returns the first row whose action is illegal,
// or -1.
func (w *rows) play(next []uint32, states []State, actions []game.Action) int {
	if w.r.legal == nil {
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
	first, list := w.t.First, w.t.Next
	for i, s := range states {
		legal, a := w.r.legal[s.At], uint(actions[i])
		if a >= maxBits || legal>>a&1 == 0 {
			return i
		}
		before := legal & (1<<a - 1)
		next[i] = list[uint(first[s.At])+uint(bits.OnesCount64(before))]
	}
	return -1
}

// Show implements [game.Rows].
func (w *rows) Show(states []State, players []game.Player, _ []State, _ [][]game.Action, obs []float32, mask []bool) {
	w.showMasks(states, mask)
	d, o := w.r.d, &w.t.Observation
	switch {
	case w.r.bits != nil:
		w.showBits(states, players, obs)
	case o.Floats == nil && o.Bytes == nil && len(w.t.Mover) <= maxOneHot:
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

// showBits writes observations from their bits, eight numbers at once. What it writes beyond the end of
// a row is overwritten by the next one; the last rows are written one by one.
func (w *rows) showBits(states []State, players []game.Player, obs []float32) {
	d, seats, bits := w.r.d, w.t.Observation.Seats, w.r.bits
	words, room := (d+63)/64, (d+7)/8*8
	for i, s := range states {
		if len(obs) < room {
			w.r.Encode(obs[:d], s, players[i])
			obs = obs[d:]
			continue
		}
		from := int(s.At)
		if seats > 1 {
			from = from*seats + int(players[i])
		}
		row := obs[:room]
		for _, x := range bits[from*words : (from+1)*words] {
			n := min(64, len(row))
			spread(row[:n], x)
			row = row[n:]
		}
		obs = obs[d:]
	}
}

// showMasks writes the masks, of up to 64 actions as showBits writes observations.
func (w *rows) showMasks(states []State, mask []bool) {
	n, legal := w.t.Actions, w.r.legal
	room := (n + 7) / 8 * 8
	for _, s := range states {
		if legal != nil && len(mask) >= room {
			row, x := mask[:room], legal[s.At]
			for len(row) >= 8 {
				*(*[8]bool)(row) = boolsOf[byte(x)]
				row, x = row[8:], x>>8
			}
			mask = mask[n:]
			continue
		}
		clear(mask[:n])
		if w.t.Mover[s.At] >= 0 {
			for _, a := range w.t.actions(s.At) {
				mask[a] = true
			}
		}
		mask = mask[n:]
	}
}
