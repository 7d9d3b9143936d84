package martiandice

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"

	"marsgym/env/game"
)

// fours are the counts of rays, humans, cows and chickens, a byte each from the
// lowest: what is done to all four types takes a few operations.
type fours uint32

const (
	ones   fours = 0x01_01_01_01
	sevens       = 0x7f * ones
	highs        = 0x80 * ones
	rays   fours = 0xff
)

// foursOf returns the counts of c but the tanks.
func foursOf(c *Counts) fours { return fours(binary.LittleEndian.Uint32(c[ray:])) }

// put sets the counts of c but the tanks.
func (w fours) put(c *Counts) { binary.LittleEndian.PutUint32(c[ray:], uint32(w)) }

// total returns the sum of the counts.
func (w fours) total() int { return int(w * ones >> 24) }

// some has the high bit of each byte whose count, below 128, is not zero.
func (w fours) some() fours { return (w + sevens) & highs }

// choices has the high bit of each type rolled that can be set aside.
func choices(aside, roll fours) fours { return roll.some() &^ (aside.some() &^ rays) }

// points returns the points of a turn that ends with these dice aside.
func (p *rows[T]) points(tanks int, aside fours) int {
	earthlings := aside >> 8
	n := earthlings.total() + p.bonus[(earthlings.some()>>7).total()&3]
	if tanks > int(aside&rays) {
		n = 0
	}
	return n
}

// rows plays all rows of a batch. Step and Show list the rows of which something rare
// is true, without a branch, and then handle those of a list: which rows they are
// cannot be predicted, and a mispredicted branch costs as much as twenty instructions.
type rows[T game.DType] struct {
	r         *Rules
	stopFirst uint8  // the bit of Stop if it is legal before a choice
	bonus     [4]int // by the number of types of earthlings
	overDice  [16]T  // 0 to 13 over the number of dice
	rounds    []T    // left, over the limit, of perRound elements
	perRound  int

	// [N] of the last Show.
	order []uint8 // of the types of earthlings, an index of relabels
	legal []uint8 // a bit for each legal action
	seen  []seenRow

	ended, rolling, listed []int32 // [block] scratch: lists of rows
}

// sample is a column of an alias table. Its results have fours: their tanks are the
// other dice.
type sample struct {
	keep       uint64
	own, alias fours
}

// NewRows implements [game.Sampler].
func (r *Rules) NewRows(n int) game.Rows[State, float32] { return newRows[float32](r, n) }

// NewCompactRows implements [game.CompactEncoder].
func (r *Rules) NewCompactRows(n int) game.Rows[State, uint8] { return newRows[uint8](r, n) }

func newRows[T game.DType](r *Rules, n int) *rows[T] {
	p := &rows[T]{
		r: r, bonus: [4]int{3: r.cfg.Bonus},
		order: make([]uint8, n), legal: make([]uint8, n), seen: make([]seenRow, n),
		ended: make([]int32, block), rolling: make([]int32, block), listed: make([]int32, block),
	}
	if r.cfg.AllowStopBeforeSelect {
		p.stopFirst = 1 << Stop
	}
	counts, _ := game.CountElements[T](len(p.overDice), r.cfg.Dice, false)
	copy(p.overDice[:], counts)
	p.rounds, p.perRound = game.CountElements[T](r.cfg.MaxRounds+1, max(1, r.cfg.MaxRounds), r.wideRounds())
	for i := range p.seen {
		p.seen[i] = r.lay.newSeen(r.cfg.Players)
	}
	return p
}

// takes has, for each order and each action of the representative, the byte of the
// type that the action sets aside.
var takes = func() (list [8][8]fours) {
	for o := range relabels {
		for a, played := range relabels[o][:Chickens+1] {
			list[o][a] = 0xff << (8 * played)
		}
	}
	return list
}()

// Step implements [game.Rows].
func (p *rows[T]) Step(states []State, act []game.Action, dice []rand.PCG, players []game.Player) int {
	n := len(states)
	act, players, dice = act[:n], players[:n], dice[:n]
	order, legal := p.order[:n], p.legal[:n]
	all := uint8(1)
	for i, a := range act {
		all &= legal[i] >> uint32(a)
	}
	if all == 0 {
		for i, a := range act {
			if legal[i]>>uint32(a)&1 == 0 {
				return i
			}
		}
	}
	for from := 0; from < n; from += block {
		to, e, r := min(n, from+block), 0, 0
		for i := from; i < to; i++ {
			s, a := &states[i], uint8(act[i])&7
			aside := foursOf(&s.Aside) + foursOf(&s.Roll)&takes[order[i]&7][a]
			aside.put(&s.Aside)
			fours(0).put(&s.Roll)
			roll, stop := bit(a == uint8(Roll)), bit(a == uint8(Stop))
			full := bit(int(s.Aside[tank])+aside.total() == p.r.cfg.Dice)
			s.Phase = Decide - Phase(2*roll) // Rolling if the seat rolls
			p.ended[e], p.rolling[r] = int32(i), int32(i)
			e += int(stop | full)
			r += int(roll)
		}
		p.settle(p.ended[:e], p.rolling[:r], states, dice, players)
	}
	return -1
}

// block is the number of rows that all parts of a step, or of a Show, handle before the next ones:
// their states stay in a cache of 32 KiB. Chosen.
const block = 256

// settle ends the turns of the rows in ended and adds these rows to those in rolling.
// Then it samples chance in them until a seat is to move or the game is over.
func (p *rows[T]) settle(ended, rolling []int32, states []State, dice []rand.PCG, players []game.Player) {
	limit := p.r.spec.ChanceLimit()
	rolling = p.endTurns(ended, rolling, limit, states, dice, players)
	for limit > 0 && len(rolling) > 0 {
		limit--
		ended = p.roll(rolling, states, dice, players)
		rolling = p.endTurns(ended, rolling[:0], limit, states, dice, players)
	}
	for _, i := range rolling {
		players[i] = game.Chance
	}
}

// endTurns ends the turns of the rows in ended, samples up to limit roll-offs where a
// game ends in a tie, and adds the rows whose next seat rolls to rolling.
func (p *rows[T]) endTurns(ended, rolling []int32, limit int, states []State, dice []rand.PCG, players []game.Player) []int32 {
	n := len(rolling)
	rolling = rolling[:n+len(ended)]
	for _, i := range ended {
		s := &states[i]
		p.r.pass(s, p.points(int(s.Aside[tank]), foursOf(&s.Aside)))
		if s.Phase == Rolling {
			rolling[n] = i
			n++
			continue
		}
		for k := 0; k < limit && s.Phase == TieBreak; k++ {
			*s = p.r.Sample(*s, &dice[i])
		}
		players[i] = p.r.CurrentPlayer(*s)
	}
	return rolling[:n]
}

// roll rolls the dice of the rows in rolling and returns those whose seats are stuck.
func (p *rows[T]) roll(rolling []int32, states []State, dice []rand.PCG, players []game.Player) (stuck []int32) {
	stuck = p.ended
	n := 0
	for _, i := range rolling {
		s := &states[i]
		aside := foursOf(&s.Aside)
		free := p.r.cfg.Dice - int(s.Aside[tank]) - aside.total()
		samples := p.r.columns[free]
		k, within := bits.Mul64(dice[i].Uint64(), uint64(len(samples)))
		x := &samples[k]
		roll, other := x.own, x.alias
		if within >= x.keep {
			roll = other
		}
		s.Aside[tank] += uint8(free - roll.total())
		roll.put(&s.Roll)
		s.Phase = Select
		players[i] = game.Player(s.Seat)
		stuck[n] = i
		n += int(bit(choices(aside, roll) == 0))
	}
	return stuck[:n]
}
