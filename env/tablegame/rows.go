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
func (r *Rules) NewRows(n int) game.Rows[State, float32] {
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
	if o.Floats == nil && o.Bytes == nil && len(w.t.Mover) <= maxOneHot {
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
		return
	}
	done := 0
	if w.r.bits != nil {
		done = showBits(obs, d, &floatsOf, w.r.bits, states, o.Seats, players)
	}
	for i := done; i < len(states); i++ {
		w.r.Encode(obs[i*d:(i+1)*d], states[i], players[i])
	}
}

// showMasks writes the masks.
func (w *rows) showMasks(states []State, mask []bool) {
	n, done := w.t.Actions, 0
	if w.r.legal != nil {
		done = showBits(mask, n, &boolsOf, w.r.legal, states, 1, nil)
	}
	for i := done; i < len(states); i++ {
		row, at := mask[i*n:(i+1)*n], states[i].At
		clear(row)
		if w.t.Mover[at] >= 0 {
			for _, a := range w.t.actions(at) {
				row[a] = true
			}
		}
	}
}

// showBits writes rows [N, d] from bits [states, seats, (d+63)/64], and returns how many: the last ones
// have no room for whole blocks of 32 numbers. What a block writes beyond the end of a row is overwritten
// by the next row. Where each seat sees something else, players [N] are those who look.
func showBits[T float32 | bool](dst []T, d int, of *[256][8]T, bits []uint64, states []State, seats int, players []game.Player) (n int) {
	words, blocks := (d+63)/64, (d+31)/32
	n = max(0, (len(dst)-32*blocks+d)/d)
	for i, s := range states[:n] {
		from := int(s.At)
		if seats > 1 {
			from = from*seats + int(players[i])
		}
		for k := range blocks {
			to, x := (*[32]T)(dst[i*d+32*k:]), bits[from*words+k/2]>>(k%2*32)
			*(*[8]T)(to[:]) = of[byte(x)]
			*(*[8]T)(to[8:]) = of[byte(x>>8)]
			*(*[8]T)(to[16:]) = of[byte(x>>16)]
			*(*[8]T)(to[24:]) = of[byte(x>>24)]
		}
	}
	return n
}
