package marsisours

import (
	"fmt"
	"math/bits"
	"strings"

	"marsgym/env/game"
)

// actions holds the first index of each kind of action. Actions from 0 on place a
// robot on one of the F cells that robots can stand on, or in a lab.
type actions struct {
	cells  int // F
	attack int // a cell, with 1 to 4 robots; then a lab, with one
	pass   int
	down   int // lay a robot down, by place
	skip   int // lay none down, where that is optional
	reroll int // roll again; then: do not
	cash   int // trade a set of products, as bits
	buy    int // 0 to 3 dice
	name   int // a seat, in the order of play from the mover
	n      int
}

const mostDice = maxTokens / dicePrice

func newActions(r *Rules) actions {
	f, places := len(r.board.free), len(r.place)
	a := actions{cells: f, attack: places}
	a.pass = a.attack + maxAttack*f + places - f
	a.down = a.pass + 1
	if r.fast {
		a.skip, a.reroll, a.cash, a.buy, a.name, a.n = a.down, a.down, a.down, a.down, a.down, a.down
		return a
	}
	a.skip = a.down + places
	a.reroll = a.skip
	if r.cfg.LaydownOptional {
		a.reroll++
	}
	a.cash = a.reroll + 2
	a.buy = a.cash + 1<<products
	a.name = a.buy + mostDice + 1
	a.n = a.name + r.cfg.Players
	return a
}

// target returns the slot that attack x attacks, and the number of attacking robots.
func (a *actions) target(x int) (slot, robots int) {
	if x -= a.attack; x < maxAttack*a.cells {
		return x / maxAttack, x%maxAttack + 1
	}
	return x - (maxAttack-1)*a.cells, 1
}

// Legal implements [game.Rules].
func (r *Rules) Legal(dst []game.Action, s State) []game.Action { return r.appendLegal(dst, &s) }

func (r *Rules) appendLegal(dst []game.Action, s *State) []game.Action {
	for set := r.open(s); set != 0; set &= set - 1 {
		dst = append(dst, game.Action(r.slot[bits.TrailingZeros64(set)]))
	}
	return r.appendOthers(dst, s)
}

// open returns the places where the mover can place a robot now.
func (r *Rules) open(s *State) uint64 {
	if s.Phase != Acting || s.Seats[s.Mover].Hand == 0 {
		return 0
	}
	set := r.reach(s, int(s.Mover))
	if !r.fast {
		set |= allLabs &^ s.occupied()
	}
	return set
}

// appendOthers appends the legal actions that do not place a robot.
func (r *Rules) appendOthers(dst []game.Action, s *State) []game.Action {
	p, seat := int(s.Mover), &s.Seats[s.Mover]
	a := &r.act
	switch s.Phase {
	case Acting:
		if seat.Hand > 0 {
			dst = r.appendAttacks(dst, s, p)
		}
		dst = append(dst, game.Action(a.pass))
	case Missed:
		dst = append(dst, game.Action(a.reroll), game.Action(a.reroll+1))
	case LayDown:
		for set := s.Standing; set != 0; set &= set - 1 {
			dst = append(dst, game.Action(a.down+int(r.slot[bits.TrailingZeros64(set)])))
		}
		if r.cfg.LaydownOptional {
			dst = append(dst, game.Action(a.skip))
		}
	case Cashing:
		empty := seat.empty()
		for set := range 1 << products {
			if set&empty == 0 {
				dst = append(dst, game.Action(a.cash+set))
			}
		}
	case Buying:
		for n := range r.affordable(s) + 1 {
			dst = append(dst, game.Action(a.buy+n))
		}
	case Naming:
		for n := range r.cfg.Players {
			dst = append(dst, game.Action(a.name+n))
		}
	}
	return dst
}

func (r *Rules) appendAttacks(dst []game.Action, s *State, p int) []game.Action {
	own, most := s.Robots[p], r.mostAttackers(s, p)
	others := s.occupied() &^ own
	if most == 0 {
		return dst
	}
	for set := others & r.board.neighboursOf(own); set != 0; set &= set - 1 {
		c := bits.TrailingZeros64(set)
		first := r.act.attack + maxAttack*int(r.slot[c])
		for k := range min(most, bits.OnesCount64(r.board.neighbours[c]&own)) {
			dst = append(dst, game.Action(first+k))
		}
	}
	first := r.act.attack + (maxAttack-1)*r.act.cells
	for set := others & allLabs; set != 0; set &= set - 1 {
		dst = append(dst, game.Action(first+int(r.slot[bits.TrailingZeros64(set)])))
	}
	return dst
}

// empty returns the set of products of which a seat has none.
func (seat *Seat) empty() (set int) {
	for t, level := range seat.Track {
		if level == 0 {
			set |= 1 << t
		}
	}
	return set
}

// affordable returns the number of alchemy dice that the mover can buy.
func (r *Rules) affordable(s *State) int {
	return min(int(s.Seats[s.Mover].Tokens)/dicePrice, s.diceLeft())
}

// Apply implements [game.Rules]. The text of an error names the rule that forbids a.
func (r *Rules) Apply(s State, a game.Action) (State, error) {
	if reason := r.illegalReason(&s, int(a)); reason != "" {
		if s.Phase == Over {
			return s, game.ErrGameOver
		}
		return s, fmt.Errorf("%s: %w", reason, game.ErrIllegalAction)
	}
	r.apply(&s, int(a))
	return s, nil
}

// illegalReason returns the reason why action x is illegal, or "" if it is legal.
func (r *Rules) illegalReason(s *State, x int) string {
	a, p := &r.act, int(s.Mover)
	switch {
	case s.Phase == Over:
		return "the game is over"
	case x < 0 || x >= a.n:
		return fmt.Sprintf("there is no action %d", x)
	case s.Phase == Acting && x < a.attack:
		place := int(r.place[x])
		switch {
		case s.Seats[p].Hand == 0:
			return "there is no robot in hand"
		case r.canPlace(s, p, place):
			return ""
		case s.occupied()>>place&1 == 1:
			return "a robot is there"
		}
		return "the cell is not within three steps of a station, nor beside an own robot"
	case s.Phase == Acting && x < a.pass:
		slot, robots := a.target(x)
		place := int(r.place[slot])
		switch most := r.strength(s, p, place); {
		case s.Seats[p].Hand == 0:
			return "there is no robot in hand"
		case robots <= most:
			return ""
		case (s.occupied()&^s.Robots[p])>>place&1 == 0:
			return "no robot of another seat is there"
		case robots*r.cost(s, p) > int(s.Seats[p].Tokens):
			return "there are too few tokens"
		}
		return "there are too few own robots beside it"
	case s.Phase == Acting && x == a.pass:
		return ""
	case s.Phase == LayDown && x >= a.down && x < a.skip:
		if s.Standing>>r.place[x-a.down]&1 == 0 {
			return "no robot stands there"
		}
		return ""
	case s.Phase == LayDown && x >= a.skip && x < a.reroll, s.Phase == Missed && x >= a.reroll && x < a.cash:
		return ""
	case s.Phase == Cashing && x >= a.cash && x < a.buy:
		if (x-a.cash)&s.Seats[p].empty() != 0 {
			return "the seat has none of that product"
		}
		return ""
	case s.Phase == Buying && x >= a.buy && x < a.name:
		if x-a.buy > r.affordable(s) {
			return "there are too few tokens or dice"
		}
		return ""
	case s.Phase == Naming && x >= a.name:
		return ""
	}
	return "it is time to " + [phases]string{"lay the map", "draw the starter", "place, attack or pass", "roll",
		"roll again or not", "roll again", "lay a robot down", "trade products", "buy dice", "name the starter", "roll the dice"}[s.Phase]
}

// apply applies a legal action.
func (r *Rules) apply(s *State, x int) {
	a, p := &r.act, int(s.Mover)
	seat := &s.Seats[p]
	switch s.Phase {
	case Acting:
		switch {
		case x < a.attack:
			r.put(s, p, int(r.place[x]))
			seat.Hand--
			r.tell(s, "")
			if int(r.place[x]) == firstLab+rocket {
				r.gain(s, p, rocketGift)
				r.tell(s, "rocket lab")
			}
			r.nextTurn(s)
		case x < a.pass:
			slot, robots := a.target(x)
			seat.Tokens -= uint8(robots * r.cost(s, p))
			r.tell(s, "attack")
			s.Phase, s.Place, s.Attackers = Rolling, r.place[slot], uint8(robots)
		default:
			s.Passed |= 1 << p
			if r.fast || !r.cfg.PassBonusOnPass || !r.passBonus(s) {
				r.nextTurn(s)
			}
		}
	case Missed:
		if x == a.reroll {
			s.Phase = Rerolling
		} else {
			r.loseAttack(s)
		}
	case LayDown:
		if x < a.skip {
			s.Standing &^= 1 << r.place[x-a.down]
		}
		r.nextTurn(s)
	case Cashing:
		for set := x - a.cash; set != 0; set &= set - 1 {
			t := bits.TrailingZeros(uint(set))
			r.cash(s, p, t)
			r.tell(s, terrainNames[t])
		}
		s.Mover = game.NextSeat(s.Mover, r.cfg.Players)
		if s.Mover == s.Start {
			r.endCashing(s)
		} else {
			r.startCashing(s)
		}
	case Buying:
		seat.Tokens -= uint8(dicePrice * (x - a.buy))
		seat.Dice += uint8(x - a.buy)
		r.tell(s, "vacuum lab")
		r.endRound(s)
	case Naming:
		s.Start = uint8((p + x - a.name) % r.cfg.Players)
		r.startRound(s)
	}
}

// put puts a robot of seat p in an empty place, standing.
func (r *Rules) put(s *State, p, place int) {
	s.Robots[p] |= 1 << place
	if !r.fast {
		s.Standing |= 1 << place
	}
}

// productNames names a set of products.
func productNames(set int) (list []string) {
	for t := range products {
		if set>>t&1 == 1 {
			list = append(list, terrainNames[t])
		}
	}
	return list
}

// ActionName implements [game.Presenter].
func (r *Rules) ActionName(action game.Action) string {
	a, x := &r.act, int(action)
	where := func(slot int) string { return r.board.name[r.place[slot]] }
	switch {
	case x < a.attack:
		return "place-" + where(x)
	case x < a.pass:
		slot, robots := a.target(x)
		if slot >= a.cells {
			return "attack-" + where(slot)
		}
		return fmt.Sprintf("attack-%s-x%d", where(slot), robots)
	case x == a.pass:
		return "pass"
	case x < a.skip:
		return "down-" + where(x-a.down)
	case x < a.reroll:
		return "down-none"
	case x < a.cash:
		return [2]string{"reroll", "accept"}[x-a.reroll]
	case x < a.buy:
		if x == a.cash {
			return "keep"
		}
		return "cash-" + strings.Join(productNames(x-a.cash), "+")
	case x < a.name:
		return fmt.Sprintf("buy-%d", x-a.buy)
	case x == a.name:
		return "start-self"
	}
	return fmt.Sprintf("start-next%d", x-a.name)
}
