package env

import (
	"math/rand/v2"

	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/core"
)

// Session is a game in progress: its position, its history, and the generators from which
// it draws. They are those of row 0 of a [Batch] with the same seed: chance is drawn from
// rand.NewPCG(seed, 0), and choices from rand.NewPCG(seed, 1<<62), a number for each action
// whether it is sampled or not. So a history and a seed are all that going on with a game
// needs. Actions are those of the game, never of a representative. One goroutine owns a
// Session.
type Session struct {
	Rules Game
	Steps []Transition // the history, not to be changed

	first, at        Position
	spec             game.Spec
	decisions, rolls int // in the game, and transitions of chance since the last of them
	turns            *core.Turns
	dice, noise      rand.PCG
	eyes             rand.PCG // draws the rolls that are shown; it changes no result
}

// Transition is a step of a game.
type Transition struct {
	Before Position
	Action game.Action // of the current player of Before; not used where chance moves
	Roll   string      // of chance, as people saw it; "" if they did not
	After  Position
}

// Chance reports whether chance moves.
func (t Transition) Chance() bool { return t.Before.CurrentPlayer() == game.Chance }

// Told says what happened.
func (t Transition) Told() []message.Message { return t.Before.Narrate(t.After, t.Action, t.Roll) }

// NewSession returns a game in its initial position. Seed seeds its generators.
func NewSession(g Game) *Session {
	s := &Session{Rules: g, spec: g.Spec()}
	s.Begin(g.Initial())
	return s
}

// Seed seeds the generators, and brings them to where they are after the history.
func (s *Session) Seed(seed uint64) {
	s.turns = nil
	core.Seed(&s.dice, &s.noise, seed, 0)
	s.eyes.Seed(seed, 1<<61)
	for _, t := range s.Steps {
		if t.Chance() {
			t.Before.Sample(&s.dice)
		} else {
			s.noise.Uint64()
		}
	}
}

// Begin starts another game from a position, with generators as they are.
func (s *Session) Begin(from Position) {
	s.first, s.Steps = from, nil
	s.Undo(0)
}

// Next starts another game, as the row of a batch does: up to its first decision. Games
// that end, or are truncated, before that are skipped.
func (s *Session) Next() {
	core.Begin(s.spec.ID, func() bool {
		s.Begin(s.Rules.Initial())
		s.Settle()
		return s.at.CurrentPlayer() >= 0
	})
}

// Restart is Next with the common random numbers of a row (see [Batch.Restart]).
func (s *Session) Restart(seed, row uint64) {
	s.turns = &core.Turns{Seed: seed, Row: row, Noise: &s.noise}
	core.Seed(&s.dice, &s.noise, seed, row)
	s.Next()
}

// Position returns the current position.
func (s *Session) Position() Position { return s.at }

// At returns the position after the first n steps.
func (s *Session) At(n int) Position {
	if n == 0 {
		return s.first
	}
	return s.Steps[n-1].After
}

// AtLimit reports whether a batch would truncate the game here.
func (s *Session) AtLimit() bool {
	who := s.at.CurrentPlayer()
	return !(who == game.Chance && s.rolls < s.spec.ChanceLimit()) && s.spec.Truncates(who, s.decisions)
}

// Over reports whether the rules, or a limit, have ended the game.
func (s *Session) Over() bool { return s.at.CurrentPlayer() == game.Terminal || s.AtLimit() }

// Sample draws an action from probabilities [A], by the number of the next choice.
func (s *Session) Sample(probs []float64) game.Action {
	noise := s.noise
	return core.SampleAction(probs, &noise)
}

// Apply plays an action of the current player. Its error is that of [Position.Apply].
func (s *Session) Apply(a game.Action) error {
	after, err := s.at.Apply(a)
	if err != nil {
		return err
	}
	s.noise.Uint64()
	s.add(Transition{Before: s.at, Action: a, After: after})
	return nil
}

// Chance plays a transition of chance that is not drawn. It does not check that it is one
// of the outcomes.
func (s *Session) Chance(outcome Position) { s.add(Transition{Before: s.at, After: outcome}) }

// ReadRoll plays the transition of chance of a roll. Its error is that of
// [Position.ReadRoll].
func (s *Session) ReadRoll(roll string) error {
	after, err := s.at.ReadRoll(roll)
	if err == nil {
		s.add(Transition{Before: s.at, Roll: roll, After: after})
	}
	return err
}

// Roll draws a transition of chance, and shows it as a roll.
func (s *Session) Roll() {
	s.draw(1)
	last := &s.Steps[len(s.Steps)-1]
	last.Roll = s.Show(*last)
}

// Show returns a roll that shows a transition of chance, by generators of its own.
func (s *Session) Show(t Transition) string { return t.Before.DrawRoll(t.After, &s.eyes) }

// Settle draws chance until a seat must act, or the game is over.
func (s *Session) Settle() { s.draw(s.spec.ChanceLimit() - s.rolls) }

// draw draws chance, for at most that many transitions.
func (s *Session) draw(most int) {
	s.at.(interface {
		draw(dice *rand.PCG, turns *core.Turns, most int, visit func(Position))
	}).draw(&s.dice, s.turns, most, s.Chance)
}

// Undo returns to the position after the first n steps. The generators stay as they are.
func (s *Session) Undo(n int) {
	steps := s.Steps[:n]
	s.at, s.Steps, s.decisions, s.rolls = s.first, nil, 0, 0
	for _, t := range steps {
		s.add(t)
	}
}

// add adds a step to the history.
func (s *Session) add(t Transition) {
	s.at, s.Steps = t.After, append(s.Steps, t)
	if t.Chance() {
		s.rolls++
	} else {
		s.decisions, s.rolls = s.decisions+1, 0
	}
}
