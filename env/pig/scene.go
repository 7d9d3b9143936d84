package pig

import (
	"fmt"

	"marsgym/env/game"
)

// Scene implements [game.Presenter]: the scores and the die. A state does not hold
// what the die showed last.
func (r *Rules) Scene(s State) game.Scene {
	scene := game.Scene{Goal: fmt.Sprintf("the first with %d points wins", r.cfg.Target), Player: r.CurrentPlayer(s)}
	for p, points := range s.Score[:r.cfg.Players] {
		seat := game.SceneSeat{Score: game.SceneScore{Name: "points", Value: int(points), Target: r.cfg.Target}}
		if p == int(s.Seat) {
			seat.Score.Gain = int(s.Total)
			if s.Phase == Over {
				seat.Notes = []string{"wins"}
			}
		}
		scene.Seats = append(scene.Seats, seat)
	}
	die := game.SceneDie{Count: 1}
	switch s.Phase {
	case Over:
		scene.Text = fmt.Sprintf("over: seat %d wins", s.Seat)
		return scene
	case Rolling:
		scene.Text = fmt.Sprintf("seat %d rolls the die", s.Seat)
		scene.Roll = &game.SceneRoll{Faces: game.NumberFaces(1, 6), Count: 1}
	case Deciding:
		scene.Text = fmt.Sprintf("seat %d rolls or holds", s.Seat)
		if s.Total == 0 {
			scene.Text = fmt.Sprintf("seat %d begins its turn with a roll", s.Seat)
		}
		die.Actions = []game.Action{Roll}
	}
	scene.Dice = []game.SceneDice{{Name: "to roll", Text: "a 1 ends the turn without points", Dice: []game.SceneDie{die}}}
	return scene
}
