package marsisours

import (
	"math/bits"

	"marsgym/env/game"
)

// layout holds the first index of each field of an observation. With P seats and F
// cells that robots can stand on, G of them not stone, and N robots of a seat:
//
//	D = 4G + (F+6)(P+2) + 8F + 3(N+1)P + 45P + 25, in the quick game F(P+9) + 3(N+1)P + 3P + 8
//
// Seats come in the order of play from the viewer's. The robots that can attack and
// those by kind of ground follow from the places of robots, and counts are one-hot: with
// both, a network that is fitted to the exact values of the quick game errs by half as
// much.
type layout struct {
	fields                     []game.Field
	robots, standing, beside   int
	counts, grounds, seat      int
	mover, start, round, phase int
	place, attackers, die      int
	most                       int          // N
	row                        int          // length of the other numbers of one seat
	ground                     []uint8      // the cells with a terrain, in order
	phases                     [phases]int8 // the index of a phase, or -1
	width                      int          // of a sum of money, in elements
}

// A seat has perSeat numbers, in the quick game the first perFastSeat of them.
const perSeat, perFastSeat = 4 + products, 1

// mostOnGround is the largest number of robots on a kind of ground that an observation
// tells apart from more. Chosen: more are rare.
const mostOnGround = 6

// manyMoney is the scale of money. Chosen: about the largest sum in a game.
const manyMoney = 60

func newLayout(r *Rules, width int) layout {
	l := layout{width: width}
	d := 0
	add := func(name string, n int, scales ...int) int {
		at := d
		if n > 0 {
			l.fields = append(l.fields, game.Field{Name: name, Len: n, Scales: scales})
		}
		d += n
		return at
	}
	p, f := r.cfg.Players, len(r.board.free)
	l.most = r.cfg.StartHand + r.cfg.StartJunk
	top := r.levels - 1
	for i := range l.phases {
		l.phases[i] = -1
	}
	shown := []Phase{Laying, Drawing, Acting, Rolling, Missed, Rerolling, LayDown, Cashing, Buying, Naming, Scoring, Over}
	if r.fast {
		shown = []Phase{Drawing, Acting, Rolling, Over}
	}
	for i, phase := range shown {
		l.phases[phase] = int8(i)
	}
	if r.fast {
		l.row = perFastSeat
		l.robots = add("robots by cell and seat from the viewer's", f*p)
	} else {
		for _, c := range r.board.free {
			if r.board.stone>>c&1 == 0 {
				l.ground = append(l.ground, c)
			}
		}
		l.row = perSeat
		add("gem, soda, metal or turf by cell, the stone left out", products*len(l.ground))
		l.robots = add("robots by place and seat from the viewer's", (f+labs)*p)
		l.standing = add("standing robots by place", f+labs)
	}
	l.beside = add("robots that can attack, by cell: the viewer's, and of the other seat with most", 2*maxAttack*f)
	placed := "on the map and in labs"
	if r.fast {
		placed = "on the map"
	}
	l.counts = add("robots in hand, in the junkyard, "+placed+", by seat from the viewer's", 3*(l.most+1)*p)
	if r.fast {
		l.seat = add("passed, by seat from the viewer's", l.row*p)
	} else {
		l.grounds = add("robots that count on gem, soda, metal, turf and stone, by seat from the viewer's", (mostOnGround+1)*terrains*p)
		l.seat = add("passed, money over 60, tokens over 10, dice over 12, tracks over their length, by seat from the viewer's", l.row*p,
			1, manyMoney, maxTokens, poolDice, top, top, top, top)
		l.row += width - 1
		d += (width - 1) * p
		l.round = add("round", lastRound)
		l.die = add("die of the defender", faces)
	}
	l.mover = add("seat to act, from the viewer's", p)
	l.start = add("seat with the starter's marker, from the viewer's", p)
	l.phase = add("phase", len(shown))
	l.place = add("place under attack", len(r.place))
	l.attackers = add("attacking robots", maxAttack)
	return l
}

// encoder writes observations as numbers or as codes.
type encoder[T game.DType] struct {
	*Rules
	lay layout

	// Counts over their scales.
	tokens, dice, level []T // [256]
}

func newEncoder[T game.DType](r *Rules) *encoder[T] {
	_, width := game.CountElements[T](1, manyMoney, true)
	counts := func(scale int) []T {
		list, _ := game.CountElements[T](256, scale, false)
		return list
	}
	return &encoder[T]{r, newLayout(r, width), counts(maxTokens), counts(poolDice), counts(r.levels - 1)}
}

// Codes implements [game.CompactEncoder]. Money can be above 255.
func (r *Rules) Codes() (*game.Codes, error) {
	l := &r.numbers.lay
	return game.NewCodes(r.spec, func(i int) bool {
		i -= l.seat
		return !r.fast && i >= 0 && i < l.row*r.cfg.Players && i%l.row == 1
	}, nil)
}

// EncodeCompact implements [game.CompactEncoder].
func (r *Rules) EncodeCompact(dst []uint8, s State, viewer game.Player) {
	r.codes.encode(dst, &s, viewer)
}

// seen is what an observation shows but the terrain. The next one in its place clears and
// writes anew the fields from the counts on, of those before them only what differs.
type seen struct {
	state    State
	viewer   uint8                     // or maxSeats, of an observation that is zero but for the terrain
	onGround [maxSeats][terrains]uint8 // robots that count
	beside   besides
}

// besides lists the elements of the robots that can attack that are 1.
type besides struct {
	list [maxSeats * maxRobots]uint16
	n    int
}

// newRelative returns the number of seats from a viewer's to another, 0 where there is no
// viewer.
func newRelative(players int) (list [maxSeats + 1][maxSeats]uint8) {
	for viewer := range players {
		for seat := range players {
			list[viewer][seat] = uint8((seat + players - viewer) % players)
		}
	}
	return list
}

// Encode implements [game.Rules]. While the map is being laid, the terrain shows the
// tiles laid so far.
func (r *Rules) Encode(dst []float32, s State, viewer game.Player) {
	r.numbers.encode(dst, &s, viewer)
}

func (e *encoder[T]) encode(dst []T, s *State, viewer game.Player) {
	clear(dst)
	e.encodeGround(dst, s)
	e.encodeSeats(dst, s, int(viewer))
}

// encodeSeats writes all but the terrain, seen by seat p, to an observation in which
// all but the terrain is zero.
func (e *encoder[T]) encodeSeats(dst []T, s *State, p int) {
	l := &e.lay
	e.encodeBeside(dst, s, p, nil)
	for set := s.occupied(); set != 0; set &= set - 1 {
		place := bits.TrailingZeros64(set)
		dst[l.robots+e.cfg.Players*int(e.slot[place])+int(e.relative[p][s.ownerOf(place)])] = 1
	}
	for set := s.Standing; set != 0; set &= set - 1 {
		dst[l.standing+int(e.slot[bits.TrailingZeros64(set)])] = 1
	}
	var onGround [maxSeats][terrains]uint8
	if !e.fast {
		onGround = e.robotsByGround(s)
	}
	e.encodeCounts(dst, s, p, &onGround)
}

// observe changes all but the terrain in an observation, and what is seen in it, to that of
// s. The terrain is the same.
func (e *encoder[T]) observe(dst []T, w *seen, s *State, viewer uint8) {
	l, was, relative := &e.lay, &w.state, &e.relative[viewer]
	var moved uint64 // places of robots that have come or gone
	for p := range s.Robots {
		moved |= s.Robots[p] ^ was.Robots[p]
	}
	if changed := moved | (s.Standing ^ was.Standing); changed != 0 {
		e.observeChanges(dst, w, s, moved, changed)
	}
	robots := s.occupied()
	if viewer == w.viewer {
		robots &= moved
	}
	before := &e.relative[w.viewer]
	for ; robots != 0; robots &= robots - 1 {
		place := bits.TrailingZeros64(robots)
		at, p := l.robots+e.cfg.Players*int(e.slot[place]), s.ownerOf(place)
		dst[at+int(before[p])] = 0
		dst[at+int(relative[p])] = 1
	}
	if moved != 0 || viewer != w.viewer {
		for _, at := range w.beside.list[:w.beside.n] {
			dst[at] = 0
		}
		e.encodeBeside(dst, s, int(viewer), &w.beside)
	}
	clear(dst[l.counts:])
	e.encodeCounts(dst, s, int(viewer), &w.onGround)
	w.state, w.viewer = *s, viewer
}

// encodeCounts writes the fields from the counts on, seen by seat p, into zeros. onGround
// are the robots that count.
func (e *encoder[T]) encodeCounts(dst []T, s *State, p int, onGround *[maxSeats][terrains]uint8) {
	l, relative := &e.lay, &e.relative[p]
	each := l.most + 1
	for p := range e.cfg.Players {
		i, seat := int(relative[p]), &s.Seats[p]
		at := l.counts + 3*each*i
		dst[at+int(seat.Hand)] = 1
		dst[at+each+int(seat.Junk)] = 1
		dst[at+2*each+bits.OnesCount64(s.Robots[p])] = 1
		dst[l.seat+i*l.row] = T(s.Passed >> p & 1)
		if !e.fast {
			e.encodeSeat(dst, seat, i, &onGround[p])
		}
	}
	dst[l.mover+int(relative[s.Mover])] = 1
	dst[l.start+int(relative[s.Start])] = 1
	dst[l.phase+int(l.phases[s.Phase])] = 1
	if s.Round > 0 {
		dst[l.round+int(s.Round)-1] = 1
	}
	if s.Attackers > 0 {
		dst[l.place+int(e.slot[s.Place])] = 1
		dst[l.attackers+int(s.Attackers)-1] = 1
		if s.Die > 0 {
			dst[l.die+int(s.Die)-1] = 1
		}
	}
}

// observeChanges clears the elements of places that robots have left, shows which robots
// stand, and notes the robots on each kind of ground. moved are the places of robots
// that have come or gone, changed those and where others have stood up or lain down.
func (e *encoder[T]) observeChanges(dst []T, w *seen, s *State, moved, changed uint64) {
	l, was, grounds := &e.lay, &w.state, e.terrainCells(s)
	for set := was.occupied() & moved; set != 0; set &= set - 1 {
		place := bits.TrailingZeros64(set)
		dst[l.robots+e.cfg.Players*int(e.slot[place])+int(e.relative[w.viewer][was.ownerOf(place)])] = 0
	}
	for p := range e.cfg.Players {
		if !e.fast && (was.Robots[p]|s.Robots[p])&changed != 0 {
			w.onGround[p] = e.robotsOn(s, p, &grounds)
		}
	}
	for set := s.Standing ^ was.Standing; set != 0; set &= set - 1 {
		place := bits.TrailingZeros64(set)
		dst[l.standing+int(e.slot[place])] = T(s.Standing >> place & 1)
	}
}

// encodeSeat writes what a seat has but robots, and its robots by ground, into zeros, as
// seat i from the viewer's.
func (e *encoder[T]) encodeSeat(dst []T, seat *Seat, i int, onGround *[terrains]uint8) {
	l := &e.lay
	grounds := (*[(mostOnGround + 1) * terrains]T)(dst[l.grounds+(mostOnGround+1)*terrains*i:])
	// Without a loop, which would take twice as long.
	const each = mostOnGround + 1
	grounds[min(onGround[gem], mostOnGround)] = 1
	grounds[each*soda+min(onGround[soda], mostOnGround)] = 1
	grounds[each*metal+min(onGround[metal], mostOnGround)] = 1
	grounds[each*turf+min(onGround[turf], mostOnGround)] = 1
	grounds[each*stone+min(onGround[stone], mostOnGround)] = 1
	if at := l.seat + i*l.row + 1; l.width == 1 {
		dst[at] = T(float32(seat.Money) / manyMoney)
	} else {
		dst[at], dst[at+1] = T(seat.Money&0xff), T(seat.Money>>8)
	}
	rest := (*[perSeat - 2]T)(dst[l.seat+i*l.row+1+l.width:])
	rest[0], rest[1] = e.tokens[seat.Tokens], e.dice[seat.Dice]
	rest[2+gem], rest[2+soda] = e.level[seat.Track[gem]], e.level[seat.Track[soda]]
	rest[2+metal], rest[2+turf] = e.level[seat.Track[metal]], e.level[seat.Track[turf]]
}

// encodeBeside writes for each cell how many robots of seat p can attack the robot of
// another seat there, or else the most with which one other seat can attack that of
// seat p, into zeros, and lists these elements unless ones is nil.
func (e *encoder[T]) encodeBeside(dst []T, s *State, p int, ones *besides) {
	b, own := e.board, s.Robots[p]
	if ones != nil {
		ones.n = 0
	}
	others := s.occupied() &^ own &^ allLabs
	theirs := s.Robots
	theirs[p] = 0
	for set := others&b.neighboursOf(own) | own&b.neighboursOf(others); set != 0; set &= set - 1 {
		c := bits.TrailingZeros64(set)
		near := b.neighbours[c]
		k := bits.OnesCount64(near&own) - 1
		most := max(bits.OnesCount64(near&theirs[0]), bits.OnesCount64(near&theirs[1]),
			bits.OnesCount64(near&theirs[2]), bits.OnesCount64(near&theirs[3]))
		if own>>c&1 == 1 {
			k = maxAttack + most - 1
		}
		at := e.lay.beside + 2*maxAttack*int(e.slot[c]) + k
		dst[at] = 1
		if ones != nil {
			ones.list[ones.n] = uint16(at)
			ones.n++
		}
	}
}

// encodeGround writes the terrain, the first field, of the cells where it is known.
func (e *encoder[T]) encodeGround(dst []T, s *State) {
	lo, hi, known := s.Terrain[0], s.Terrain[1], ^uint64(0)
	if s.Phase == Laying {
		known = e.known(s)
	}
	for g, c := range e.lay.ground {
		if known>>c&1 == 1 {
			dst[products*g+int(lo>>c&1|hi>>c&1<<1)] = 1
		}
	}
}
