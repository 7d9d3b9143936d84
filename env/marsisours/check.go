package marsisours

import (
	"errors"
	"fmt"
	"math/bits"

	"marsgym/internal/input"
)

// check returns an error for a position that the rules exclude.
func (r *Rules) check(s *State) error {
	if s.Phase == Laying && len(r.board.units) == 0 {
		return errors.New("laying: there is no tile left to lay")
	}
	if s.Phase <= Drawing {
		for p := range r.cfg.Players {
			if s.Seats[p] != (Seat{}) {
				return errors.New("no seat has money yet")
			}
		}
	}
	if s.Phase == Laying {
		return r.checkLaid(s)
	}
	if s.Phase == Drawing {
		return nil
	}
	if !r.fast && s.Round == 0 {
		return fmt.Errorf("round is 0; want %s", input.Range(1, lastRound))
	}
	if s.diceLeft() < 0 {
		return fmt.Errorf("dice: the seats have more than %d together", poolDice)
	}
	total := r.cfg.StartHand + r.cfg.StartJunk
	for p := range r.cfg.Players {
		seat := &s.Seats[p]
		n := int(seat.Hand) + int(seat.Junk) + bits.OnesCount64(s.Robots[p])
		if n > total || n < total && !r.fast {
			return fmt.Errorf("seat %d has %d robots; want %d", p, n, total)
		}
		if total := r.cfg.StartJunk; r.fast && int(seat.Junk) > total {
			return fmt.Errorf("seat %d has %d robots in the junkyard; want at most %d", p, seat.Junk, total)
		}
	}
	return r.checkPhase(s)
}

// checkLaid checks that the tiles laid are among those of the pool, and that there is
// a tile left to lay.
func (r *Rules) checkLaid(s *State) error {
	units := r.board.units
	if int(s.Place) >= len(units) {
		return errors.New("laying: all tiles are laid")
	}
	fixed := r.board.fixed & r.board.standable
	if (s.Terrain[0]^r.board.terrain[0])&fixed|(s.Terrain[1]^r.board.terrain[1])&fixed != 0 {
		return errors.New("map: the config fixes another terrain")
	}
	set := r.known(s)
	for c := range r.board.cells {
		if r.board.stone>>c&1 == 0 && set>>c&1 == 0 && s.terrainAt(c) != 0 {
			return fmt.Errorf("map: %s is not laid yet", r.board.name[c])
		}
	}
	var left [maxKinds]int
	for k := range r.pool.kinds {
		left[k] = r.pool.kinds[k].copies
	}
	for i := range units[:s.Place] {
		k := r.pool.kindOf[units[i].code(s)]
		if k == noKind {
			return fmt.Errorf("map: no tile is like that at %s", r.board.name[units[i][0]])
		}
		if left[k]--; left[k] < 0 {
			return fmt.Errorf("map: there are too many tiles like that at %s", r.board.name[units[i][0]])
		}
	}
	return nil
}

// checkPhase checks that the mover of a position has a decision in its phase.
func (r *Rules) checkPhase(s *State) error {
	p := int(s.Mover)
	passed := s.Passed>>p&1 == 1
	if s.Phase >= Cashing && s.Passed != 0 {
		return errors.New("passed: the action phase is over")
	}
	if s.Phase == LayDown && (!passed || s.Standing == 0 || r.fast) {
		return errors.New("down: the seat must have passed, and a robot must stand")
	}
	if s.Phase >= Acting && s.Phase <= Rerolling && passed {
		return fmt.Errorf("seat %d has passed", p)
	}
	if s.Attackers > 0 {
		return r.checkAttack(s)
	}
	late := s.Phase == Scoring || s.Phase == Over
	switch {
	case r.fast && s.Phase > LayDown && s.Phase != Over:
		return errors.New("the quick game has only an action phase")
	case !r.fast && late && (s.Round != lastRound || s.Start != 0):
		return fmt.Errorf("the end of the game is written with round %d and start 0", lastRound)
	case late && (s.diceLeft() < poolDice) != (s.Phase == Scoring):
		return errors.New("scoring ends when there are no dice to roll")
	case s.Phase == Cashing && s.Seats[p].Track == [products]uint8{}:
		return fmt.Errorf("cash: seat %d has nothing to trade", p)
	case s.Phase == Buying && (!r.hasLab(s, p, vacuum) || r.affordable(s) == 0):
		return fmt.Errorf("buy: seat %d cannot buy dice", p)
	case s.Phase == Naming && s.Round == lastRound:
		return errors.New("name: it is the last round")
	}
	return nil
}

func (r *Rules) checkAttack(s *State) error {
	p, place := int(s.Mover), int(s.Place)
	q, ok := s.owner(place)
	switch {
	case !ok || q == p || s.Seats[p].Hand == 0 || int(s.Attackers) > r.beside(s, p, place):
		return fmt.Errorf("attack: seat %d cannot attack there", p)
	case s.Phase == Rolling:
		return nil
	case !r.hasLab(s, p, drill):
		return fmt.Errorf("seat %d has no drill", p)
	case (s.Die == 0) != r.cfg.DrillRerollsDefender, s.Die > 0 && r.defence(s, int(s.Die)) < 2:
		return fmt.Errorf("no attack fails against a die of %d", s.Die)
	}
	return nil
}
