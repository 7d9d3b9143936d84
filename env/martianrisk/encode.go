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

// fieldsAt holds the first index of the fields of an observation; those after the seats
// count from there.
type fieldsAt struct {
	stride                               int // of a region
	borders, seats, mover, start, shares int
	phase, odds                          int // odds and the three numbers after them
	regions, supply, points, rounds, end int
}

// listFields sets the layout of an observation, D = R(3P+5) + 2E + 18P + L + 25 with E
// ordered borders and L the limit of rounds, at most 20. Seats come in the order of play from the viewer's, regions in the
// order of the map, borders in that of the attacks. Odds, shares of the win and counts
// follow from the rest, but a network learns them slowly.
func (r *Rules) listFields() {
	p, trios, at, end := r.cfg.Players, max(1, r.cfg.Trios), &r.at, 0
	add := func(name string, n int, scales ...int) int {
		r.spec.Observation = append(r.spec.Observation, game.Field{Name: name, Len: n, Scales: scales})
		end += n
		return end - n - at.seats
	}
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
	add("points", 1, manyPoints)
	add("no tower may be begun", 1)
	add("round over limit", 1, max(1, r.cfg.MaxRounds))
	at.regions = add("regions, one-hot, by seat", (r.n+1)*p)
	at.supply = add(fmt.Sprintf("supply, one-hot to %d, by seat", mostCounted), (mostCounted+1)*p)
	at.points = add(fmt.Sprintf("points, one-hot to %d", mostCounted), mostCounted+1)
	at.rounds = add(fmt.Sprintf("rounds left, one-hot to %d", mostRoundsLeft), r.roundsLeft+1)
	at.end = end
}

// seen is what an observation shows, so that the next one in its place is written by the
// differences. A step changes few elements where the viewer stays the same.
type seen struct {
	state  State
	viewer uint8 // or maxPlayers, of an observation that is zero
	seats  [maxPlayers]seatSeen
	strong uint64 // the regions with two armies or more, which can attack

	// The elements that are 1.
	mover, start, phase, points, rounds int16
	regions, supply                     [maxPlayers]int16 // by seat from the viewer's
}

// seatSeen is what an observation shows of a seat.
type seatSeen struct {
	numbers      [6]float32 // the field "seats"
	rank         int32
	share        float32 // of the win were it over
	held, supply uint8   // the supply as in its one-hot field
}

// newSeen returns that of an observation that is zero.
func (r *Rules) newSeen() *seen {
	at := &r.at
	w := &seen{
		viewer: maxPlayers,
		mover:  int16(at.mover), start: int16(at.start), phase: int16(at.phase), points: int16(at.points), rounds: int16(at.rounds),
	}
	for p := range r.cfg.Players {
		w.regions[p], w.supply[p] = int16(at.regions+(r.n+1)*p), int16(at.supply+(mostCounted+1)*p)
		r.countSeat(&w.seats[p], &w.state, uint8(p))
	}
	r.countShares(w, &w.state)
	return w
}

// Encode implements [game.Rules].
func (r *Rules) Encode(dst []float32, s State, viewer game.Player) {
	clear(dst)
	w := *r.blank
	r.show(dst, &w, &s, uint8(viewer))
}

// show changes an observation, and what is seen in it, to that of s.
func (r *Rules) show(dst []float32, w *seen, s *State, viewer uint8) {
	dst = dst[:r.at.end:r.at.end]
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
		r.changeOwners(dst, w, s)
	}
	p, borders := r.cfg.Players, dst[r.at.borders:r.at.seats]
	if viewer != w.viewer {
		r.showRegions(dst, w, s, viewer, r.board.all)
		clear(borders)
		r.showBorders(borders, s, viewer, w.strong, w.strong)
	} else if changed != 0 {
		r.showRegions(dst, w, s, viewer, armies|moved)
		near := changed
		for set := changed; set != 0; set &= set - 1 {
			k := bits.TrailingZeros64(set)
			r.clearBorders(borders, k)
			near |= r.board.adj[k]
		}
		r.showBorders(borders, s, viewer, near&w.strong, changed)
	}
	if large|medium|small != 0 {
		r.showSet(dst[2*p:], large, s.Large)
		r.showSet(dst[2*p+1:], medium, s.Medium)
		r.showSet(dst[2*p+2:], small, s.Small)
	}
	r.showAttack(dst, was, 0)
	r.showAttack(dst, s, 1)
	r.showSeats(dst[r.at.seats:], w, s, viewer, changed)
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
func (r *Rules) changeOwners(dst []float32, w *seen, s *State) {
	p := r.cfg.Players
	for seat := range p {
		for lost := w.state.Own[seat] &^ s.Own[seat]; lost != 0; lost &= lost - 1 {
			at := bits.TrailingZeros64(lost)*r.at.stride + int(r.turns[w.viewer][0].owner[seat])
			dst[at], dst[at+p] = 0, 0
		}
	}
}

// showRegions shows the owners and armies of some occupied regions.
func (r *Rules) showRegions(dst []float32, w *seen, s *State, viewer uint8, regions uint64) {
	turn, n := &r.turns[w.viewer][viewer], r.at.borders
	for seat := range r.cfg.Players {
		// One length is one check of bounds.
		owner, armies := dst[turn.owner[seat]:][:n], dst[turn.armies[seat]:][:n]
		newOwner, newArmies := dst[turn.newOwner[seat]:][:n], dst[turn.newArmies[seat]:][:n]
		for set := s.Own[seat] & regions; set != 0; set &= set - 1 {
			k := bits.TrailingZeros64(set)
			at := k * r.at.stride
			owner[at], armies[at], newOwner[at], newArmies[at] = 0, 0, 1, armyShare[s.Armies[k]]
		}
	}
}

// armyShare holds armies over manyArmies, since a conversion takes longer.
var armyShare = func() (list [256]float32) {
	game.Quotients(list[:], manyArmies)
	return list
}()

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
func (r *Rules) showSet(dst []float32, changed, set uint64) {
	for ; changed != 0; changed &= changed - 1 {
		k := bits.TrailingZeros64(changed)
		dst[k*r.at.stride] = float32(set >> k & 1)
	}
}

// showAttack writes x for the regions of an attack, or of the move after it.
func (r *Rules) showAttack(dst []float32, s *State, x float32) {
	if s.From != s.To || s.Phase == Small {
		dst[int(s.To)*r.at.stride+2*r.cfg.Players+4] = x
		if s.Phase != Small {
			dst[int(s.From)*r.at.stride+2*r.cfg.Players+3] = x
		}
	}
}

// showBorders shows the odds between the viewer and other seats of attacks from some
// regions, where an end of the border is in changed. Before, these are zero.
func (r *Rules) showBorders(dst []float32, s *State, viewer uint8, from, changed uint64) {
	own, c := s.Own[viewer], r.conquests
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
			dst[2*r.board.edge(k, v)+at] = float32(c.odds[attacker+c.defender(int(s.Armies[v]), s.height(uint8(v)))])
		}
	}
}

// clearBorders clears the odds across the borders of a region.
func (r *Rules) clearBorders(dst []float32, k int) {
	for e := r.board.first[k]; e < r.board.first[k+1]; e++ {
		back := int(r.board.back[e])
		dst[2*e], dst[2*e+1], dst[2*back], dst[2*back+1] = 0, 0, 0, 0
	}
}

// showSeats shows what follows the regions and borders. changed are the regions that have
// changed.
func (r *Rules) showSeats(dst []float32, w *seen, s *State, viewer uint8, changed uint64) {
	at, was, from := &r.at, &w.state, &r.turns[viewer][0].owner // seats from the viewer's
	if changed != 0 {
		for seat := range uint8(r.cfg.Players) {
			if (s.Own[seat]|was.Own[seat])&changed != 0 || s.Lost[seat] != was.Lost[seat] {
				r.countSeat(&w.seats[seat], s, seat)
			}
		}
		r.countShares(w, s)
	}
	if changed != 0 || viewer != w.viewer {
		for seat := range r.cfg.Players {
			f, i := &w.seats[seat], int(from[seat])
			*(*[6]float32)(dst[6*i:]) = f.numbers // faster than copy
			dst[at.shares+i] = f.share
			move(dst, &w.regions[i], at.regions+(r.n+1)*i+int(f.held))
			move(dst, &w.supply[i], at.supply+(mostCounted+1)*i+int(f.supply))
		}
	}
	move(dst, &w.mover, at.mover+int(from[s.Mover]))
	move(dst, &w.start, at.start+int(from[s.Start]))
	move(dst, &w.phase, at.phase+int(s.Phase))
	rest := (*[4]float32)(dst[at.odds:])
	rest[0] = 0
	if s.From != s.To && s.Phase != Small {
		rest[0] = float32(r.conquestOdds(s, int(s.From), int(s.To), 0))
	}
	rest[1] = float32(s.Points) / manyPoints
	rest[2] = float32(s.Low)
	if r.cfg.MaxRounds > 0 {
		rest[3] = float32(s.Round) / float32(r.cfg.MaxRounds)
	}
	move(dst, &w.points, at.points+min(int(s.Points), mostCounted))
	move(dst, &w.rounds, at.rounds+min(r.cfg.MaxRounds-int(s.Round), r.roundsLeft))
}

// move changes the element of a one-hot field that is 1.
func move(dst []float32, at *int16, to int) {
	dst[*at] = 0
	dst[to] = 1
	*at = int16(to)
}

// countSeat counts what an observation shows of a seat.
func (r *Rules) countSeat(f *seatSeen, s *State, seat uint8) {
	large, medium, small := r.pieces(s, seat)
	armies, held := s.onMap(seat), bits.OnesCount64(s.Own[seat])
	supply := r.cfg.ArmyCap - armies - int(s.Lost[seat])
	trios := float32(max(1, r.cfg.Trios))
	f.numbers[0] = float32(supply) / float32(r.cfg.ArmyCap)
	f.numbers[1], f.numbers[2], f.numbers[3] = float32(large)/trios, float32(medium)/trios, float32(small)/trios
	f.numbers[4], f.numbers[5] = float32(held)/float32(r.n), float32(r.bonus(s, seat))
	f.held, f.supply, f.rank = uint8(held), uint8(min(supply, mostCounted)), int32(s.rank(seat, armies))
}

// countShares notes the shares of the win.
func (r *Rules) countShares(w *seen, s *State) {
	for i, x := range r.winShares(s, &w.seats) {
		w.seats[i].share = float32(x)
	}
}
