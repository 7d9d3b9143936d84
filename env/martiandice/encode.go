package martiandice

import (
	"math"

	"marsgym/env/game"
)

// layout has the index at which each field of an observation starts. All fields but
// two are one-hot: a network learns one weight for each score and each number of dice.
// The total, the margin and the tanks less the rays follow from other fields, but with
// them networks reach two thirds of the exploitability after the same number of
// decisions.
type layout struct {
	fields []game.Field

	score, order, mover, phase, tied  int
	tanks, rays, earthlings, held     int
	free, points, rolled, roundsLeft  int
	total, margin, danger             int
	scores, dice, pointsLen, observed int
}

func newLayout(cfg Config) layout {
	l := layout{scores: cfg.maxScore() + 1, dice: cfg.Dice + 1, pointsLen: cfg.maxPoints() + 1}
	add := func(name string, n int, scales ...int) int {
		at := l.observed
		l.fields = append(l.fields, game.Field{Name: name, Len: n, Scales: scales})
		l.observed += n
		return at
	}
	p := cfg.Players
	l.score = add("score by seat from the viewer's", p*l.scores)
	l.order = add("viewer's place in the round", p)
	l.mover = add("seat whose turn it is, from the viewer's", p)
	l.phase = add("phase", int(Over)+1)
	l.tied = add("tied or winning seats, from the viewer's", p)
	l.tanks = add("tanks aside", l.dice)
	l.rays = add("rays aside", l.dice)
	l.earthlings = add("earthlings aside", l.dice)
	l.held = add("earthling types aside", 3)
	l.free = add("dice not aside", l.dice)
	l.points = add("points if the turn ends", l.pointsLen)
	l.rolled = add("rays and selectable earthlings rolled, over dice", 4, cfg.Dice)
	l.total = add("score of whose turn it is, if it ends", l.scores)
	l.margin = add("score of whose turn it is, if it ends, less the best other", 2*l.scores-1)
	l.danger = add("tanks less rays aside", 2*l.dice-1)
	if cfg.MaxRounds > 0 {
		l.roundsLeft = add("share of rounds left", 1, cfg.MaxRounds)
	}
	return l
}

// Encode implements [game.Rules].
func (r *Rules) Encode(dst []float32, s State, p game.Player) {
	clear(dst)
	var numbers [64]game.Element // more than there are
	for _, e := range r.EncodeSparse(numbers[:0], s, p) {
		dst[e.Index] = e.Value
	}
}

// Codes implements [game.CompactEncoder].
func (r *Rules) Codes() (*game.Codes, error) { return r.codes, nil }

// newCodes returns the codes: only the rounds left can be above 255.
func (r *Rules) newCodes() *game.Codes {
	codes, err := game.NewCodes(r.spec, func(i int) bool { return r.wideRounds() && i == r.lay.roundsLeft }, nil)
	if err != nil {
		panic("martiandice: " + err.Error()) // all numbers are counts
	}
	return codes
}

// wideRounds reports whether the code of the rounds left takes two bytes.
func (r *Rules) wideRounds() bool { return r.cfg.MaxRounds > math.MaxUint8 }

// EncodeCompact implements [game.CompactEncoder].
func (r *Rules) EncodeCompact(dst []uint8, s State, p game.Player) {
	var numbers [64]game.Element // more than there are
	clear(dst)
	for _, x := range r.EncodeSparse(numbers[:0], s, p) {
		r.codes.PutNumber(dst, int(x.Index), x.Value)
	}
}

// EncodeSparse implements [game.SparseEncoder]. It encodes only the number and the types
// of the earthlings set aside, since nothing else about them matters later. For the same
// reason it omits the turns already taken in solitaire.
func (r *Rules) EncodeSparse(dst []game.Element, s State, p game.Player) []game.Element {
	l, players := &r.lay, r.cfg.Players
	one := func(index int) { dst = append(dst, game.Element{Index: int32(index), Value: 1}) }
	number := func(index int, x float32) {
		if x != 0 {
			dst = append(dst, game.Element{Index: int32(index), Value: x})
		}
	}
	seat := int(p) // of each place from the viewer's on
	next := func() {
		if seat++; seat == players {
			seat = 0
		}
	}
	for i := range players {
		one(l.score + i*l.scores + int(s.Score[seat]))
		next()
	}
	if s.Phase >= Drawing {
		one(l.phase + int(s.Phase))
		for i := range players {
			if s.Tied>>seat&1 == 1 {
				one(l.tied + i)
			}
			next()
		}
		if r.cfg.MaxRounds > 0 {
			number(l.roundsLeft, r.roundsLeft(&s))
		}
		return dst
	}
	relative := func(a, b int) int {
		if a < b {
			a += players
		}
		return a - b
	}
	one(l.order + relative(int(p), int(s.Start)))
	one(l.mover + relative(int(s.Seat), int(p)))
	one(l.phase + int(s.Phase))
	one(l.tanks + int(s.Aside[tank]))
	one(l.rays + int(s.Aside[ray]))
	earthlings := int(s.Aside[human] + s.Aside[cow] + s.Aside[chicken])
	one(l.earthlings + earthlings)
	for t := human; t <= chicken; t++ {
		if s.Aside[t] > 0 {
			one(l.held + int(t-human))
		}
	}
	one(l.free + r.free(&s))
	points := r.turnPoints(s.Aside)
	one(l.points + points)
	number(l.rolled, float32(s.Roll[ray])/float32(r.cfg.Dice))
	for t := human; t <= chicken; t++ {
		if s.Aside[t] == 0 {
			number(l.rolled+1+int(t-human), float32(s.Roll[t])/float32(r.cfg.Dice))
		}
	}
	total, best := int(s.Score[s.Seat])+points, 0
	for i, n := range s.Score[:players] {
		if i != int(s.Seat) {
			best = max(best, int(n))
		}
	}
	one(l.total + total)
	one(l.margin + l.scores - 1 + total - best)
	one(l.danger + r.cfg.Dice + int(s.Aside[tank]) - int(s.Aside[ray]))
	if r.cfg.MaxRounds > 0 {
		number(l.roundsLeft, r.roundsLeft(&s))
	}
	return dst
}

// roundsLeft returns the share of rounds left, in games with a limit.
func (r *Rules) roundsLeft(s *State) float32 {
	return float32(r.cfg.MaxRounds-int(s.Count)) / float32(r.cfg.MaxRounds)
}
