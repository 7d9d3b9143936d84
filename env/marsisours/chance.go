package marsisours

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"marsgym/env/game"
	"marsgym/internal/random"
)

const faces = 6

// pow6 holds the number of ordered results of k dice.
var pow6 = [maxAttack + 1]int{1, 6, 36, 216, 1296}

// lower counts the ordered results of k dice that all show less than n.
func lower(k, n int) int {
	p := 1
	for range k {
		p *= n - 1
	}
	return p
}

// Outcomes implements [game.Rules].
func (r *Rules) Outcomes(dst []game.Outcome[State], s State) []game.Outcome[State] {
	from := len(dst)
	add := func(next State, p float64) {
		if p == 0 {
			return
		}
		for i := range dst[from:] {
			if dst[from+i].State == next {
				dst[from+i].Prob += p
				return
			}
		}
		dst = append(dst, game.Outcome[State]{State: next, Prob: p})
	}
	switch s.Phase {
	case Laying:
		left, total := r.tilesLeft(&s)
		for k, n := range left[:len(r.pool.kinds)] {
			for turn := range r.pool.quarters {
				next := s
				r.layUnit(&next, k, turn)
				add(next, float64(n)/float64(total*r.pool.quarters))
			}
		}
	case Drawing:
		for p := range r.cfg.Players {
			next := s
			r.startGame(&next, p)
			add(next, 1/float64(r.cfg.Players))
		}
	case Rolling, Rerolling:
		r.attackResults(&s, func(next State, p float64, _ int, _ bool) { add(next, p) })
	case Scoring:
		for die := 1; die <= faces; die++ {
			next := s
			r.scoreDie(&next, die)
			add(next, 1./faces)
		}
	}
	return dst
}

// attackResults calls yield with the results of an attack: the state after it, its
// probability, the defender's die, and whether the attack is won. Several may lead to the
// same state, and some have the probability 0.
func (r *Rules) attackResults(s *State, yield func(next State, p float64, die int, won bool)) {
	k := int(s.Attackers)
	lo, hi := 1, faces
	if s.Die > 0 {
		lo, hi = int(s.Die), int(s.Die)
	}
	for die := lo; die <= hi; die++ {
		short := float64(lower(k, r.defence(s, die))) / float64(pow6[k])
		won, lost := *s, *s
		r.resolveAttack(&won, die, true)
		r.resolveAttack(&lost, die, false)
		yield(won, (1-short)/float64(hi-lo+1), die, true)
		yield(lost, short/float64(hi-lo+1), die, false)
	}
}

// OutcomeName implements [game.Presenter]: the terrain of a tile, cell by cell; the
// seat that starts; "won" or "lost" with the defender's die; or the die of the scoring.
// Of several dice with the same effect it is the lowest.
func (r *Rules) OutcomeName(s, next State) string {
	name := ""
	switch s.Phase {
	case Laying:
		for _, c := range r.board.units[s.Place] {
			name += string(r.groundLetter(&next, int(c)))
		}
	case Drawing:
		name = strconv.Itoa(int(next.Start))
	case Rolling, Rerolling:
		r.attackResults(&s, func(result State, p float64, die int, won bool) {
			if name == "" && p > 0 && result == next {
				name = fmt.Sprintf("%s%d", map[bool]string{true: "won", false: "lost"}[won], die)
			}
		})
	case Scoring:
		for die := faces; die >= 1; die-- {
			result := s
			if r.scoreDie(&result, die); result == next {
				name = strconv.Itoa(die)
			}
		}
	}
	return name
}

// Sample implements [game.Sampler].
func (r *Rules) Sample(s State, dice *rand.PCG) State {
	r.sample(&s, dice)
	return s
}

func (r *Rules) sample(s *State, dice *rand.PCG) {
	switch s.Phase {
	case Laying:
		left, total := r.tilesLeft(s)
		n, k := random.Below(dice, total), 0
		for n >= left[k] {
			n -= left[k]
			k++
		}
		r.layUnit(s, k, random.Below(dice, r.pool.quarters))
	case Drawing:
		r.startGame(s, random.Below(dice, r.cfg.Players))
	case Rolling, Rerolling:
		k, die := int(s.Attackers), int(s.Die)
		if die == 0 {
			die = random.Below(dice, faces) + 1
		}
		r.resolveAttack(s, die, random.Below(dice, pow6[k]) >= lower(k, r.defence(s, die)))
	case Scoring:
		r.scoreDie(s, random.Below(dice, faces)+1)
	}
}

// code returns the terrain of a unit, two bits for each quarter.
func (u unit) code(s *State) (code int) {
	for i, c := range u {
		code |= s.terrainAt(int(c)) << (2 * i)
	}
	return code
}

// tilesLeft counts the tiles of each kind that are not laid yet.
func (r *Rules) tilesLeft(s *State) (left [maxKinds]int, total int) {
	for k := range r.pool.kinds {
		left[k] = r.pool.kinds[k].copies
	}
	for i := range r.board.units[:s.Place] {
		left[r.pool.kindOf[r.board.units[i].code(s)]]--
	}
	return left, r.pool.size - int(s.Place)
}

// layUnit lays a tile of kind k, turned by turn quarters. After the last tile the
// stations hide the terrain below them.
func (r *Rules) layUnit(s *State, k, turn int) {
	code := int(r.pool.kinds[k].code)
	for range turn {
		code = r.pool.rotate(code)
	}
	for i, c := range r.board.units[s.Place] {
		set(&s.Terrain, int(c), code>>(2*i)&3)
	}
	if s.Place++; int(s.Place) == len(r.board.units) {
		s.Phase, s.Place = Drawing, 0
		s.Terrain[0] &= r.board.standable
		s.Terrain[1] &= r.board.standable
	}
}

// startGame gives the starter's marker to seat p, and every seat its tokens and
// robots.
func (r *Rules) startGame(s *State, p int) {
	s.Start = uint8(p)
	next := s.Start
	for i := range r.cfg.Players {
		seat := &s.Seats[next]
		next = game.NextSeat(next, r.cfg.Players)
		seat.Hand, seat.Junk = uint8(r.cfg.StartHand), uint8(r.cfg.StartJunk)
		if !r.fast {
			seat.Tokens = uint8(firstToken - i)
			if r.cfg.LastHasFour && i == r.cfg.Players-1 {
				seat.Tokens = lastToken
			}
		}
	}
	if r.fast {
		s.Phase, s.Mover = Acting, s.Start
		return
	}
	r.tell(s, "start")
	r.startRound(s)
}

// defender returns the seat under attack.
func (s *State) defender() int {
	p, _ := s.owner(int(s.Place))
	return p
}

// defence returns the defender's die, with the shield lab raised.
func (r *Rules) defence(s *State, die int) int {
	if r.hasLab(s, s.defender(), shield) {
		return min(faces, die+shieldPlus)
	}
	return die
}

// resolveAttack ends an attack in which the defender rolled die, unless the drill lab
// allows another roll.
func (r *Rules) resolveAttack(s *State, die int, won bool) {
	switch {
	case won:
		r.winAttack(s, die)
	case s.Phase == Rolling && r.hasLab(s, int(s.Mover), drill):
		s.Phase = Missed
		if !r.cfg.DrillRerollsDefender {
			s.Die = uint8(die)
		}
	default:
		r.loseAttack(s)
	}
}

// winAttack puts a robot of the attacker in the place of the beaten robot, which goes
// back to its owner's hand. The owner gets as many tokens as it rolled.
func (r *Rules) winAttack(s *State, die int) {
	p, q, place := int(s.Mover), s.defender(), int(s.Place)
	me, you := &s.Seats[p], &s.Seats[q]
	if me.Junk > 0 && !r.cfg.CaptureFromHand {
		me.Junk--
	} else {
		me.Hand--
	}
	s.Robots[q] &^= 1 << place
	r.put(s, p, place)
	you.Hand++
	if !r.fast {
		r.gain(s, q, die)
		if place == firstLab+rocket && r.cfg.RocketBonusOnCapture {
			r.gain(s, p, rocketGift)
		}
	}
	r.tell(s, "attack")
	r.endAttack(s)
}

// loseAttack sends a robot from the attacker's hand to the junkyard, or in the quick
// game out of the game.
func (r *Rules) loseAttack(s *State) {
	me := &s.Seats[s.Mover]
	me.Hand--
	if !r.fast {
		me.Junk++
	}
	r.tell(s, "attack")
	r.endAttack(s)
}

// endAttack clears the attack and ends the turn.
func (r *Rules) endAttack(s *State) {
	s.Place, s.Attackers, s.Die = 0, 0, 0
	r.nextTurn(s)
}

// scoreDie scores an alchemy die of the first seat that has one.
func (r *Rules) scoreDie(s *State, die int) {
	for p := range s.Seats {
		if seat := &s.Seats[p]; seat.Dice > 0 {
			seat.Dice--
			seat.Money += uint16(die)
			r.tell(s, "alchemy die")
			break
		}
	}
	r.score(s)
}
