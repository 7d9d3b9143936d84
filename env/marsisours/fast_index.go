package marsisours

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"marsgym/env/game"
	"marsgym/env/tabular"
)

// fastPos is a position of the quick game in which a seat is to act. Seats are
// stored by role: role 0 started and wins ties, role 1 is the other. Equivalent
// patterns of robots on the map (see [Rules.Canonical]) have one number.
type fastPos struct {
	pattern    uint32
	junk, hand [2]uint8
	turn       uint8 // the role to move, plus 2 if the other has passed
}

// fastTurns is the number of turns of a position.
const fastTurns = 4

func (p fastPos) mover() int { return int(p.turn & 1) }

// nextTurn is the turn after the mover has placed or attacked.
func (p fastPos) nextTurn() uint8 {
	if p.turn < 2 {
		return 1 - p.turn
	}
	return p.turn
}

// fastMove is an action other than a pass. For a role with a robot in hand,
// only the pattern decides whether it is legal.
type fastMove struct {
	to     uint32 // the pattern if it succeeds
	robots uint8  // that attack; 0 where a robot is placed
}

// fastIndex numbers the positions of the quick game without gaps: every position that the
// robots of two seats can form, whether the game can reach it or not. It takes the moves
// and the patterns that they lead to from the rules, once for each pattern. It implements
// [tabular.Numbering].
//
// Every game ends, under any policies: the number of robots on the map never falls,
// that in a junkyard never rises, lost robots never return, and no seat acts after it
// has passed. Only a pattern of robots on the map can recur, through attacks. Each
// attack fails with a probability of at least 1-w, where w = 0.874 is the success
// probability of four robots, and a failed attack costs a robot. So the sweeps over
// such patterns contract by w.
type fastIndex struct {
	*fastReserves
	r         *Rules
	cells     []uint8      // that robots can stand on
	pattern   []uint32     // number of the pattern by code, which has a base-3 digit for each cell
	code      []uint32     // [patterns]; of the representative
	onMap     [][2]uint8   // [patterns]; robots on the map by role
	base      []uint32     // [patterns+1]; number of the first position of a pattern
	near      []uint32     // by number/64: the pattern of the first of these positions
	groups    [][][]uint32 // by robots on the map: patterns connected by attacks, most robots of role 0 first
	moves     []fastMove
	firstMove []uint32               // [2*patterns+1]; index in moves, by pattern and role
	win       [maxAttack + 1]float64 // probability that an attack succeeds, by its robots
	layers    []fastLayer
}

// unnumbered marks codes that are no pattern.
const unnumbered = ^uint32(0)

func newFastIndex(r *Rules) (*fastIndex, error) {
	x := &fastIndex{fastReserves: newFastReserves(r.cfg), r: r, cells: r.board.free}
	x.numberPatterns()
	if err := x.listMoves(); err != nil {
		return nil, err
	}
	x.groupPatterns()
	x.listLayers()
	return x, nil
}

// numberPatterns numbers the patterns in the order of their lowest code, so that
// the numbers do not depend on the choice of representatives.
func (x *fastIndex) numberPatterns() {
	codes := 1
	for range x.cells {
		codes *= 3
	}
	x.pattern = slices.Repeat([]uint32{unnumbered}, codes)
	s := State{Phase: Acting}
	size := 0
	for code := range x.pattern {
		x.placeCode(&s, uint32(code))
		m := [2]uint8{uint8(bits.OnesCount64(s.Robots[0])), uint8(bits.OnesCount64(s.Robots[1]))}
		if int(max(m[0], m[1])) > x.robots {
			continue
		}
		c, _ := x.r.Canonical(s)
		to := x.codeOf(&c, 0)
		if x.pattern[to] == unnumbered {
			x.pattern[to] = uint32(len(x.code))
			x.code, x.onMap, x.base = append(x.code, to), append(x.onMap, m), append(x.base, uint32(size))
			size += fastTurns * len(x.list[m[0]]) * len(x.list[m[1]])
		}
		x.pattern[code] = x.pattern[to]
	}
	x.base = append(x.base, uint32(size))
	for i := range x.code {
		for 64*len(x.near) < int(x.base[i+1]) {
			x.near = append(x.near, uint32(i))
		}
	}
}

// placeCode puts the robots of a code on the map; role 0 is seat 0.
func (x *fastIndex) placeCode(s *State, code uint32) {
	s.Robots = [maxSeats]uint64{}
	for _, c := range x.cells {
		if d := code % 3; d > 0 {
			s.Robots[d-1] |= 1 << c
		}
		code /= 3
	}
}

// codeOf is the code of the robots on the map; starter is the seat with role 0.
func (x *fastIndex) codeOf(s *State, starter uint8) (code uint32) {
	own, other := s.Robots[starter], s.Robots[1-starter]
	for _, c := range slices.Backward(x.cells) {
		code = 3*code + uint32(own>>c&1+other>>c&1<<1)
	}
	return code
}

// listMoves lists the moves of each pattern.
func (x *fastIndex) listMoves() error {
	r := x.r
	var legal []game.Action
	var outcomes []game.Outcome[State]
	for i, m := range x.onMap {
		for a := range 2 {
			x.firstMove = append(x.firstMove, uint32(len(x.moves)))
			if int(m[a]) == x.robots {
				continue // no robot is in hand
			}
			s := State{Phase: Acting, Mover: uint8(a)}
			x.placeCode(&s, x.code[i])
			s.Seats[a].Hand = 1
			legal = r.Legal(legal[:0], s)
			for _, action := range legal[:len(legal)-1] { // the last is a pass
				next, err := r.Apply(s, action)
				if err != nil {
					return err
				}
				move := fastMove{robots: next.Attackers}
				if outcomes = r.Outcomes(outcomes[:0], next); len(outcomes) > 0 {
					next = outcomes[0].State // the attack succeeds
					x.win[move.robots] = outcomes[0].Prob
				}
				move.to = x.pattern[x.codeOf(&next, 0)]
				x.moves = append(x.moves, move)
			}
		}
	}
	x.firstMove = append(x.firstMove, uint32(len(x.moves)))
	return nil
}

// groupPatterns groups the patterns connected by attacks. A robot leaves the map
// only by an attack, which puts another robot in its place; so a pattern can recur
// only through attacks.
func (x *fastIndex) groupPatterns() {
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
		for _, move := range x.moves[x.firstMove[2*i]:x.firstMove[2*i+2]] {
			if u, v := find(i), find(move.to); move.robots > 0 {
				root[max(u, v)] = min(u, v)
			}
		}
	}
	x.groups = make([][][]uint32, len(x.cells)+1)
	place := make([]int, len(x.code)) // by root: index of its group
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

// movesOf lists the moves of a role with a robot in hand, in the order of Legal.
func (x *fastIndex) movesOf(pattern uint32, role int) []fastMove {
	k := 2*pattern + uint32(role)
	return x.moves[x.firstMove[k]:x.firstMove[k+1]]
}

// over reports whether the game is over because nobody can place or attack.
func (x *fastIndex) over(p fastPos) bool {
	for role := range 2 {
		active := p.turn < 2 || p.mover() == role
		if active && p.hand[role] > 0 && len(x.movesOf(p.pattern, role)) > 0 {
			return false
		}
	}
	return true
}

// payoff is role 0's share of the win if the game ends in p.
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

// Len implements [tabular.Numbering].
func (x *fastIndex) Len() int { return int(x.base[len(x.code)]) }

// indexOf returns the number of a position.
func (x *fastIndex) indexOf(p fastPos) uint32 {
	m := x.onMap[p.pattern]
	return x.base[p.pattern] + x.offset(m, p.junk, p.hand, p.turn)
}

// offset returns the number of a position among those of its pattern.
func (x *fastIndex) offset(m, junk, hand [2]uint8, turn uint8) uint32 {
	s0 := x.first[m[0]][junk[0]] + int(hand[0])
	s1 := x.first[m[1]][junk[1]] + int(hand[1])
	return uint32((int(turn)*len(x.list[m[0]])+s0)*len(x.list[m[1]]) + s1)
}

// position returns the position with a number.
func (x *fastIndex) position(at uint32) fastPos {
	i := x.near[at/64]
	for x.base[i+1] <= at {
		i++
	}
	m := x.onMap[i]
	k := at - x.base[i]
	n0, n1 := uint32(len(x.list[m[0]])), uint32(len(x.list[m[1]]))
	s0, s1 := x.list[m[0]][k/n1%n0], x.list[m[1]][k%n1]
	return fastPos{i, [2]uint8{s0[0], s1[0]}, [2]uint8{s0[1], s1[1]}, uint8(k / n1 / n0)}
}

// autoPass is the probability of a pass that the rules make.
var autoPass = []float64{1}

// Node implements [tabular.Numbering].
func (x *fastIndex) Node(n *tabular.Node, at uint32) {
	p := x.position(at)
	a := p.mover()
	n.Mover, n.Moves, n.Probs = game.Player(a), n.Moves[:0], nil
	if x.over(p) {
		n.Mover, n.Share = game.Terminal, x.payoff(p)
		return
	}
	if x.r.cfg.AutoPass && p.hand[a] == 0 {
		n.Mover, n.Probs = game.Chance, autoPass
	}
	pass := uint32(tabular.Ended) // if the other has passed
	if p.turn >= 2 {
		n.Share = x.payoff(p)
	} else {
		pass = x.base[p.pattern] + x.offset(x.onMap[p.pattern], p.junk, p.hand, uint8(3-a))
	}
	if p.hand[a] > 0 {
		x.addMoves(n, &p)
	}
	n.Moves = append(n.Moves, tabular.Move{To: pass, Else: pass, Prob: 1})
}

// addMoves appends the placements and attacks of the mover, which has a robot in hand.
func (x *fastIndex) addMoves(n *tabular.Node, p *fastPos) {
	a := p.mover()
	d := 1 - a
	m, turn, fewer := x.onMap[p.pattern], p.nextTurn(), p.hand
	fewer[a]--
	lost := x.base[p.pattern] + x.offset(m, p.junk, fewer, turn)
	m[a]++
	placed, won := x.offset(m, p.junk, fewer, turn), uint32(0) // in the pattern that the move leads to
	if m[d] > 0 {
		m[d]--
		junk, hand := p.junk, p.hand
		if junk[a] > 0 && !x.r.cfg.CaptureFromHand {
			junk[a]--
		} else {
			hand[a]--
		}
		hand[d]++
		won = x.offset(m, junk, hand, turn)
	}
	for _, move := range x.movesOf(p.pattern, a) {
		if to := x.base[move.to]; move.robots > 0 {
			n.Moves = append(n.Moves, tabular.Move{To: to + won, Else: lost, Prob: x.win[move.robots]})
		} else {
			n.Moves = append(n.Moves, tabular.Move{To: to + placed, Else: to + placed, Prob: 1})
		}
	}
}

// State implements [tabular.Numbering].
func (x *fastIndex) State(at uint32, first game.Player) State {
	p, starter := x.position(at), uint8(first)
	s := State{Phase: Acting, Start: starter, Mover: uint8(p.mover()) ^ starter}
	x.placeCode(&s, x.code[p.pattern])
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

// Number implements [tabular.Numbering]. The ends of a game have the numbers of the
// starter's decisions.
func (x *fastIndex) Number(s State) (at uint32, first game.Player, err error) {
	code := x.codeOf(&s, s.Start)
	p := fastPos{pattern: x.pattern[code], turn: s.Mover ^ s.Start}
	if s.Passed != 0 {
		p.turn += 2
	}
	if p.pattern == unnumbered {
		return 0, 0, fmt.Errorf("a seat has more than %d robots on the map", x.robots)
	}
	for role := range 2 {
		seat := s.Seats[uint8(role)^s.Start]
		p.junk[role], p.hand[role] = seat.Junk, seat.Hand
		if int(seat.Junk) > x.junk || int(x.onMap[p.pattern][role])+int(seat.Junk)+int(seat.Hand) > x.robots {
			return 0, 0, fmt.Errorf("a seat has more than %d robots, or %d in the junkyard", x.robots, x.junk)
		}
	}
	return x.indexOf(p), game.Player(s.Start), nil
}
