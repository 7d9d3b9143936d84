package martiandice

import (
	"slices"

	"marsgym/env/game"
)

// Kind implements [game.MistakeLabeler].
func (r *Rules) Kind(s State, a, best game.Action) string {
	switch {
	case best == Stop:
		return "rolled too long"
	case a == Stop:
		return "stopped too early"
	case a == Rays:
		return "kept rays, not earthlings"
	case best == Rays:
		return "kept earthlings, not rays"
	}
	return "kept the wrong earthlings"
}

// near is the distance from the target at which the game is late. Chosen: two turns of
// 3 points, about the expected score of the best turn.
const near = 6

// Situation implements [game.MistakeLabeler]: whether a seat has reached the target or
// is near it, and how the mover's score compares with the highest other score.
func (r *Rules) Situation(s State) string {
	score := s.Score[:r.cfg.Players]
	if int(slices.Max(score)) >= r.cfg.Target {
		return "last round"
	}
	return game.Standing(score, s.Seat, r.cfg.Target-near)
}
