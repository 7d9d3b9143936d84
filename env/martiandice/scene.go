package martiandice

import (
	"math/bits"
	"slices"
	"strings"

	"marsgym/env/game"
	"marsgym/env/game/message"
)

// faceNames names one die of each type.
var faceNames = [types]string{"tank", "ray", "human", "cow", "chicken"}

// Scene implements [game.Presenter]: the scores, and the dice of the turn that were
// rolled, set aside, and are to be rolled.
func (r *Rules) Scene(s State) game.Scene {
	scene := game.Scene{Text: r.sceneText(&s), Goal: r.sceneGoal(&s), Player: r.CurrentPlayer(s)}
	inTurn := s.Phase <= Decide
	scene.Seats = make([]game.SceneSeat, 0, r.cfg.Players)
	for p, points := range s.Score[:r.cfg.Players] {
		seat := game.SceneSeat{Score: game.SceneScore{Name: "points", Value: int(points), Target: r.cfg.Target}}
		if inTurn && p == int(s.Seat) {
			seat.Score.Gain = r.turnPoints(s.Aside)
		}
		if inTurn && p == int(s.Start) && r.cfg.Players > 1 {
			seat.Notes = append(seat.Notes, message.New("starter"))
		}
		switch {
		case s.Tied>>p&1 == 0:
		case s.Phase == TieBreak:
			seat.Notes = append(seat.Notes, message.New("rolls off"))
		case bits.OnesCount16(s.Tied) > 1:
			seat.Notes = append(seat.Notes, message.New("shares the win"))
		case r.cfg.Players > 1:
			seat.Notes = append(seat.Notes, message.New("wins"))
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
func (r *Rules) sceneGoal(s *State) message.Message {
	switch {
	case r.cfg.Players == 1:
		return message.New("dice.goal-alone", r.cfg.Target)
	case s.Phase <= Decide && int(slices.Max(s.Score[:])) >= r.cfg.Target:
		return message.New("dice.goal-last", r.cfg.Target)
	}
	goal := message.New("dice.goal", r.cfg.Target)
	if r.cfg.MaxRounds > 0 {
		goal = message.Note(goal, message.New("dice.goal-rounds", r.cfg.MaxRounds))
	}
	return goal
}

// sceneDice returns the dice of the turn.
func (r *Rules) sceneDice(s *State) []game.SceneDice {
	aside := game.SceneDice{Name: "set aside", Text: r.asideText(s.Aside), Dice: make([]game.SceneDie, 0, types)}
	rolled := game.SceneDice{Name: "rolled", Text: message.Note(message.New("dice.choose"), message.New("dice.barred"))}
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
func (r *Rules) asideText(aside Counts) message.Message {
	text := message.New("dice.worth", r.turnPoints(aside))
	if aside[tank] > aside[ray] {
		text = message.Detail(text, message.New("dice.tanks", aside[tank], aside[ray]))
	}
	return text
}

// sceneText describes the next step.
func (r *Rules) sceneText(s *State) message.Message {
	step, mover := message.Message{}, message.Seat(s.Seat)
	switch s.Phase {
	case Rolling:
		step = message.New("dice.rolling", mover, r.free(s))
	case Select:
		step = message.New("dice.choosing", mover)
	case Decide:
		step = message.New("dice.deciding", mover)
	case Drawing:
		return message.New("dice.drawing")
	case TieBreak:
		return message.New("dice.tie", tied(s.Tied), r.cfg.TieDice)
	default:
		switch {
		case r.cfg.Players == 1:
			return message.New("over.turns", s.Count)
		case bits.OnesCount16(s.Tied) > 1:
			return message.New("over.shared", tied(s.Tied))
		}
		return message.New("over.wins", tied(s.Tied)[0])
	}
	switch {
	case s.Count > 0 && r.cfg.Players == 1:
		return message.New("dice.turns-taken", s.Count, step)
	case s.Count > 0:
		return message.New("round", s.Count, r.cfg.MaxRounds, step)
	}
	return step
}
