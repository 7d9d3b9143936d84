package marsisours

import "slices"

// ResolveAttack returns the state after an attack with these dice.
func (r *Rules) ResolveAttack(s State, attack []int, defence int) State {
	r.resolveAttack(&s, defence, slices.Max(attack) >= r.defence(&s, defence))
	return s
}

// StartGame returns the state after seat p is drawn as the starter.
func (r *Rules) StartGame(s State, p int) State {
	r.startGame(&s, p)
	return s
}

// ScoreDie returns the state after an alchemy die is rolled.
func (r *Rules) ScoreDie(s State, die int) State {
	r.scoreDie(&s, die)
	return s
}

// Letter returns the letter of the robot in a place.
func (r *Rules) Letter(s State, place string) string {
	return string(r.robotLetter(&s, slices.Index(r.board.name[:], place)))
}

// Standable is the set of cells that robots can stand on, Cell the number of a cell.
func (r *Rules) Standable() uint64     { return r.board.standable }
func (r *Rules) Stations() uint64      { return r.board.stations }
func (r *Rules) Cell(name string) int  { return slices.Index(r.board.name[:], name) }
func (r *Rules) DiceLeft(s State) int  { return s.diceLeft() }
func (r *Rules) CellName(c int) string { return r.board.name[c] }

// AttackOdds is the probability that an attack of a seat on a place succeeds.
func (r *Rules) AttackOdds(s State, p int, place string, robots int) float64 {
	return r.attackOdds(&s, p, r.Cell(place), robots)
}
