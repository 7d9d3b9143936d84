package martiandice

import (
	"math/bits"
	"math/rand/v2"

	"marsgym/env/game"
)

// packed are Counts in one word, a byte for each type from the lowest: what is done
// to all types is then a few operations.
type packed uint64

const (
	ones    packed = 0x01_01_01_01_01
	sevens         = 0x7f * ones
	highs          = 0x80 * ones
	rayHigh packed = 0x80 << (8 * ray)
)

func pack(c *Counts) packed {
	return packed(c[0]) | packed(c[1])<<8 | packed(c[2])<<16 | packed(c[3])<<24 | packed(c[4])<<32
}

func (w packed) counts() Counts {
	return Counts{uint8(w), uint8(w >> 8), uint8(w >> 16), uint8(w >> 24), uint8(w >> 32)}
}

// of returns the count of a type.
func (w packed) of(t int) int { return int(w >> (8 * t) & 0xff) }

// total returns the sum of the counts.
func (w packed) total() int { return int(w * ones >> 32 & 0xff) }

// some has the high bit of each byte set whose count, below 128, is not zero.
func (w packed) some() packed { return (w + sevens) & highs }

// choices has the high bit of each type set that can be set aside.
func choices(aside, roll packed) packed { return roll.some() &^ (aside.some() &^ rayHigh) }

// legalBits has a bit for each legal action of a decision.
func (p *rows) legalBits(phase Phase, aside, roll packed) uint32 {
	// The product moves the bits of four bytes next to each other.
	list := uint32(choices(aside, roll)>>15&0x01010101*0x01020408>>24)&0xf | p.stopFirst
	if phase == Decide {
		list = 1<<Roll | 1<<Stop
	}
	return list
}

// takes has, for each action, the byte of the type that it sets aside.
var takes = [actions]packed{Rays: 0xff << 8, Humans: 0xff << 16, Cows: 0xff << 24, Chickens: 0xff << 32}

// sampleColumn is a column of an alias table whose results are packed.
type sampleColumn struct {
	keep       uint64
	own, alias packed
}

// rows plays all rows of a batch.
type rows struct {
	r         *Rules
	stopFirst uint32           // the bit of Stop if it is legal before a choice
	draw      [][]sampleColumn // [dice+1]
	ended     []int32          // [N] scratch: the rows whose turn has ended
	rolling   []int32          // [N] scratch: those that roll
	overDice  [maxDice + 1]float32
}

// NewRows implements [game.RowPlayer].
func (r *Rules) NewRows(n int) game.Rows[State] {
	p := &rows{r: r, ended: make([]int32, n), rolling: make([]int32, n)}
	if r.cfg.AllowStopBeforeSelect {
		p.stopFirst = 1 << Stop
	}
	for i := range p.overDice {
		p.overDice[i] = float32(i) / float32(r.cfg.Dice)
	}
	for k, t := range r.rolls.draw {
		list := make([]sampleColumn, t.Len())
		for i := range list {
			keep, alias := t.Column(i)
			list[i] = sampleColumn{keep, pack(&r.results[k][i].Counts), pack(&r.results[k][alias].Counts)}
		}
		p.draw = append(p.draw, list)
	}
	return p
}

// Step implements [game.Rows]. Rows that end their turn, and those that roll, are
// listed first and then handled together, since which they are cannot be predicted.
func (p *rows) Step(states []State, act []game.Action, dice []rand.PCG, players []game.Player) int {
	n := len(states)
	act, players, dice = act[:n], players[:n], dice[:n]
	legal := uint32(1)
	for i := range states {
		s := &states[i]
		legal &= p.legalBits(s.Phase, pack(&s.Aside), pack(&s.Roll)) >> uint32(act[i])
	}
	if legal == 0 {
		for i := range states {
			s := &states[i]
			if p.legalBits(s.Phase, pack(&s.Aside), pack(&s.Roll))>>uint32(act[i])&1 == 0 {
				return i
			}
		}
	}
	ended, rolling := 0, 0
	for i := range states {
		s, a := &states[i], act[i]
		aside := pack(&s.Aside) + pack(&s.Roll)&takes[uint(a)%uint(actions)]
		s.Aside, s.Roll = aside.counts(), Counts{}
		end, roll := uint8(0), uint8(0)
		if aside.total() == p.r.cfg.Dice {
			end = 1
		}
		if a == Roll {
			end, roll = 0, 1
		}
		if a == Stop {
			end = 1
		}
		s.Phase = Decide - Phase(2*roll) // Rolling if the seat rolls
		p.ended[ended] = int32(i)
		p.rolling[rolling] = int32(i)
		ended += int(end)
		rolling += int(roll)
	}
	for _, i := range p.ended[:ended] {
		p.r.endTurn(&states[i])
		p.rolling[rolling] = i
		rolling++
	}
	p.settle(p.rolling[:rolling], states, dice, players)
	return -1
}

// settle samples chance in the listed rows until a seat is to move or the game is over.
func (p *rows) settle(list []int32, states []State, dice []rand.PCG, players []game.Player) {
	for range p.r.spec.ChanceLimit() {
		left := 0
		for _, i := range list {
			s := &states[i]
			if s.Phase != Rolling {
				if s.Phase != Over {
					*s = p.r.Sample(*s, &dice[i])
					list[left] = i
					left++
				}
				players[i] = p.r.CurrentPlayer(*s)
				continue
			}
			aside := pack(&s.Aside)
			columns := p.draw[p.r.cfg.Dice-aside.total()]
			k, within := bits.Mul64(dice[i].Uint64(), uint64(len(columns)))
			c := &columns[k]
			roll := c.own
			if within >= c.keep {
				roll = c.alias
			}
			aside += roll & 0xff
			roll &^= 0xff
			s.Aside, s.Roll, s.Phase = aside.counts(), roll.counts(), Select
			players[i] = game.Player(s.Seat)
			if choices(aside, roll) == 0 {
				p.r.endTurn(s)
				players[i] = game.Chance
				list[left] = i
				left++
			}
		}
		if list = list[:left]; left == 0 {
			return
		}
	}
}

// relabelling lists the relabels of an order, nil where it is the identity, and the
// bytes at which it finds the types of the representative.
type relabelling struct {
	relabel []game.Action
	from    [3]uint8
}

var relabellings = func() (list [8]relabelling) {
	for i := range list {
		for j := range 3 {
			list[i].from[j] = uint8(8 * diceType(relabels[i][int(Humans)+j]))
		}
		if i != 0b111 {
			list[i].relabel = relabels[i][:]
		}
	}
	return list
}()

// Show implements [game.Rows].
func (p *rows) Show(states []State, players []game.Player, shown []State, relabel [][]game.Action, obs []float32, mask []bool) {
	l, d := &p.r.lay, p.r.lay.observed
	for i := range states {
		s := &states[i]
		aside, roll := pack(&s.Aside), pack(&s.Roll)
		taken := aside.some() >> 7
		key := func(t int) int { return taken.of(t)<<8 | roll.of(t) }
		h, c, k := key(human), key(cow), key(chicken)
		o := &relabellings[(bit(h >= c)|bit(c >= k)<<1|bit(h >= k)<<2)&7]
		low, rolled := aside&0xffff, roll&0xffff
		for j, from := range o.from {
			low |= aside >> (from & 63) & 0xff << (16 + 8*j)
			rolled |= roll >> (from & 63) & 0xff << (16 + 8*j)
		}
		aside, roll = low, rolled
		// The first type gets all but one of each other type.
		others := aside & (0xffff << 24)
		kept := others.some() >> 7
		aside += packed((others-kept).total())<<16 - (others - kept)

		out := &shown[i]
		*out = *s
		out.Aside, out.Roll = aside.counts(), roll.counts()
		relabel[i] = o.relabel
		p.encode(obs[i*d:][:d:d], l, out, aside, roll)
		list := p.legalBits(s.Phase, aside, roll)
		row := (*[actions]bool)(mask[i*int(actions):])
		for a := range row {
			row[a] = list>>a&1 == 1
		}
	}
}

// encode is Encode of a decision, seen by the seat that decides.
func (p *rows) encode(dst []float32, l *layout, s *State, aside, roll packed) {
	clear(dst)
	cfg := &p.r.cfg
	players := cfg.Players
	seat, best := int(s.Seat), 0
	own := int(s.Score[seat])
	dst[l.score+own] = 1
	for k := 1; k < players; k++ {
		if seat++; seat == players {
			seat = 0
		}
		n := int(s.Score[seat])
		best = max(best, n)
		dst[l.score+k*l.scores+n] = 1
	}
	dst[l.phase+int(s.Phase)] = 1
	if cfg.MaxRounds > 0 {
		dst[l.roundsLeft] = float32(cfg.MaxRounds-int(s.Count)) / float32(cfg.MaxRounds)
	}
	place := int(s.Seat) - int(s.Start)
	if place < 0 {
		place += players
	}
	dst[l.order+place] = 1
	dst[l.mover] = 1
	taken := aside.some() >> 7
	for t := human; t <= chicken; t++ {
		dst[l.held+t-human] = float32(taken.of(t))
		dst[l.rolled+1+t-human] = p.overDice[roll.of(t)*(1-taken.of(t))]
	}
	tanks, rays := aside.of(tank), aside.of(ray)
	earthlings := (aside >> 16).total()
	dst[l.tanks+tanks] = 1
	dst[l.rays+rays] = 1
	dst[l.earthlings+earthlings] = 1
	dst[l.free+cfg.Dice-aside.total()] = 1
	points := earthlings
	if taken>>16 == ones>>16 {
		points += cfg.Bonus
	}
	if tanks > rays {
		points = 0
	}
	dst[l.points+points] = 1
	dst[l.total+own+points] = 1
	dst[l.margin+l.scores-1+own+points-best] = 1
	dst[l.danger+cfg.Dice+tanks-rays] = 1
	dst[l.rolled] = p.overDice[roll.of(ray)]
}
