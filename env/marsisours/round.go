package marsisours

import (
	"math/bits"

	"marsgym/env/game"
)

// startRound starts a round: maintenance, supply, and the starter's first turn.
func (r *Rules) startRound(s *State) {
	s.Round++
	r.tell(s, "")
	if r.cfg.SupplyFirst {
		r.supply(s)
		r.maintain(s)
	} else {
		r.maintain(s)
		r.supply(s)
	}
	s.Mover, s.Passed = s.Start, 0
	if !r.startTurn(s) {
		r.nextTurn(s)
	}
}

// maintain moves lying robots to the junkyard and lays standing ones down.
func (r *Rules) maintain(s *State) {
	within := ^uint64(allLabs)
	if r.cfg.MaintenanceLabs {
		within = ^uint64(0)
	}
	for p := range r.cfg.Players {
		lying := s.Robots[p] &^ s.Standing & within
		s.Robots[p] &^= lying
		s.Seats[p].Junk += uint8(bits.OnesCount64(lying))
	}
	s.Standing &^= within
	r.tell(s, "maintenance")
}

// supply moves robots from the junkyards to the hands.
func (r *Rules) supply(s *State) {
	for p := range r.cfg.Players {
		r.retrieve(s, p, supply)
	}
	r.tell(s, "supply")
}

// retrieve moves up to n robots of a seat from the junkyard to its hand.
func (r *Rules) retrieve(s *State, p, n int) {
	seat := &s.Seats[p]
	n = min(n, int(seat.Junk))
	seat.Junk -= uint8(n)
	seat.Hand += uint8(n)
}

// nextTurn starts the turn of the next seat with a decision, or ends the action phase
// when all have passed.
func (r *Rules) nextTurn(s *State) {
	if r.fast {
		r.nextFastTurn(s)
		return
	}
	for s.Passed != r.all {
		s.Mover = game.NextSeat(s.Mover, r.cfg.Players)
		if r.startTurn(s) {
			return
		}
	}
	s.Passed = 0
	r.income(s)
}

// startTurn starts the turn of the mover and reports whether it has a decision.
func (r *Rules) startTurn(s *State) bool {
	bit, bonus := uint8(1)<<s.Mover, r.cfg.PassBonusRepeats
	if s.Passed&bit == 0 {
		if !r.cfg.AutoPass || s.Seats[s.Mover].Hand > 0 {
			s.Phase = Acting
			return true
		}
		s.Passed |= bit
		bonus = r.cfg.PassBonusOnPass
	}
	return bonus && r.passBonus(s)
}

// passBonus gives the mover, which has passed, a token, and reports whether it may lay
// a robot down: whether one stands.
func (r *Rules) passBonus(s *State) bool {
	r.gain(s, int(s.Mover), 1)
	r.tell(s, "passed")
	s.Phase = LayDown
	return s.Standing != 0
}

// nextFastTurn is nextTurn of the quick game, which ends when no seat can place or
// attack.
func (r *Rules) nextFastTurn(s *State) {
	s.Phase = Acting
	if s.Passed>>(1-s.Mover)&1 == 0 {
		s.Mover = 1 - s.Mover
	}
	if !r.canAct(s, int(s.Mover)) && !r.canAct(s, int(1-s.Mover)) {
		s.Phase, s.Mover, s.Passed = Over, 0, 0
	} else if r.cfg.AutoPass && s.Seats[s.Mover].Hand == 0 {
		s.Passed |= 1 << s.Mover
		s.Mover = 1 - s.Mover
	}
}

// canAct reports whether a seat of the quick game can still place or attack (M26). It can
// where a cell beside an own robot is empty or another's.
func (r *Rules) canAct(s *State, p int) bool {
	return s.Passed>>p&1 == 0 && s.Seats[p].Hand > 0 &&
		(r.board.neighboursOf(s.Robots[p])&r.board.standable&^s.Robots[p] != 0 || r.reach(s, p) != 0)
}

// terrainCells returns the cells of each terrain that robots can stand on.
func (r *Rules) terrainCells(s *State) [terrains]uint64 {
	lo, hi, land := s.Terrain[0], s.Terrain[1], r.board.standable&^r.board.stone
	return [terrains]uint64{
		gem: land &^ (lo | hi), soda: land & lo &^ hi, metal: land & hi &^ lo, turf: land & lo & hi,
		stone: r.board.stone & r.board.standable,
	}
}

// robotsOn counts the robots of seat p that count on each kind of ground.
func (r *Rules) robotsOn(s *State, p int, grounds *[terrains]uint64) (count [terrains]uint8) {
	robots := s.Robots[p]
	if !r.cfg.LyingCounts {
		robots &= s.Standing
	}
	for t, ground := range grounds {
		count[t] = uint8(bits.OnesCount64(robots & ground))
	}
	return count
}

// robotsByGround is robotsOn for each seat.
func (r *Rules) robotsByGround(s *State) (count [maxSeats][terrains]uint8) {
	grounds := r.terrainCells(s)
	for p := range r.cfg.Players {
		count[p] = r.robotsOn(s, p, &grounds)
	}
	return count
}

// income raises the tracks and pays for the ground, up to the first decision.
func (r *Rules) income(s *State) {
	count := r.robotsByGround(s)
	for t := range products {
		r.produce(s, &count, t)
		r.tell(s, productionSteps[t])
	}
	if r.cfg.TaxFirst {
		r.tax(s)
	}
	for p := range r.cfg.Players {
		kinds := 0
		for t, n := range count[p] {
			if n > 0 && (t != stone || r.cfg.IncomeCountsStone) {
				kinds++
			}
		}
		r.gain(s, p, kinds)
		s.Seats[p].Money += stonePay * uint16(count[p][stone])
	}
	r.tell(s, "income")
	s.Mover = s.Start
	r.startCashing(s)
}

// produce raises the track of a product for the seats with most robots on its ground:
// a sole first by two and then a sole second by one, tied firsts by one each.
func (r *Rules) produce(s *State, count *[maxSeats][terrains]uint8, t int) {
	var first, second uint8
	var firsts, seconds int
	for p := range r.cfg.Players {
		switch n := count[p][t]; {
		case n > first:
			second, seconds = first, firsts
			first, firsts = n, 1
		case n == first:
			firsts++
		case n > second:
			second, seconds = n, 1
		case n == second:
			seconds++
		}
	}
	if first == 0 {
		return
	}
	for p := range r.cfg.Players {
		up := uint8(0)
		switch n := count[p][t]; {
		case n == first && firsts == 1:
			up = 2
		case n == first, n == second && n > 0 && firsts == 1 && seconds == 1:
			up = 1
		}
		track := &s.Seats[p].Track[t]
		*track = min(*track+up, uint8(r.levels-1))
	}
}

// startCashing lets the mover, or the next seat that has products, trade them.
func (r *Rules) startCashing(s *State) {
	for s.Seats[s.Mover].Track == [products]uint8{} {
		s.Mover = game.NextSeat(s.Mover, r.cfg.Players)
		if s.Mover == s.Start {
			r.endCashing(s)
			return
		}
	}
	s.Phase = Cashing
}

// cash trades all of a product.
func (r *Rules) cash(s *State, p, t int) {
	seat := &s.Seats[p]
	w := &r.rewards[t][seat.Track[t]]
	seat.Track[t] = 0
	seat.Money += uint16(w.Money)
	seat.Dice += uint8(min(w.Dice, s.diceLeft()))
	r.retrieve(s, p, w.Robots)
	r.gain(s, p, w.Tokens)
}

// endCashing taxes the leader and goes on to the buying.
func (r *Rules) endCashing(s *State) {
	if !r.cfg.TaxFirst {
		r.tax(s)
	}
	r.startBuying(s)
}

// startBuying lets the owner of the vacuum lab buy dice, or ends the round.
func (r *Rules) startBuying(s *State) {
	if p, ok := s.owner(firstLab + vacuum); ok && r.hasLab(s, p, vacuum) {
		s.Phase, s.Mover = Buying, uint8(p)
		if r.affordable(s) > 0 {
			return
		}
	}
	r.endRound(s)
}

// tax makes a sole leader pay for its standing robots, first with tokens, then with
// money.
func (r *Rules) tax(s *State) {
	if p, ok := r.leader(s); ok {
		seat := &s.Seats[p]
		due := bits.OnesCount64(s.Robots[p] & s.Standing)
		tokens := min(due, int(seat.Tokens))
		seat.Tokens -= uint8(tokens)
		seat.Money -= uint16(min(due-tokens, int(seat.Money)))
	}
	r.tell(s, "tax")
}

// leader returns the seat with most money, if it is only one.
func (r *Rules) leader(s *State) (p int, ok bool) {
	for q := 1; q < r.cfg.Players; q++ {
		if s.Seats[q].Money > s.Seats[p].Money {
			p = q
		}
	}
	for q := range r.cfg.Players {
		if q != p && s.Seats[q].Money == s.Seats[p].Money {
			return 0, false
		}
	}
	return p, true
}

// endRound goes on to the naming of the next starter, or after the last round to the
// scoring.
func (r *Rules) endRound(s *State) {
	if s.Round < lastRound {
		s.Phase, s.Mover = Naming, s.Start
		if p, ok := r.leader(s); ok && r.cfg.StartBy == ByLeader {
			s.Mover = uint8(p)
		}
		return
	}
	for p := range r.cfg.Players {
		seat := &s.Seats[p]
		seat.Money += uint16(seat.Tokens) + uint16(seat.Hand)
	}
	r.tell(s, "tokens and robots in hand")
	s.Mover, s.Start = 0, 0
	r.score(s)
}

// score ends the game when no alchemy die is left.
func (r *Rules) score(s *State) {
	s.Phase = Scoring
	if s.diceLeft() == poolDice {
		s.Phase = Over
	}
}
