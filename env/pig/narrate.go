package pig

import (
	"math/rand/v2"
	"strings"

	"marsgym/env/game"
	"marsgym/env/game/message"
)

// AskRoll implements [game.Presenter].
func (r *Rules) AskRoll(State) message.Message { return message.New("ask.die", 1, 6) }

// ReadRoll implements [game.Presenter]: a face, 1 to 6.
func (r *Rules) ReadRoll(s State, roll string) (State, error) {
	face, err := number("die", strings.TrimSpace(roll), 6)
	if err != nil || face == 0 {
		return s, message.NewError("want.number", 1, 6)
	}
	r.land(&s, face)
	return s, nil
}

// DrawRoll implements [game.Presenter]. Each outcome has one roll.
func (r *Rules) DrawRoll(s, next State, _ *rand.PCG) string { return r.OutcomeName(s, next) }

// Narrate implements [game.Presenter].
func (r *Rules) Narrate(dst []message.Message, s, next State, a game.Action, roll string) []message.Message {
	mover := message.Seat(s.Seat)
	if s.Phase == Rolling && roll == "" {
		roll = r.OutcomeName(s, next)
	}
	switch {
	case s.Phase == Rolling && roll == "1":
		return append(dst, message.New("pig.bust", mover, s.Total, next.Score[s.Seat]))
	case s.Phase == Rolling && next.Phase == Over:
		return append(dst, message.New("pig.face", roll), message.New("pig.reaches", mover, r.cfg.Target, next.Score[s.Seat]))
	case s.Phase == Rolling:
		return append(dst, message.New("pig.total", roll, next.Total))
	case a == Hold:
		return append(dst, message.New("pig.has", mover, next.Score[s.Seat]))
	}
	return dst
}
