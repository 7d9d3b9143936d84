package martiandice

import (
	"encoding/binary"

	"marsgym/env/game"
)

// seenRow is what Show keeps of a row: the indices of the elements of its observation
// that are 1, to clear them when others become 1, and what the scores were. A row is
// some 1.3 kB of numbers, of which a step changes some twenty.
type seenRow struct {
	score       [maxPlayers]uint8
	seat, start uint8
	own, lead   int16 // the mover's score, and that less the best other

	scores [maxPlayers]uint16 // by seat from the mover's
	order  uint16
	tanks  uint16
	rays   uint16
	earth  uint16
	free   uint16
	points uint16
	total  uint16
	margin uint16
	danger uint16
}

// newSeen returns the indices of elements that may be cleared at any time.
func (l *layout) newSeen(players int) (s seenRow) {
	for k := range players {
		s.scores[k] = uint16(l.score + k*l.scores)
	}
	s.order = uint16(l.order)
	s.tanks, s.rays, s.earth, s.free = uint16(l.tanks), uint16(l.rays), uint16(l.earthlings), uint16(l.free)
	s.points, s.total, s.margin, s.danger = uint16(l.points), uint16(l.total), uint16(l.margin), uint16(l.danger)
	return s
}

// move changes the element of a field that is 1.
func move[T game.DType](row []T, at *uint16, to int) {
	row[*at] = 0
	row[to] = 1
	*at = uint16(to)
}

var (
	// first has, for k types of earthlings aside, what the representative has in place
	// of e<<8 for e earthlings: the first type gets all but one of each other type.
	first = [4]fours{2: 1<<16 - 1<<8, 3: 1<<24 + 1<<16 - 2<<8}
	// open has, for k types of earthlings aside, the types that can be set aside.
	open = [4]fours{0xff_ff_ff_ff, 0xff_ff_00_ff, 0xff_00_00_ff, 0x00_00_00_ff}
	// heldTypes are the elements of the field of that name, by the number of types.
	heldTypes = [4][3]uint8{{}, {1}, {1, 1}, {1, 1, 1}}
	// sources has, for each order, the shifts from which the types of the
	// representative are taken.
	sources = func() (list [8][3]uint8) {
		for i := range list {
			for j := range list[i] {
				list[i][j] = uint8(8 * relabels[i][int(Humans)+j])
			}
		}
		return list
	}()
	// masks are action masks by their bits.
	masks = func() (list [1 << actions][actions]bool) {
		for i := range list {
			for a := range list[i] {
				list[i][a] = i>>a&1 == 1
			}
		}
		return list
	}()
	// relabelling has the result of Canonical for each order: nil is the identity.
	relabelling = func() (list [8][]game.Action) {
		for i := range list {
			if i != 0b111 {
				list[i] = relabels[i][:]
			}
		}
		return list
	}()
)

// Show implements [game.Rows].
func (p *rows[T]) Show(states []State, _ []game.Player, shown []State, relabel [][]game.Action, obs []T, mask []bool) {
	d := len(obs) / len(states)
	for from := 0; from < len(states); from += block {
		to := min(len(states), from+block)
		row := obs[from*d : to*d]
		p.represent(from, states[from:to], shown[from:to], relabel[from:to], mask[from*int(actions):])
		p.showScores(from, states[from:to], row)
		p.showTurns(from, shown[from:to], row)
	}
}

// represent writes the representatives of the rows from a number on, and their legal actions.
func (p *rows[T]) represent(from int, states, shown []State, relabel [][]game.Action, mask []bool) {
	n := len(states)
	shown, relabel, order, legal := shown[:n], relabel[:n], p.order[from:][:n], p.legal[from:][:n]
	for i := range states {
		s := &states[i]
		aside, roll := foursOf(&s.Aside), foursOf(&s.Roll)
		// The earthling types are sorted: those aside first, then by the number rolled.
		taken := aside.some() >> 7
		keys := roll | taken<<4
		h, c, k := keys>>8&0xff, keys>>16&0xff, keys>>24
		o := bit(h >= c) | bit(c >= k)<<1 | bit(h >= k)<<2
		source := &sources[o&7]
		roll = roll&rays | roll>>(source[0]&31)&0xff<<8 | roll>>(source[1]&31)&0xff<<16 | roll>>(source[2]&31)<<24
		earth := (aside >> 8).total()
		aside = aside&rays | fours(earth<<8) + first[(taken>>8).total()&3]

		out := &shown[i]
		*out = *s
		aside.put(&out.Aside)
		roll.put(&out.Roll)
		relabel[i], order[i] = relabelling[o&7], o
		// The product moves the bits of four bytes next to each other.
		may := uint8(choices(aside, roll)>>7*0x00204081>>21)&0xf | p.stopFirst
		may |= (1<<Roll | 1<<Stop) * (uint8(s.Phase-Select) & 1)
		legal[i] = may
		*(*[actions]bool)(mask[i*int(actions):]) = masks[may%(1<<actions)]
	}
}

// showTurns shows the turns of representatives.
func (p *rows[T]) showTurns(from int, shown []State, obs []T) {
	l, d, dice := &p.r.lay, len(obs)/len(shown), p.r.cfg.Dice
	seen := p.seen[from:][:len(shown)]
	for i := range shown {
		s, was := &shown[i], &seen[i]
		tanks, aside, roll := int(s.Aside[tank]), foursOf(&s.Aside), foursOf(&s.Roll)
		ray, types, earth := int(aside&rays), (aside.some()>>15).total()&3, (aside >> 8).total()
		points := earth + p.bonus[types]
		if tanks > ray {
			points = 0
		}
		row := obs[i*d:][:d:d]
		decide := uint8(s.Phase-Select) & 1
		row[l.phase+int(Select)], row[l.phase+int(Decide)] = T(1-decide), T(decide)
		held := &heldTypes[types]
		row[l.held], row[l.held+1], row[l.held+2] = T(held[0]), T(held[1]), T(held[2])
		roll &= open[types]
		row[l.rolled], row[l.rolled+1] = p.overDice[roll&0xf], p.overDice[roll>>8&0xf]
		row[l.rolled+2], row[l.rolled+3] = p.overDice[roll>>16&0xf], p.overDice[roll>>24&0xf]
		if p.r.cfg.MaxRounds > 0 {
			copy(row[l.roundsLeft:], p.rounds[p.perRound*(p.r.cfg.MaxRounds-int(s.Count)):][:p.perRound])
		}
		move(row, &was.tanks, l.tanks+tanks)
		move(row, &was.rays, l.rays+ray)
		move(row, &was.earth, l.earthlings+earth)
		move(row, &was.free, l.free+dice-tanks-ray-earth)
		move(row, &was.points, l.points+points)
		move(row, &was.total, l.total+int(was.own)+points)
		move(row, &was.margin, l.margin+l.scores-1+int(was.lead)+points)
		move(row, &was.danger, l.danger+dice+tanks-ray)
	}
}

// showScores shows the scores and the seats of the rows in which they have changed.
func (p *rows[T]) showScores(from int, states []State, obs []T) {
	l, d, players := &p.r.lay, len(obs)/len(states), p.r.cfg.Players
	fresh := bit(obs[l.mover] == 0)
	seen, listed, n := p.seen[from:][:len(states)], p.listed[:len(states)], 0
	for i := range states {
		s, was := &states[i], &seen[i]
		changed := le64(s.Score[:]) ^ le64(was.score[:])
		changed |= uint64((s.Score[8] ^ was.score[8]) | (s.Score[9] ^ was.score[9]) | (s.Seat ^ was.seat) | (s.Start ^ was.start))
		listed[n] = int32(i)
		n += int(bit(changed != 0) | fresh)
	}
	for _, i := range listed[:n] {
		s, was := &states[i], &seen[i]
		was.score, was.seat, was.start = s.Score, s.Seat, s.Start
		row := obs[int(i)*d:][:d:d]
		row[l.mover] = 1
		seat := int(s.Seat)
		own, best := int(s.Score[seat]), 0
		move(row, &was.scores[0], l.score+own)
		for k := 1; k < players; k++ {
			if seat++; seat == players {
				seat = 0
			}
			score := int(s.Score[seat])
			if score > best { // max would branch
				best = score
			}
			move(row, &was.scores[k], l.score+k*l.scores+score)
		}
		was.own, was.lead = int16(own), int16(own-best)
		place := int(s.Seat) - int(s.Start)
		if place < 0 {
			place += players
		}
		move(row, &was.order, l.order+place)
	}
}

func le64(b []uint8) uint64 { return binary.LittleEndian.Uint64(b) }
