package martianrisk

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"marsgym/env/game"
)

// Scales, chosen so that most of an observation is between 0 and 1.
const (
	manyArmies = 5 // in a region
	manyPoints = 5
)

// Numbers above these are one value of a one-hot field. Chosen: more rounds differ
// little, and larger supplies and points are rare or differ little.
const (
	mostRoundsLeft = 20
	mostCounted    = 7 // armies in supply, and points
)

// fieldsAt holds the first element of the fields of an observation; those after the seats
// count from there. Numbers that are no counts take width elements.
type fieldsAt struct {
	width                                int
	stride                               int // of a region
	borders, seats, mover, start, shares int
	phase, odds, rest                    int // rest are the three numbers after the odds
	regions, supply, points, rounds, end int
}

// listFields returns the layout of an observation, in which numbers that are no counts take
// width elements: with 1, D = R(3P+5) + 2E + 18P + L + 25 with E
// ordered borders and L the limit of rounds, at most 20. Seats come in the order of play from the viewer's, regions in the
// order of the map, borders in that of the attacks. Odds, shares of the win and counts
// follow from the rest, but a network learns them slowly.
func (r *Rules) listFields(width int) (at fieldsAt, fields []game.Field) {
	p, trios, end := r.cfg.Players, max(1, r.cfg.Trios), 0
	add := func(name string, n int, scales ...int) int {
		fields = append(fields, game.Field{Name: name, Len: n, Scales: scales})
		if len(scales) == 1 && scales[0] == 0 {
			n *= width
		}
		end += n
		return end - n - at.seats
	}
	at.width = width
	at.stride = 2*p + 5
	add(fmt.Sprintf("regions: owner %d, armies by owner over %d %d, large, medium, small piece, from, to", p, manyArmies, p), r.n*at.stride,
		slices.Concat(slices.Repeat([]int{1}, p), slices.Repeat([]int{manyArmies}, p), slices.Repeat([]int{1}, 5))...)
	at.borders = add("borders: odds that the viewer conquers across them, that he is conquered", 2*len(r.board.edges), 0)
	at.seats = add("seats: supply over cap, pieces left of three sizes over trios, regions over all, unions held", 6*p,
		r.cfg.ArmyCap, trios, trios, trios, r.n, 1)
	at.mover = add("mover", p)
	at.start = add("seat that began", p)
	at.shares = add("share of the win were it over", p, 0)
	at.phase = add("phase", int(phases))
	at.odds = add("odds of the attack under way", 1, 0)
	at.rest = add("points", 1, manyPoints)
	add("no tower may be begun", 1)
	add("round over limit", 1, max(1, r.cfg.MaxRounds))
	at.regions = add("regions, one-hot, by seat", (r.n+1)*p)
	at.supply = add(fmt.Sprintf("supply, one-hot to %d, by seat", mostCounted), (mostCounted+1)*p)
	at.points = add(fmt.Sprintf("points, one-hot to %d", mostCounted), mostCounted+1)
	at.rounds = add(fmt.Sprintf("rounds left, one-hot to %d", mostRoundsLeft), r.roundsLeft+1)
	at.end = end
	return at, fields
}

// encoder writes observations as numbers or as codes.
type encoder[T game.DType] struct {
	*Rules
	at     fieldsAt
	values []T // of width elements each: of the conquest table, then of the shares of the win
	blank  *seen[T]

	// Counts over their scales.
	armies, supply, trios, regions, points, rounds []T // [256]
}

// values returns the numbers of an observation that are no counts.
func (r *Rules) values() (list []float32) {
	for _, x := range slices.Concat(r.conquests.odds, r.shares[:]) {
		list = append(list, float32(x))
	}
	return list
}

func newEncoder[T game.DType](r *Rules) *encoder[T] {
	e := &encoder[T]{Rules: r}
	var width int
	e.values, width = game.ValueElements[T](r.values())
	e.at, _ = r.listFields(width)
	counts := func(scale int) []T {
		list, _ := game.CountElements[T](256, max(1, scale), false)
		return list
	}
	e.armies, e.supply, e.trios = counts(manyArmies), counts(r.cfg.ArmyCap), counts(r.cfg.Trios)
	e.regions, e.points, e.rounds = counts(r.n), counts(manyPoints), counts(r.cfg.MaxRounds)
	e.blank = e.newSeen()
	return e
}

// Codes implements [game.CompactEncoder]. The odds have codes if no region can have more than 95
// armies.
func (r *Rules) Codes() (*game.Codes, error) { return game.NewCodes(r.spec, nil, r.values()) }

// EncodeCompact implements [game.CompactEncoder].
func (r *Rules) EncodeCompact(dst []uint8, s State, viewer game.Player) {
	r.codes().encode(dst, &s, viewer)
}

// put writes a value that is no count.
func (e *encoder[T]) put(dst []T, at, value int) {
	w := e.at.width
	dst[at] = e.values[w*value]
	if w > 1 {
		dst[at+1] = e.values[w*value+1]
	}
}

// seen is what an observation shows, so that the next one in its place is written by the
// differences. A step changes few elements where the viewer stays the same.
type seen[T game.DType] struct {
	state  State
	viewer uint8 // or maxPlayers, of an observation that is zero
	seats  [maxPlayers]seatSeen[T]
	rank   [maxPlayers]int32
	strong uint64 // the regions with two armies or more, which can attack

	// The elements that are 1.
	mover, start, phase, points, rounds int16
	regions, supply                     [maxPlayers]int16 // by seat from the viewer's
}

// seatSeen is what an observation shows of a seat.
type seatSeen[T game.DType] struct {
	numbers      [6]T   // the field "seats"
	share        uint16 // of the win were it over, an index of shares
	held, supply uint8  // the supply as in its one-hot field
}

// newSeen returns that of an observation that is zero.
func (e *encoder[T]) newSeen() *seen[T] {
	r, at := e.Rules, &e.at
	w := &seen[T]{
		viewer: maxPlayers,
		mover:  int16(at.mover), start: int16(at.start), phase: int16(at.phase), points: int16(at.points), rounds: int16(at.rounds),
	}
	for p := range r.cfg.Players {
		w.regions[p], w.supply[p] = int16(at.regions+(r.n+1)*p), int16(at.supply+(mostCounted+1)*p)
		e.countSeat(w, &w.state, uint8(p))
	}
	e.countShares(w, &w.state)
	return w
}

// Encode implements [game.Rules].
func (r *Rules) Encode(dst []float32, s State, viewer game.Player) {
	r.numbers.encode(dst, &s, viewer)
}

func (e *encoder[T]) encode(dst []T, s *State, viewer game.Player) {
	clear(dst)
	w := *e.blank
	e.show(dst, &w, s, uint8(viewer))
}

// show changes an observation, and what is seen in it, to that of s.
func (e *encoder[T]) show(dst []T, w *seen[T], s *State, viewer uint8) {
	r, at := e.Rules, &e.at
	dst = dst[:at.end:at.end]
	was := &w.state
	var moved uint64 // to other owners
	for seat := range r.cfg.Players {
		moved |= s.Own[seat] ^ was.Own[seat]
	}
	var armies uint64 // of other numbers
	if s.Armies != was.Armies {
		armies, w.strong = r.compareArmies(s, was)
	}
	large, medium, small := s.Large^was.Large, s.Medium^was.Medium, s.Small^was.Small
	changed := armies | large | medium | small | moved

	if moved != 0 {
		e.changeOwners(dst, w, s)
	}
	p, borders := r.cfg.Players, dst[at.borders:at.seats]
	if viewer != w.viewer {
		e.showRegions(dst, w, s, viewer, r.board.all)
		clear(borders)
		e.showBorders(borders, s, viewer, w.strong, w.strong)
	} else if changed != 0 {
		e.showRegions(dst, w, s, viewer, armies|moved)
		near := changed
		for set := changed; set != 0; set &= set - 1 {
			k := bits.TrailingZeros64(set)
			e.clearBorders(borders, k)
			near |= r.board.adj[k]
		}
		e.showBorders(borders, s, viewer, near&w.strong, changed)
	}
	if large|medium|small != 0 {
		e.showSet(dst[2*p:], large, s.Large)
		e.showSet(dst[2*p+1:], medium, s.Medium)
		e.showSet(dst[2*p+2:], small, s.Small)
	}
	e.showAttack(dst, was, 0)
	e.showAttack(dst, s, 1)
	e.showSeats(dst[at.seats:], w, s, viewer, changed)
	w.state, w.viewer = *s, viewer
}

// compareArmies returns the set of regions with other numbers of armies than they had, and
// that of those with two or more, which can attack.
func (r *Rules) compareArmies(s, was *State) (changed, strong uint64) {
	const word, lows, highs = 8, 0x7f7f_7f7f_7f7f_7f7f, 0x8080_8080_8080_8080
	set := func(x uint64) uint64 { return x & highs >> 7 * 0x0102_0408_1020_4080 >> 56 } // of the bytes with the high bit
	for i := 0; i < r.n; i += word {
		k := min(i, maxRegions-word)
		x := binary.LittleEndian.Uint64(s.Armies[k:])
		y := x ^ binary.LittleEndian.Uint64(was.Armies[k:])
		changed |= set(y&lows+lows|y) << k
		strong |= set(x&lows+(lows-lows/0x7f)|x) << k
	}
	return changed, strong
}

// strong returns the set of regions with two armies or more.
func (r *Rules) strong(s *State) uint64 {
	_, strong := r.compareArmies(s, s)
	return strong
}

// changeOwners clears the elements of regions that are no longer of their owners.
func (e *encoder[T]) changeOwners(dst []T, w *seen[T], s *State) {
	p := e.cfg.Players
	for seat := range p {
		for lost := w.state.Own[seat] &^ s.Own[seat]; lost != 0; lost &= lost - 1 {
			at := bits.TrailingZeros64(lost)*e.at.stride + int(e.turns[w.viewer][0].owner[seat])
			dst[at], dst[at+p] = 0, 0
		}
	}
}

// showRegions shows the owners and armies of some occupied regions.
func (e *encoder[T]) showRegions(dst []T, w *seen[T], s *State, viewer uint8, regions uint64) {
	turn, n, counts := &e.turns[w.viewer][viewer], e.at.borders, (*[256]T)(e.armies)
	for seat := range e.cfg.Players {
		// One length is one check of bounds.
		owner, armies := dst[turn.owner[seat]:][:n], dst[turn.armies[seat]:][:n]
		newOwner, newArmies := dst[turn.newOwner[seat]:][:n], dst[turn.newArmies[seat]:][:n]
		for set := s.Own[seat] & regions; set != 0; set &= set - 1 {
			k := bits.TrailingZeros64(set)
			at := k * e.at.stride
			owner[at], armies[at], newOwner[at], newArmies[at] = 0, 0, 1, counts[s.Armies[k]]
		}
	}
}

// turn is where the elements of each owner are within a region, for a viewer and the next.
type turn struct{ owner, armies, newOwner, newArmies [8]uint8 }

// newTurns returns the turns of each viewer, or none, and each next one.
func newTurns(players int) (list [maxPlayers + 1][maxPlayers]turn) {
	relative := func(seat, viewer int) uint8 { return uint8((seat + players - viewer) % players) }
	for viewer := range list {
		for next := range players {
			t := &list[viewer][next]
			for seat := range players {
				if viewer < players {
					t.owner[seat] = relative(seat, viewer)
				}
				t.newOwner[seat] = relative(seat, next)
				t.armies[seat], t.newArmies[seat] = t.owner[seat]+uint8(players), t.newOwner[seat]+uint8(players)
			}
		}
	}
	return list
}

// showSet shows which of some regions are in a set, by an element of each.
func (e *encoder[T]) showSet(dst []T, changed, set uint64) {
	for ; changed != 0; changed &= changed - 1 {
		k := bits.TrailingZeros64(changed)
		dst[k*e.at.stride] = T(set >> k & 1)
	}
}

// showAttack writes x for the regions of an attack, or of the move after it.
func (e *encoder[T]) showAttack(dst []T, s *State, x T) {
	if s.From != s.To || s.Phase == Small {
		dst[int(s.To)*e.at.stride+2*e.cfg.Players+4] = x
		if s.Phase != Small {
			dst[int(s.From)*e.at.stride+2*e.cfg.Players+3] = x
		}
	}
}

// showBorders shows the odds between the viewer and other seats of attacks from some
// regions, where an end of the border is in changed. Before, these are zero.
func (e *encoder[T]) showBorders(dst []T, s *State, viewer uint8, from, changed uint64) {
	r, w, own, c := e.Rules, e.at.width, s.Own[viewer], e.conquests
	for ; from != 0; from &= from - 1 {
		k := bits.TrailingZeros64(from) & 63
		opposed, at := own, 1
		if own>>k&1 == 1 {
			opposed, at = ^own, 0 // which have owners: until all have, none has two armies
		}
		if changed>>k&1 == 0 {
			opposed &= changed
		}
		attacker := c.attacker(int(s.Armies[k]), s.height(uint8(k)))
		for to := r.board.adj[k] & opposed; to != 0; to &= to - 1 {
			v := bits.TrailingZeros64(to)
			e.put(dst, w*(2*r.board.edge(k, v)+at), attacker+c.defender(int(s.Armies[v]), s.height(uint8(v))))
		}
	}
}

// clearBorders clears the odds across the borders of a region.
func (e *encoder[T]) clearBorders(dst []T, k int) {
	b, each := e.board, 2*e.at.width
	for i := b.first[k]; i < b.first[k+1]; i++ {
		out, back := dst[each*i:][:each], dst[each*int(b.back[i]):][:each]
		for j := range out {
			out[j], back[j] = 0, 0
		}
	}
}

// showSeats shows what follows the regions and borders. changed are the regions that have
// changed.
func (e *encoder[T]) showSeats(dst []T, w *seen[T], s *State, viewer uint8, changed uint64) {
	r, odds := e.Rules, len(e.conquests.odds)
	at, was, from := &e.at, &w.state, &r.turns[viewer][0].owner // seats from the viewer's
	if changed != 0 {
		for seat := range uint8(r.cfg.Players) {
			if (s.Own[seat]|was.Own[seat])&changed != 0 || s.Lost[seat] != was.Lost[seat] {
				e.countSeat(w, s, seat)
			}
		}
		e.countShares(w, s)
	}
	if changed != 0 || viewer != w.viewer {
		for seat := range r.cfg.Players {
			f, i := &w.seats[seat], int(from[seat])
			*(*[6]T)(dst[6*i:]) = f.numbers // faster than copy
			e.put(dst, at.shares+at.width*i, odds+int(f.share))
			move(dst, &w.regions[i], at.regions+(r.n+1)*i+int(f.held))
			move(dst, &w.supply[i], at.supply+(mostCounted+1)*i+int(f.supply))
		}
	}
	move(dst, &w.mover, at.mover+int(from[s.Mover]))
	move(dst, &w.start, at.start+int(from[s.Start]))
	move(dst, &w.phase, at.phase+int(s.Phase))
	value := 0
	if s.From != s.To && s.Phase != Small {
		value = r.conquestIndex(s, int(s.From), int(s.To), 0)
	}
	e.put(dst, at.odds, value)
	rest := (*[3]T)(dst[at.rest:])
	rest[0], rest[1] = e.points[s.Points], T(s.Low)
	if r.cfg.MaxRounds > 0 {
		rest[2] = e.rounds[s.Round]
	}
	move(dst, &w.points, at.points+min(int(s.Points), mostCounted))
	move(dst, &w.rounds, at.rounds+min(r.cfg.MaxRounds-int(s.Round), r.roundsLeft))
}

// move changes the element of a one-hot field that is 1.
func move[T game.DType](dst []T, at *int16, to int) {
	dst[*at] = 0
	dst[to] = 1
	*at = int16(to)
}

// countSeat counts what an observation shows of a seat.
func (e *encoder[T]) countSeat(w *seen[T], s *State, seat uint8) {
	r, f := e.Rules, &w.seats[seat]
	large, medium, small := r.pieces(s, seat)
	armies, held := s.onMap(seat), bits.OnesCount64(s.Own[seat])
	supply := r.cfg.ArmyCap - armies - int(s.Lost[seat])
	f.numbers[0] = e.supply[supply]
	f.numbers[1], f.numbers[2], f.numbers[3] = e.trios[large], e.trios[medium], e.trios[small]
	f.numbers[4], f.numbers[5] = e.regions[held], T(r.bonus(s, seat))
	f.held, f.supply, w.rank[seat] = uint8(held), uint8(min(supply, mostCounted)), int32(s.rank(seat, armies))
}

// countShares notes the shares of the win.
func (e *encoder[T]) countShares(w *seen[T], s *State) {
	for i, share := range e.winShares(s, &w.rank) {
		w.seats[i].share = share
	}
}
