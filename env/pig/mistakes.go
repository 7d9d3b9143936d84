package pig

import "marsgym/env/game"

// Kind implements [game.MistakeLabeler].
func (r *Rules) Kind(s State, a, best game.Action) string {
	if best == Hold {
		return "rolled too long"
	}
	return "held too early"
}

// near is the distance from the target at which the game is late: from 71 of 100 points
// on it is best, by a rule of thumb, to roll until the turn wins.
//
// Source: T. W. Neller and C. G. M. Presser, "Practical play of the dice game
// Pig", The UMAP Journal 31(1), 2010.
const near = 29

// Situation implements [game.MistakeLabeler]: whether a seat is near the target, and how
// the mover's score, without the turn total, compares with the highest other score.
func (r *Rules) Situation(s State) string {
	return game.Standing(s.Score[:r.cfg.Players], s.Seat, r.cfg.Target-near)
}
