package martianrisk

import (
	"fmt"
	"math/bits"

	"marsgym/env/game"
)

// Apply implements [game.Rules]. The text of an error says which rule forbids a.
//
// What is forced happens by itself: a phase in which nothing can be done is
// passed over, the one army that can move into a conquered region does, and a
// small piece without a place of its own stays on the medium one.
func (r *Rules) Apply(s State, a game.Action) (State, error) {
	switch s.Phase {
	case Over:
		return s, game.ErrGameOver
	case Ordering, Rolling, Battle:
		return s, refuse("the dice are to be rolled first")
	}
	if a < 0 || a > r.end {
		return s, refuse("there is no action %d", a)
	}
	before := s
	var err error
	switch {
	case a == r.end:
		err = r.finish(&s)
	case a == r.stack:
		if s.Phase != Small {
			err = refuse("no small piece has been split off")
			break
		}
		s.Small |= 1 << s.To
		r.pass(&s)
	case a >= r.small:
		err = r.placeSmall(&s, int(a-r.small))
	case a >= r.split:
		err = r.splitTower(&s, r.board.edges[a-r.split])
	case a >= r.occupy:
		err = r.moveIn(&s, int(a-r.occupy)+1)
	case a >= r.battle:
		err = r.attack(&s, r.board.edges[a-r.battle])
	case a >= r.piece:
		err = r.build(&s, int(a-r.piece))
	default:
		err = r.place(&s, int(a))
	}
	if err != nil {
		return before, err
	}
	return s, nil
}

// refuse is the error for an action that the rules forbid.
func refuse(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, game.ErrIllegalAction)...)
}

// place puts an army into region i.
func (r *Rules) place(s *State, i int) error {
	own := s.Own[s.Mover]
	mine := own>>i&1 != 0
	switch s.Phase {
	case Towers, Claiming:
		if r.free(s)>>i&1 == 0 {
			return refuse("%s is occupied", r.board.names[i])
		}
	case Filling, Reinforce:
		if !mine {
			return refuse("%s is not occupied by your own armies", r.board.names[i])
		}
		if s.Phase == Reinforce && r.supply(s, s.Mover) == 0 {
			return refuse("all your %d armies are on the map", r.cfg.ArmyCap)
		}
	default:
		return refuse("armies are placed in the setup and when you reinforce")
	}
	s.Armies[i]++
	s.Points--
	if s.Phase == Reinforce {
		r.advance(s)
		return nil
	}
	s.Own[s.Mover] |= 1 << i
	if s.Phase == Towers && r.cfg.Trios > 0 {
		s.Large |= 1 << i
		s.Medium |= 1 << i
		s.Small |= 1 << i
	}
	s.Mover = r.after(s.Mover)
	switch placed := r.cfg.Players*r.cfg.SetupArmies - int(s.Points); {
	case s.Points == 0:
		s.Phase, s.Mover = Rolling, s.Start
		if r.cfg.MaxRounds > 0 {
			s.Round = 1
		}
	case placed >= r.n:
		s.Phase = Filling
	case placed >= r.cfg.Players:
		s.Phase = Claiming
	}
	return nil
}

// after is the next seat.
func (r *Rules) after(seat uint8) uint8 {
	if seat++; int(seat) == r.cfg.Players {
		return 0
	}
	return seat
}

// build puts the next tower piece into region i.
func (r *Rules) build(s *State, i int) error {
	if s.Phase != Reinforce {
		return refuse("tower pieces are placed when you reinforce")
	}
	if r.buildable(s)>>i&1 == 0 {
		return r.refuseBuild(s, i)
	}
	bit := uint64(1) << i
	switch {
	case s.Medium&bit != 0:
		s.Small |= bit
		s.Points -= smallCost
	case s.Large&bit != 0:
		s.Medium |= bit
		s.Points -= mediumCost
	default:
		s.Large |= bit
		s.Points -= largeCost
	}
	r.advance(s)
	return nil
}

// refuseBuild says why no piece can be placed in region i.
func (r *Rules) refuseBuild(s *State, i int) error {
	name := r.board.names[i]
	switch {
	case s.Own[s.Mover]>>i&1 == 0:
		return refuse("%s is not occupied by your own armies", name)
	case s.Small>>i&1 != 0:
		return refuse("nothing goes on the small piece in %s", name)
	case s.Low != 0 && (s.Large|s.Medium)>>i&1 == 0:
		return refuse("a tower is begun with a roll of 3 or 4")
	}
	return refuse("%s needs a %s, and you have %d points and what is in your supply", name, nextPiece(s, i), s.Points)
}

// nextPiece names the piece that comes next in region i, built from the bottom.
func nextPiece(s *State, i int) string {
	switch {
	case s.Medium>>i&1 != 0:
		return "small piece (1 point)"
	case s.Large>>i&1 != 0:
		return "medium piece (2 points)"
	}
	return "large piece (3 points)"
}

// attack declares a battle across a border.
func (r *Rules) attack(s *State, e [2]byte) error {
	own := s.Own[s.Mover]
	from, to := r.board.names[e[0]], r.board.names[e[1]]
	switch {
	case s.Phase != Attack:
		return refuse("attacks come after reinforcing and before fortifying")
	case own>>e[0]&1 == 0:
		return refuse("%s is not occupied by your own armies", from)
	case own>>e[1]&1 != 0:
		return refuse("%s is your own", to)
	case s.Armies[e[0]] < 2:
		return refuse("%s needs two armies to attack", from)
	case s.From != s.To && (s.From != e[0] || s.To != e[1]):
		return refuse("there is one attack a turn, and it is on")
	}
	s.From, s.To, s.Phase = e[0], e[1], Battle
	return nil
}

// moveIn moves n armies into the region just conquered.
func (r *Rules) moveIn(s *State, n int) error {
	if s.Phase != Occupy {
		return refuse("no region has just been conquered")
	}
	if n >= int(s.Armies[s.From]) {
		return refuse("an army stays behind in %s", r.board.names[s.From])
	}
	s.Armies[s.From] -= uint8(n)
	s.Armies[s.To] = uint8(n)
	r.fought(s)
	return nil
}

// fought ends a battle, or the attack if it is the only one and has come to its end.
func (r *Rules) fought(s *State) {
	s.Phase = Attack
	on := r.cfg.OneAttack && s.Armies[s.From] >= 2 && s.Own[s.Mover]>>s.To&1 == 0
	if !on {
		s.From, s.To = 0, 0
		if r.cfg.OneAttack {
			s.Phase = Fortify
		}
	}
	r.advance(s)
}

// splitTower takes all but the large piece of a tower across a border.
func (r *Rules) splitTower(s *State, e [2]byte) error {
	u, v := uint64(1)<<e[0], uint64(1)<<e[1]
	own := s.Own[s.Mover]
	from, to := r.board.names[e[0]], r.board.names[e[1]]
	switch {
	case s.Phase != Fortify:
		return refuse("a tower is split at the end of the turn, once")
	case own&u == 0 || own&v == 0:
		return refuse("%s and %s are not both your own", from, to)
	case s.Large&s.Medium&u == 0:
		return refuse("%s has no large piece with another on it", from)
	case r.open(s)&v == 0:
		return refuse("%s has a tower on which no medium piece goes", to)
	}
	s.Medium ^= u | v
	if s.Small&u == 0 {
		r.pass(s)
		return nil
	}
	s.Small ^= u
	s.Phase, s.To = Small, e[1]
	r.advance(s)
	return nil
}

// placeSmall puts the small piece that was split off into region i.
func (r *Rules) placeSmall(s *State, i int) error {
	if s.Phase != Small {
		return refuse("no small piece has been split off")
	}
	if r.beside(s)>>i&1 == 0 {
		return refuse("%s is not an own region beside %s where a small piece can stand", r.board.names[i], r.board.names[s.To])
	}
	s.Small |= 1 << i
	r.pass(s)
	return nil
}

// finish ends a phase.
func (r *Rules) finish(s *State) error {
	switch s.Phase {
	case Reinforce:
		s.Points = 0
	case Attack:
		s.Phase, s.From, s.To = Fortify, 0, 0
	case Fortify:
		r.pass(s)
		return nil
	default:
		return refuse("there is something to be placed or moved")
	}
	r.advance(s)
	return nil
}

// advance passes over phases in which nothing can be done.
func (r *Rules) advance(s *State) {
	switch s.Phase {
	case Reinforce:
		if s.Low != 0 && r.startable(s) == 0 {
			s.Low = 0 // so that what allows the same is the same state
		}
		if s.Points > 0 && (r.supply(s, s.Mover) > 0 || r.buildable(s) != 0) {
			return
		}
		s.Points, s.Low, s.Phase = 0, 0, Attack // points left over are lost
		fallthrough
	case Attack:
		if s.From != s.To || r.canAttack(s) {
			return
		}
		s.Phase = Fortify
		fallthrough
	case Fortify:
		if !r.canSplit(s) {
			r.pass(s)
		}
	case Small:
		if r.beside(s) == 0 {
			s.Small |= 1 << s.To
			r.pass(s)
		}
	}
}

// pass ends the turn: the next seat with a region rolls, or the last round is over.
func (r *Rules) pass(s *State) {
	s.To = 0
	s.Phase = Rolling
	for {
		s.Mover = r.after(s.Mover)
		if s.Mover == s.Start && s.Round > 0 {
			if int(s.Round) == r.cfg.MaxRounds {
				s.Phase = Over
				return
			}
			s.Round++
		}
		if s.Own[s.Mover] != 0 {
			return
		}
	}
}

// beat removes an army from the side that has lost the battle.
func (r *Rules) beat(s *State, attackerWins bool) {
	from, to := s.From, s.To
	if !attackerWins {
		s.Armies[from]--
		r.lose(s, s.Mover)
		r.fought(s)
		return
	}
	s.Armies[to]--
	defender := uint8(s.owner(int(to)))
	r.lose(s, defender)
	if s.Armies[to] > 0 {
		r.fought(s)
		return
	}
	bit := uint64(1) << to
	s.Own[defender] &^= bit
	s.Own[s.Mover] |= bit
	s.Large &^= bit
	s.Medium &^= bit
	s.Small &^= bit
	won := s.Own[s.Mover] == r.board.all
	if won || s.Armies[from] == 2 {
		s.Armies[from]--
		s.Armies[to] = 1
		if won {
			s.Phase, s.From, s.To = Over, 0, 0
			return
		}
		r.fought(s)
		return
	}
	s.Phase = Occupy
}

// lose counts a beaten army where it does not come back.
func (r *Rules) lose(s *State, seat uint8) {
	if r.cfg.LostArmies == Out {
		s.Lost[seat]++
	}
}

// begin starts a turn with what the die shows.
func (r *Rules) begin(s *State, die int) {
	s.Phase = Reinforce
	s.Points = uint8(die + r.bonus(s, s.Mover))
	if r.cfg.StrictRoll && die < largeCost {
		s.Low = 1
	}
	r.advance(s)
}

// towerPoints is what the tower pieces of a seat cost.
func (s *State) towerPoints(seat int) int {
	own := s.Own[seat]
	return largeCost*bits.OnesCount64(own&s.Large) + mediumCost*bits.OnesCount64(own&s.Medium) + smallCost*bits.OnesCount64(own&s.Small)
}
