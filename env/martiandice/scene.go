package martiandice

import (
	"fmt"
	"math/bits"
	"strings"

	"marsgym/env/game"
)

// faceNames names one die of each type.
var faceNames = [types]string{"tank", "ray", "human", "cow", "chicken"}

// Scene implements [game.Presenter]: the scores, and the dice of the turn that were
// rolled, set aside, and are to be rolled.
func (r *Rules) Scene(s State) game.Scene {
	scene := game.Scene{Text: r.sceneText(&s), Goal: r.sceneGoal(), Player: r.CurrentPlayer(s)}
	inTurn := s.Phase <= Decide
	for p, points := range s.Score[:r.cfg.Players] {
		seat := game.SceneSeat{Score: game.SceneScore{Name: "points", Value: int(points), Target: r.cfg.Target}}
		if inTurn && p == int(s.Seat) {
			seat.Score.Gain = r.turnPoints(s.Aside)
		}
		if inTurn && p == int(s.Start) && r.cfg.Players > 1 {
			seat.Notes = append(seat.Notes, "starter")
		}
		switch {
		case s.Tied>>p&1 == 0:
		case s.Phase == TieBreak:
			seat.Notes = append(seat.Notes, "rolls off")
		case bits.OnesCount16(s.Tied) > 1:
			seat.Notes = append(seat.Notes, "shares the win")
		case r.cfg.Players > 1:
			seat.Notes = append(seat.Notes, "wins")
		}
		scene.Seats = append(scene.Seats, seat)
	}
	if inTurn {
		scene.Dice = r.sceneDice(&s)
	}
	if scene.Player == game.Chance {
		scene.Roll = r.sceneRoll(&s)
	}
	return scene
}

// sceneRoll returns how a roll is entered: the dice, the rays of the tied seats, or a seat.
func (r *Rules) sceneRoll(s *State) *game.SceneRoll {
	switch s.Phase {
	case Drawing:
		return &game.SceneRoll{Faces: game.NumberFaces(0, r.cfg.Players-1), Count: 1}
	case TieBreak:
		return &game.SceneRoll{Faces: game.NumberFaces(0, r.cfg.TieDice), Count: len(tied(s.Tied)), Separator: " "}
	}
	roll := &game.SceneRoll{Count: r.free(s)}
	for t, name := range faceNames {
		roll.Faces = append(roll.Faces, game.SceneFace{Text: strings.ToLower(letters[t : t+1]), Name: name})
	}
	return roll
}

// sceneGoal says how the game is won.
func (r *Rules) sceneGoal() string {
	if r.cfg.Players == 1 {
		return fmt.Sprintf("reach %d points in the fewest turns", r.cfg.Target)
	}
	goal := fmt.Sprintf("when a seat has %d points, the round is played to its end, and most points win", r.cfg.Target)
	if r.cfg.MaxRounds > 0 {
		goal += fmt.Sprintf("; so they do after round %d", r.cfg.MaxRounds)
	}
	return goal
}

// sceneDice returns the dice of the turn.
func (r *Rules) sceneDice(s *State) []game.SceneDice {
	aside := game.SceneDice{Name: "set aside", Text: r.asideText(s.Aside), Dice: []game.SceneDie{}}
	rolled := game.SceneDice{Name: "rolled", Text: "choose a type; earthlings that are set aside already cannot be chosen"}
	for t, face := range faceNames {
		if n := int(s.Aside[t]); n > 0 {
			aside.Dice = append(aside.Dice, game.SceneDie{Face: face, Count: n})
		}
		if n := int(s.Roll[t]); n > 0 {
			die := game.SceneDie{Face: face, Count: n}
			if selectable(s, t) {
				die.Actions = []game.Action{game.Action(t - 1)}
			}
			rolled.Dice = append(rolled.Dice, die)
		}
	}
	list := []game.SceneDice{aside}
	switch n := r.free(s); {
	case s.Phase == Select:
		list = append([]game.SceneDice{rolled}, list...)
	case n > 0:
		die := game.SceneDie{Count: n}
		if s.Phase == Decide {
			die.Actions = []game.Action{Roll}
		}
		list = append(list, game.SceneDice{Name: "to roll", Dice: []game.SceneDie{die}})
	}
	return list
}

// asideText says what the dice set aside score.
func (r *Rules) asideText(aside Counts) string {
	text := game.Plural(r.turnPoints(aside), "point") + " if the turn ends"
	if aside[tank] > aside[ray] {
		text += fmt.Sprintf(": %s against %s", game.Plural(int(aside[tank]), "tank"), game.Plural(int(aside[ray]), "ray"))
	}
	return text
}

// sceneText describes the next step.
func (r *Rules) sceneText(s *State) string {
	text := ""
	switch {
	case s.Count > 0 && r.cfg.Players == 1:
		text = fmt.Sprintf("turns taken: %d; ", s.Count)
	case s.Count > 0:
		text = fmt.Sprintf("round %d of %d: ", s.Count, r.cfg.MaxRounds)
	}
	switch s.Phase {
	case Rolling:
		return text + fmt.Sprintf("seat %d rolls %s", s.Seat, game.Plural(r.free(s), "die"))
	case Select:
		return text + fmt.Sprintf("seat %d chooses a type of dice to set aside", s.Seat)
	case Decide:
		return text + fmt.Sprintf("seat %d rolls on or stops", s.Seat)
	case Drawing:
		return "the dice decide who starts"
	case TieBreak:
		return fmt.Sprintf("seats %s are tied and roll %s each; most rays win", seats(s.Tied), game.Plural(r.cfg.TieDice, "die"))
	}
	switch {
	case r.cfg.Players == 1:
		return fmt.Sprintf("over: %d turns", s.Count)
	case bits.OnesCount16(s.Tied) > 1:
		return "over: shared by seats " + seats(s.Tied)
	}
	return fmt.Sprintf("over: seat %s wins", seats(s.Tied))
}
