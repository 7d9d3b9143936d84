package pig

import (
	"marsgym/env/game"
	"marsgym/env/game/message"
)

// Scene implements [game.Presenter]: the scores and the die. A state does not hold
// what the die showed last.
func (r *Rules) Scene(s State) game.Scene {
	scene := game.Scene{Goal: message.New("pig.goal", r.cfg.Target), Player: r.CurrentPlayer(s)}
	for p, points := range s.Score[:r.cfg.Players] {
		seat := game.SceneSeat{Score: game.SceneScore{Name: "points", Value: int(points), Target: r.cfg.Target}}
		if p == int(s.Seat) {
			seat.Score.Gain = int(s.Total)
			if s.Phase == Over {
				seat.Notes = []message.Message{message.New("wins")}
			}
		}
		scene.Seats = append(scene.Seats, seat)
	}
	die, mover := game.SceneDie{Count: 1}, message.Seat(s.Seat)
	switch s.Phase {
	case Over:
		scene.Text = message.New("over.wins", mover)
		return scene
	case Rolling:
		scene.Text = message.New("roll.die", mover)
		scene.Roll = &game.SceneRoll{Faces: game.NumberFaces(1, 6), Count: 1}
	case Deciding:
		scene.Text = message.New("pig.decide", mover)
		if s.Total == 0 {
			scene.Text = message.New("pig.begin", mover)
		}
		die.Actions = []game.Action{Roll}
	}
	scene.Dice = []game.SceneDice{{Name: "to roll", Text: message.New("pig.one"), Dice: []game.SceneDie{die}}}
	return scene
}
