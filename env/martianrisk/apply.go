package martianrisk

import (
	"fmt"
	"math/bits"

	"marsgym/env/game"
	"marsgym/env/game/message"
)

// Apply implements [game.Rules]. The text of an error names the rule that forbids a.
//
// Forced moves are made at once: a phase without a choice is skipped, a single army
// that can move into a conquered region moves, and a small piece without another
// target stays on the medium piece.
func (r *Rules) Apply(s State, a game.Action) (State, error) {
	before := s
	if err := r.apply(&s, a); err != nil {
		return before, err
	}
	return s, nil
}

func (r *Rules) apply(s *State, a game.Action) error {
	switch s.Phase {
	case Over:
		return game.ErrGameOver
	case Ordering, Rolling, Battle:
		return illegal("the dice must be rolled first")
	}
	switch {
	case a < 0 || a > r.end:
		return illegal("there is no action %d", a)
	case a == r.end:
		return r.endPhase(s)
	case a == r.stack:
		if s.Phase != Small {
			return illegal("no small piece has been split off")
		}
		s.Small |= 1 << s.To
		r.endTurn(s)
		return nil
	case a >= r.small:
		return r.placeSmall(s, int(a-r.small))
	case a >= r.split:
		return r.splitTower(s, r.board.edges[a-r.split])
	case a >= r.occupy:
		return r.moveArmies(s, int(a-r.occupy)+1)
	case a >= r.battle:
		return r.declareBattle(s, r.board.edges[a-r.battle])
	case a >= r.piece:
		return r.placePiece(s, int(a-r.piece))
	}
	return r.placeArmy(s, int(a))
}

// illegal returns the error for an action that the rules forbid.
func illegal(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, game.ErrIllegalAction)...)
}

// placeArmy puts an army into region i.
func (r *Rules) placeArmy(s *State, i int) error {
	own := s.Own[s.Mover]
	mine := own>>i&1 != 0
	switch s.Phase {
	case Towers, Claiming:
		if r.unoccupied(s)>>i&1 == 0 {
			return illegal("%s is occupied", r.board.names[i])
		}
	case Filling, Reinforce:
		if !mine {
			return illegal("%s is not occupied by your own armies", r.board.names[i])
		}
		if s.Phase == Reinforce && r.supply(s, s.Mover) == 0 {
			return illegal("all your %d armies are on the map", r.cfg.ArmyCap)
		}
	default:
		return illegal("armies are placed in the setup and when you reinforce")
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
	s.Mover = game.NextSeat(s.Mover, r.cfg.Players)
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

// placePiece puts the next tower piece into region i.
func (r *Rules) placePiece(s *State, i int) error {
	if s.Phase != Reinforce {
		return illegal("tower pieces are placed when you reinforce")
	}
	if r.buildable(s)>>i&1 == 0 {
		return r.illegalPiece(s, i)
	}
	regions, _, cost := s.nextPiece(i)
	*regions |= 1 << i
	s.Points -= uint8(cost)
	r.advance(s)
	return nil
}

// illegalPiece returns the error for a tower piece that cannot be placed in region i.
func (r *Rules) illegalPiece(s *State, i int) error {
	name := r.board.names[i]
	switch {
	case s.Own[s.Mover]>>i&1 == 0:
		return illegal("%s is not occupied by your own armies", name)
	case s.Small>>i&1 != 0:
		return illegal("nothing goes on the small piece in %s", name)
	case s.Low != 0 && (s.Large|s.Medium)>>i&1 == 0:
		return illegal("a tower is begun with a roll of 3 or 4")
	}
	_, size, cost := s.nextPiece(i)
	return illegal("%s needs a %s piece (%s), and you have %d points and what is in your supply", name, size, message.Count(cost, "point"), s.Points)
}

// nextPiece returns the regions that have the next tower piece of region i, from the bottom
// up, and the size and the cost of the piece.
func (s *State) nextPiece(i int) (regions *uint64, size string, cost int) {
	switch {
	case s.Medium>>i&1 != 0:
		return &s.Small, "small", smallCost
	case s.Large>>i&1 != 0:
		return &s.Medium, "medium", mediumCost
	}
	return &s.Large, "large", largeCost
}

// declareBattle starts a battle across a border.
func (r *Rules) declareBattle(s *State, e [2]byte) error {
	own := s.Own[s.Mover]
	from, to := r.board.names[e[0]], r.board.names[e[1]]
	switch {
	case s.Phase == Occupy:
		return illegal("armies have to move into %s first", r.board.names[s.To])
	case s.Phase != Attack:
		return illegal("attacks come after reinforcing and before fortifying")
	case own>>e[0]&1 == 0:
		return illegal("%s is not occupied by your own armies", from)
	case own>>e[1]&1 != 0:
		return illegal("%s is your own", to)
	case s.Armies[e[0]] < 2:
		return illegal("%s needs two armies to attack", from)
	case s.From != s.To && (s.From != e[0] || s.To != e[1]):
		return illegal("there is one attack a turn, and it is under way")
	}
	s.From, s.To, s.Phase = e[0], e[1], Battle
	return nil
}

// moveArmies moves n armies into the conquered region.
func (r *Rules) moveArmies(s *State, n int) error {
	if s.Phase != Occupy {
		return illegal("no region has just been conquered")
	}
	if n >= int(s.Armies[s.From]) {
		return illegal("an army stays behind in %s", r.board.names[s.From])
	}
	s.Armies[s.From] -= uint8(n)
	s.Armies[s.To] = uint8(n)
	r.endBattle(s)
	return nil
}

// endBattle goes on after a battle: to the next attack or, under OneAttack, to the same
// attack while it can continue and then to Fortify.
func (r *Rules) endBattle(s *State) {
	s.Phase = Attack
	continues := r.cfg.OneAttack && s.Armies[s.From] >= 2 && s.Own[s.Mover]>>s.To&1 == 0
	if !continues {
		s.From, s.To = 0, 0
		if r.cfg.OneAttack {
			s.Phase = Fortify
		}
	}
	r.advance(s)
}

// splitTower moves all but the large piece of a tower across a border.
func (r *Rules) splitTower(s *State, e [2]byte) error {
	u, v := uint64(1)<<e[0], uint64(1)<<e[1]
	own := s.Own[s.Mover]
	from, to := r.board.names[e[0]], r.board.names[e[1]]
	switch {
	case s.Phase != Fortify:
		return illegal("a tower is split at the end of the turn, once")
	case own&u == 0 || own&v == 0:
		return illegal("%s and %s are not both your own", from, to)
	case s.Large&s.Medium&u == 0:
		return illegal("%s has no large piece with another on it", from)
	case r.splitTargets(s)&v == 0:
		return illegal("%s has a tower on which no medium piece goes", to)
	}
	s.Medium ^= u | v
	if s.Small&u == 0 {
		r.endTurn(s)
		return nil
	}
	s.Small ^= u
	s.Phase, s.To = Small, e[1]
	r.advance(s)
	return nil
}

// placeSmall puts the small piece of a split tower into region i.
func (r *Rules) placeSmall(s *State, i int) error {
	if s.Phase != Small {
		return illegal("no small piece has been split off")
	}
	if r.smallTargets(s)>>i&1 == 0 {
		return illegal("%s is not an own region beside %s where a small piece can stand", r.board.names[i], r.board.names[s.To])
	}
	s.Small |= 1 << i
	r.endTurn(s)
	return nil
}

// endPhase ends a phase.
func (r *Rules) endPhase(s *State) error {
	switch s.Phase {
	case Reinforce:
		s.Points = 0
	case Attack:
		s.Phase, s.From, s.To = Fortify, 0, 0
	case Fortify:
		r.endTurn(s)
		return nil
	default:
		return illegal("a piece or army must be placed or moved first")
	}
	r.advance(s)
	return nil
}

// advance skips phases without a choice.
func (r *Rules) advance(s *State) {
	switch s.Phase {
	case Reinforce:
		if s.Low != 0 && r.startable(s) == 0 {
			s.Low = 0 // states with the same choices are equal
		}
		if s.Points > 0 && (r.buildable(s) != 0 || r.supply(s, s.Mover) > 0) {
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
			r.endTurn(s)
		}
	case Small:
		if r.smallTargets(s) == 0 {
			s.Small |= 1 << s.To
			r.endTurn(s)
		}
	}
}

// endTurn starts the turn of the next seat with a region, or ends the game after the
// last round.
func (r *Rules) endTurn(s *State) {
	s.To = 0
	s.Phase = Rolling
	for {
		s.Mover = game.NextSeat(s.Mover, r.cfg.Players)
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

// lastTurn reports whether no turn follows that of the mover: the last round ends before the next
// seat with a region.
func (r *Rules) lastTurn(s *State) bool {
	for p := s.Mover; ; {
		switch p = game.NextSeat(p, r.cfg.Players); {
		case p == s.Start:
			return int(s.Round) == r.cfg.MaxRounds
		case s.Own[p] != 0:
			return false
		}
	}
}

// resolveBattle removes an army from the loser of the battle.
func (r *Rules) resolveBattle(s *State, attackerWins bool) {
	from, to := s.From, s.To
	if !attackerWins {
		s.Armies[from]--
		r.countLost(s, s.Mover)
		r.endBattle(s)
		return
	}
	s.Armies[to]--
	defender := uint8(s.owner(int(to)))
	r.countLost(s, defender)
	if s.Armies[to] > 0 {
		r.endBattle(s)
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
		r.endBattle(s)
		return
	}
	s.Phase = Occupy
}

// countLost counts a beaten army if it leaves the game.
func (r *Rules) countLost(s *State, seat uint8) {
	if r.cfg.LostArmies == Out {
		s.Lost[seat]++
	}
}

// startTurn starts a turn with a roll of the die.
func (r *Rules) startTurn(s *State, die int) {
	s.Phase = Reinforce
	s.Points = uint8(die + r.bonus(s, s.Mover))
	if r.cfg.StrictRoll && die < largeCost {
		s.Low = 1
	}
	r.advance(s)
}

// towerPoints returns the cost of the tower pieces of a seat, in points.
func (s *State) towerPoints(seat int) int {
	own := s.Own[seat]
	return largeCost*bits.OnesCount64(own&s.Large) + mediumCost*bits.OnesCount64(own&s.Medium) + smallCost*bits.OnesCount64(own&s.Small)
}
