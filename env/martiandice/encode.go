package martiandice

import "marsgym/env/game"

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
	add := func(name string, n int) int {
		at := l.observed
		l.fields = append(l.fields, game.Field{Name: name, Len: n})
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
	l.rolled = add("rays and selectable earthlings rolled, over dice", 4)
	l.total = add("score of whose turn it is, if it ends", l.scores)
	l.margin = add("score of whose turn it is, if it ends, less the best other", 2*l.scores-1)
	l.danger = add("tanks less rays aside", 2*l.dice-1)
	if cfg.MaxRounds > 0 {
		l.roundsLeft = add("share of rounds left", 1)
	}
	return l
}

// Encode implements [game.Rules]. It encodes only the number and the types of the
// earthlings set aside, since nothing else about them matters later. For the same
// reason it omits the turns already taken in solitaire.
func (r *Rules) Encode(dst []float32, s State, p game.Player) {
	l, players := &r.lay, r.cfg.Players
	clear(dst)
	relative := func(seat int) int {
		if seat -= int(p); seat < 0 {
			seat += players
		}
		return seat
	}
	for i := range players {
		dst[l.score+relative(i)*l.scores+int(s.Score[i])] = 1
	}
	dst[l.phase+int(s.Phase)] = 1
	if r.cfg.MaxRounds > 0 {
		dst[l.roundsLeft] = r.roundsLeft(&s)
	}
	if s.Phase >= Drawing {
		for i := range players {
			if s.Tied>>i&1 == 1 {
				dst[l.tied+relative(i)] = 1
			}
		}
		return
	}
	place := int(p) - int(s.Start)
	if place < 0 {
		place += players
	}
	dst[l.order+place] = 1
	dst[l.mover+relative(int(s.Seat))] = 1
	earthlings := 0
	for t := human; t <= chicken; t++ {
		if s.Aside[t] > 0 {
			earthlings += int(s.Aside[t])
			dst[l.held+t-human] = 1
		} else {
			dst[l.rolled+1+t-human] = float32(s.Roll[t]) / float32(r.cfg.Dice)
		}
	}
	dst[l.tanks+int(s.Aside[tank])] = 1
	dst[l.rays+int(s.Aside[ray])] = 1
	dst[l.earthlings+earthlings] = 1
	dst[l.free+r.free(&s)] = 1
	points := r.turnPoints(s.Aside)
	dst[l.points+points] = 1
	total, best := int(s.Score[s.Seat])+points, 0
	for i, n := range s.Score[:players] {
		if i != int(s.Seat) {
			best = max(best, int(n))
		}
	}
	dst[l.total+total] = 1
	dst[l.margin+l.scores-1+total-best] = 1
	dst[l.danger+r.cfg.Dice+int(s.Aside[tank])-int(s.Aside[ray])] = 1
	dst[l.rolled] = float32(s.Roll[ray]) / float32(r.cfg.Dice)
}

// roundsLeft returns the element of that name.
func (r *Rules) roundsLeft(s *State) float32 {
	return float32(r.cfg.MaxRounds-int(s.Count)) / float32(r.cfg.MaxRounds)
}
