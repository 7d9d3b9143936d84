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
	level                      [maxLevels]float32
}

// A seat has perSeat numbers, in the quick game the first perFastSeat of them.
const perSeat, perFastSeat = 4 + products, 1

// mostOnGround is the largest number of robots on a kind of ground that an observation
// tells apart from more. Chosen: more are rare.
const mostOnGround = 6

func newLayout(r *Rules) layout {
	var l layout
	d := 0
	add := func(name string, n int) int {
		at := d
		if n > 0 {
			l.fields = append(l.fields, game.Field{Name: name, Len: n})
		}
		d += n
		return at
	}
	p, f := r.cfg.Players, len(r.board.free)
	l.most = r.cfg.StartHand + r.cfg.StartJunk
	for i := range l.level {
		l.level[i] = float32(i) / float32(r.levels-1)
	}
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
		l.seat = add("passed, money over 60, tokens over 10, dice over 12, tracks over their length, by seat from the viewer's", l.row*p)
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

// Encode implements [game.Rules]. While the map is being laid, the terrain shows the
// tiles laid so far.
func (r *Rules) Encode(dst []float32, s State, viewer game.Player) {
	clear(dst)
	r.encodeGround(dst, &s)
	r.encodeSeats(dst, &s, int(viewer))
}

// encodeSeats writes all but the terrain, seen by seat p, to an observation in which
// all but the terrain is zero.
func (r *Rules) encodeSeats(dst []float32, s *State, p int) {
	l, n := &r.lay, r.cfg.Players
	r.encodeBeside(dst[l.beside:], s, p)
	var onGround [maxSeats][terrains]uint8
	if !r.fast {
		onGround = r.robotsByGround(s)
	}
	for i := range n {
		own, seat := s.Robots[p], &s.Seats[p]
		for set := own; set != 0; set &= set - 1 {
			dst[l.robots+n*int(r.slot[bits.TrailingZeros64(set)])+i] = 1
		}
		counts := dst[l.counts+3*(l.most+1)*i:]
		counts[seat.Hand], counts[l.most+1+int(seat.Junk)], counts[2*(l.most+1)+bits.OnesCount64(own)] = 1, 1, 1
		if !r.fast {
			for t, k := range onGround[p] {
				dst[l.grounds+(mostOnGround+1)*(terrains*i+t)+min(int(k), mostOnGround)] = 1
			}
		}
		r.encodeSeat(dst[l.seat+i*l.row:][:l.row], seat, s.Passed>>p&1 == 1)
		if p == int(s.Mover) {
			dst[l.mover+i] = 1
		}
		if p == int(s.Start) {
			dst[l.start+i] = 1
		}
		if p++; p == n {
			p = 0
		}
	}
	for set := s.Standing; set != 0; set &= set - 1 {
		dst[l.standing+int(r.slot[bits.TrailingZeros64(set)])] = 1
	}
	if s.Round > 0 {
		dst[l.round+int(s.Round)-1] = 1
	}
	dst[l.phase+int(l.phases[s.Phase])] = 1
	if s.Attackers > 0 {
		dst[l.place+int(r.slot[s.Place])] = 1
		dst[l.attackers+int(s.Attackers)-1] = 1
		if s.Die > 0 {
			dst[l.die+int(s.Die)-1] = 1
		}
	}
}

// encodeBeside writes for each cell how many robots of seat p can attack the robot of
// another seat there, or else the most with which one other seat can attack that of
// seat p.
func (r *Rules) encodeBeside(dst []float32, s *State, p int) {
	b, own := r.board, s.Robots[p]
	others := s.occupied() &^ own &^ allLabs
	for set := others & b.neighboursOf(own); set != 0; set &= set - 1 {
		c := bits.TrailingZeros64(set)
		k := bits.OnesCount64(b.neighbours[c] & own)
		dst[2*maxAttack*int(r.slot[c])+k-1] = 1
	}
	for set := own & b.neighboursOf(others); set != 0; set &= set - 1 {
		c, most := bits.TrailingZeros64(set), 0
		for q := range r.cfg.Players {
			if q != p {
				most = max(most, bits.OnesCount64(b.neighbours[c]&s.Robots[q]))
			}
		}
		dst[2*maxAttack*int(r.slot[c])+maxAttack+most-1] = 1
	}
}

// Tables of n/10 and n/12.
var (
	tenths   = fractions(maxTokens)
	twelfths = fractions(poolDice)
)

func fractions(most int) (list [maxRobots + 1]float32) {
	for n := range list {
		list[n] = float32(n) / float32(most)
	}
	return list
}

func (r *Rules) encodeSeat(dst []float32, seat *Seat, passed bool) {
	if passed {
		dst[0] = 1
	}
	if r.fast {
		return
	}
	rest := (*[perSeat]float32)(dst)
	rest[1] = float32(seat.Money) * (1. / 60) // chosen: about the largest sum in a game
	rest[2] = tenths[seat.Tokens]
	rest[3] = twelfths[seat.Dice]
	for t, level := range seat.Track {
		rest[4+t] = r.lay.level[level]
	}
}

// encodeGround writes the terrain, the first field, of the cells where it is known.
func (r *Rules) encodeGround(dst []float32, s *State) {
	lo, hi, known := s.Terrain[0], s.Terrain[1], ^uint64(0)
	if s.Phase == Laying {
		known = r.known(s)
	}
	for g, c := range r.lay.ground {
		if known>>c&1 == 1 {
			dst[products*g+int(lo>>c&1|hi>>c&1<<1)] = 1
		}
	}
}
