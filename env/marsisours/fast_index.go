package marsisours

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"sort"

	"marsgym/env/game"
)

// fastPos is a position of the quick game before anybody acts. It is told by
// roles: role 0 started and wins ties, role 1 is the other. Symmetric patterns of
// robots on the map are one.
type fastPos struct {
	pattern    uint32
	junk, hand [2]uint8
	turn       uint8 // 0, 1: of the role to move, while both may act; 2 + the role that alone may
}

// fastTurns is the number of turns of a position.
const fastTurns = 4

func (p fastPos) mover() int { return int(p.turn & 1) }

// after is the turn once the mover has placed or attacked.
func (p fastPos) after() uint8 {
	if p.turn < 2 {
		return 1 - p.turn
	}
	return p.turn
}

// fastMove is an action other than a pass: it depends on the pattern alone
// whether a robot in hand allows it.
type fastMove struct {
	to     uint32 // the pattern if it succeeds
	action uint16
	robots uint8 // that attack; 0 places one
}

// fastIndex numbers the positions of the quick game without gaps. Where moves
// lead on the map is read off the rules, once for each pattern.
type fastIndex struct {
	*fastStocks
	r       *Rules
	cells   []uint8      // to stand on
	pattern []uint32     // by code: a digit of base 3 for each cell
	code    []uint32     // [patterns] of the representative
	onMap   [][2]uint8   // [patterns]; robots of each role
	base    []uint32     // [patterns+1]; the positions of a pattern begin here
	groups  [][][]uint32 // by robots on the map: patterns that attacks join, most robots of role 0 first
	moves   []fastMove
	from    []uint32               // [2*patterns+1]; the moves of each pattern and role begin here
	win     [maxAttack + 1]float64 // by robots that attack
}

// unnumbered marks codes that are no pattern.
const unnumbered = ^uint32(0)

func newFastIndex(r *Rules) (*fastIndex, error) {
	x := &fastIndex{fastStocks: newFastStocks(r.cfg), r: r, cells: r.board.free}
	x.number()
	if err := x.connect(); err != nil {
		return nil, err
	}
	x.join()
	return x, nil
}

// number numbers the patterns in the order of their lowest code, so that it does
// not depend on which of them stands for the others.
func (x *fastIndex) number() {
	codes := 1
	for range x.cells {
		codes *= 3
	}
	x.pattern = slices.Repeat([]uint32{unnumbered}, codes)
	s := State{Phase: Acting}
	size := 0
	for code := range x.pattern {
		x.lay(&s, uint32(code))
		m := [2]uint8{uint8(bits.OnesCount64(s.Robots[0])), uint8(bits.OnesCount64(s.Robots[1]))}
		if int(max(m[0], m[1])) > x.robots {
			continue
		}
		c, _ := x.r.Canonical(s)
		to := x.read(&c, 0)
		if x.pattern[to] == unnumbered {
			x.pattern[to] = uint32(len(x.code))
			x.code, x.onMap, x.base = append(x.code, to), append(x.onMap, m), append(x.base, uint32(size))
			size += fastTurns * len(x.list[m[0]]) * len(x.list[m[1]])
		}
		x.pattern[code] = x.pattern[to]
	}
	x.base = append(x.base, uint32(size))
}

// lay puts the robots of a code on the map, those of role 0 as of seat 0.
func (x *fastIndex) lay(s *State, code uint32) {
	s.Robots = [maxSeats]uint64{}
	for _, c := range x.cells {
		if d := code % 3; d > 0 {
			s.Robots[d-1] |= 1 << c
		}
		code /= 3
	}
}

// read is the code of the robots on the map, where a seat has role 0.
func (x *fastIndex) read(s *State, starter uint8) (code uint32) {
	own, other := s.Robots[starter], s.Robots[1-starter]
	for _, c := range slices.Backward(x.cells) {
		code = 3*code + uint32(own>>c&1+other>>c&1<<1)
	}
	return code
}

// connect lists the moves of each pattern.
func (x *fastIndex) connect() error {
	r := x.r
	var legal []game.Action
	var outcomes []game.Outcome[State]
	for i, m := range x.onMap {
		for a := range 2 {
			x.from = append(x.from, uint32(len(x.moves)))
			if int(m[a]) == x.robots {
				continue // there is none in hand
			}
			s := State{Phase: Acting, Mover: uint8(a)}
			x.lay(&s, x.code[i])
			s.Seats[a].Hand = 1
			legal = r.Legal(legal[:0], s)
			for _, action := range legal[:len(legal)-1] { // the last is to pass
				next, err := r.Apply(s, action)
				if err != nil {
					return err
				}
				move := fastMove{action: uint16(action), robots: next.Attackers}
				if outcomes = r.Outcomes(outcomes[:0], next); len(outcomes) > 0 {
					next = outcomes[0].State // the attack succeeds
					x.win[move.robots] = outcomes[0].Prob
				}
				move.to = x.pattern[x.read(&next, 0)]
				x.moves = append(x.moves, move)
			}
		}
	}
	x.from = append(x.from, uint32(len(x.moves)))
	return nil
}

// join groups the patterns that attacks lead between. Nothing leaves the map but
// by an attack, which puts another robot there; so only attacks can come back to
// a pattern.
func (x *fastIndex) join() {
	root := make([]uint32, len(x.code))
	for i := range root {
		root[i] = uint32(i)
	}
	find := func(i uint32) uint32 {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	for i := range uint32(len(x.code)) {
		for _, move := range x.moves[x.from[2*i]:x.from[2*i+2]] {
			if u, v := find(i), find(move.to); move.robots > 0 {
				root[max(u, v)] = min(u, v)
			}
		}
	}
	x.groups = make([][][]uint32, len(x.cells)+1)
	place := make([]int, len(x.code)) // of the group of a root
	for i, m := range x.onMap {
		at, groups := find(uint32(i)), &x.groups[m[0]+m[1]]
		if at == uint32(i) {
			place[i] = len(*groups)
			*groups = append(*groups, nil)
		}
		(*groups)[place[at]] = append((*groups)[place[at]], uint32(i))
	}
	for _, groups := range x.groups {
		for _, g := range groups {
			slices.SortStableFunc(g, func(i, j uint32) int { return cmp.Compare(x.onMap[j][0], x.onMap[i][0]) })
		}
	}
}

// movesOf lists what a role with a robot in hand can do in a pattern, but to
// pass, in the order of Legal.
func (x *fastIndex) movesOf(pattern uint32, role int) []fastMove {
	k := 2*pattern + uint32(role)
	return x.moves[x.from[k]:x.from[k+1]]
}

// legal lists what the mover can do, but to pass.
func (x *fastIndex) legal(p fastPos) []fastMove {
	if p.hand[p.mover()] == 0 {
		return nil
	}
	return x.movesOf(p.pattern, p.mover())
}

// over reports whether the game is over, since nobody can place or attack.
func (x *fastIndex) over(p fastPos) bool {
	for role := range 2 {
		active := p.turn < 2 || p.mover() == role
		if active && p.hand[role] > 0 && len(x.movesOf(p.pattern, role)) > 0 {
			return false
		}
	}
	return true
}

// payoff is role 0's share of the win if the game ends here.
func (x *fastIndex) payoff(p fastPos) float64 {
	var n [2]int
	for role, onMap := range x.onMap[p.pattern] {
		n[role] = x.r.cfg.FastCount.of(int(onMap), int(p.hand[role]), int(p.junk[role]))
	}
	if n[0] >= n[1] {
		return 1
	}
	return 0
}

// len is the number of positions.
func (x *fastIndex) len() int { return int(x.base[len(x.code)]) }

// at is the number of a position.
func (x *fastIndex) at(p fastPos) uint32 {
	m := x.onMap[p.pattern]
	return x.base[p.pattern] + x.within(m[0], m[1], p.junk, p.hand, p.turn)
}

// within is the number of a position among those of its pattern.
func (x *fastIndex) within(m0, m1 uint8, junk, hand [2]uint8, turn uint8) uint32 {
	s0 := x.first[m0][junk[0]] + int(hand[0])
	s1 := x.first[m1][junk[1]] + int(hand[1])
	return uint32((int(turn)*len(x.list[m0])+s0)*len(x.list[m1]) + s1)
}

// pos is the position of a number.
func (x *fastIndex) pos(at uint32) fastPos {
	i := sort.Search(len(x.code), func(i int) bool { return x.base[i+1] > at })
	m := x.onMap[i]
	k := int(at - x.base[i])
	n0, n1 := len(x.list[m[0]]), len(x.list[m[1]])
	s0, s1 := x.list[m[0]][k/n1%n0], x.list[m[1]][k%n1]
	return fastPos{uint32(i), [2]uint8{s0[0], s1[0]}, [2]uint8{s0[1], s1[1]}, uint8(k / n1 / n0)}
}

// fastLeads says where the moves of a position lead. What passing and a failed
// attack lead to are numbers of positions; what placing and a successful attack
// lead to are numbers within the pattern that the move names.
type fastLeads struct {
	pass, lost, placed, won uint32
	ends                    bool // passing ends the game
}

func (x *fastIndex) leads(p fastPos) (l fastLeads) {
	a := p.mover()
	d := 1 - a
	m, base := x.onMap[p.pattern], x.base[p.pattern]
	l.ends = p.turn >= 2
	if !l.ends {
		l.pass = base + x.within(m[0], m[1], p.junk, p.hand, uint8(2+d))
	}
	if p.hand[a] == 0 {
		return l
	}
	turn := p.after()
	fewer := p.hand
	fewer[a]--
	l.lost = base + x.within(m[0], m[1], p.junk, fewer, turn)
	m[a]++
	l.placed = x.within(m[0], m[1], p.junk, fewer, turn)
	if m[d] == 0 {
		return l
	}
	m[d]--
	junk, hand := p.junk, p.hand
	if junk[a] > 0 && !x.r.cfg.CaptureFromHand {
		junk[a]--
	} else {
		hand[a]--
	}
	hand[d]++
	l.won = x.within(m[0], m[1], junk, hand, turn)
	return l
}

// stays reports whether a successful attack of a role leaves the junkyards as
// they are, so that the attack may come up again.
func (x *fastIndex) stays(role int, junk [2]uint8) bool {
	return junk[role] == 0 || x.r.cfg.CaptureFromHand
}

// state is a decision of a game that the given seat started.
func (x *fastIndex) state(p fastPos, starter uint8) State {
	s := State{Phase: Acting, Start: starter, Mover: uint8(p.mover()) ^ starter}
	x.lay(&s, x.code[p.pattern])
	if starter == 1 {
		s.Robots[0], s.Robots[1] = s.Robots[1], s.Robots[0]
	}
	for role := range uint8(2) {
		seat := &s.Seats[role^starter]
		seat.Hand, seat.Junk = p.hand[role], p.junk[role]
	}
	if p.turn >= 2 {
		s.Passed = 1 << (1 - s.Mover)
	}
	return s
}

// fastLabels names the choices of a decision by the actions of its
// representative. In games that seat 0 started their order is the same.
type fastLabels struct {
	state   State // the representative
	moves   []fastMove
	pass    game.Action
	relabel []game.Action // as of Canonical
}

func (x *fastIndex) labels(p fastPos, starter uint8) (l fastLabels) {
	l.state, l.relabel = x.r.Canonical(x.state(p, starter))
	l.moves, l.pass = x.legal(p), game.Action(x.r.act.pass)
	return l
}

// action is the action of a choice: a move by its index, or behind the last to
// pass.
func (l *fastLabels) action(choice int) game.Action {
	a := l.pass
	if choice < len(l.moves) {
		a = game.Action(l.moves[choice].action)
	}
	if l.relabel != nil {
		a = game.Action(slices.Index(l.relabel, a))
	}
	return a
}

// find is the position of a state in which a seat is to act.
func (x *fastIndex) find(s *State) (p fastPos, err error) {
	code := x.read(s, s.Start)
	p.pattern, p.turn = x.pattern[code], s.Mover^s.Start
	if s.Passed != 0 {
		p.turn += 2
	}
	if p.pattern == unnumbered {
		return p, fmt.Errorf("a seat has more than %d robots", x.robots)
	}
	for role := range 2 {
		seat := s.Seats[uint8(role)^s.Start]
		p.junk[role], p.hand[role] = seat.Junk, seat.Hand
		if int(seat.Junk) > x.junk || int(x.onMap[p.pattern][role])+int(seat.Junk)+int(seat.Hand) > x.robots {
			return p, fmt.Errorf("a seat has more than %d robots, or %d in the junkyard", x.robots, x.junk)
		}
	}
	return p, nil
}
