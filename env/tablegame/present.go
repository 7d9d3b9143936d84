package tablegame

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/input"
)

// Format implements [game.Presenter]: "s" and the number of the state.
func (r *Rules) Format(s State) string {
	if int(s.At) >= len(r.t.Mover) {
		return "none"
	}
	return fmt.Sprint("s", s.At)
}

// Parse implements [game.Presenter].
func (r *Rules) Parse(text string) (State, error) {
	number, ok := strings.CutPrefix(text, "s")
	n, err := strconv.ParseUint(number, 10, 32)
	if !ok || err != nil || n >= uint64(len(r.t.Mover)) || number != strconv.FormatUint(n, 10) {
		return State{}, fmt.Errorf("%s is no position; want s0 to s%d", input.Quote(text), len(r.t.Mover)-1)
	}
	return State{uint32(n)}, nil
}

// ActionName implements [game.Presenter]: the text of an action in lower case, with "-" for spaces, if
// all differ; else the number.
func (r *Rules) ActionName(a game.Action) string { return r.names[a] }

// DescribeAction implements [game.Presenter]: the text of the action, and where it leads.
func (r *Rules) DescribeAction(s State, a game.Action) message.Message {
	next, err := r.Apply(s, a)
	if err != nil {
		return message.Message{}
	}
	leads := message.New("table.leads", r.Format(next))
	if text := strings.Join(strings.Fields(r.t.ActionText.At(int(a))), " "); text != "" {
		return message.Note(message.Text(text), leads)
	}
	return leads
}

// OutcomeName implements [game.Presenter].
func (r *Rules) OutcomeName(_, next State) string { return r.Format(next) }

// AskRoll implements [game.Presenter].
func (r *Rules) AskRoll(State) message.Message { return message.New("ask.outcome") }

// ReadRoll implements [game.Presenter]: an outcome.
func (r *Rules) ReadRoll(s State, roll string) (State, error) {
	next, err := r.Parse(strings.TrimSpace(roll))
	if err == nil {
		for _, to := range r.t.Successors(s.At) {
			if to == next.At {
				return next, nil
			}
		}
		err = fmt.Errorf("%s is no outcome of %s", r.Format(next), r.Format(s))
	}
	return s, err
}

// DrawRoll implements [game.Presenter]. Each outcome has one roll.
func (r *Rules) DrawRoll(_, next State, _ *rand.PCG) string { return r.Format(next) }

// Narrate implements [game.Presenter].
func (r *Rules) Narrate(dst []message.Message, s, next State, _ game.Action, _ string) []message.Message {
	if r.CurrentPlayer(s) == game.Chance {
		dst = append(dst, message.New("table.leads", r.Format(next)))
	}
	return dst
}

// number returns a return as text.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// Scene implements [game.Presenter]: the text of the state as a board. A score is an integer: the seats
// of an end with other returns have 0 points, and their return as a note.
func (r *Rules) Scene(s State) game.Scene {
	who := r.CurrentPlayer(s)
	scene := game.Scene{Goal: message.Text(r.spec.Title), Player: who, Board: r.t.StateText.At(int(s.At))}
	if r.t.About != "" {
		scene.Goal = message.Text(r.t.About)
	}
	returns := r.Returns(nil, s)
	for _, v := range returns {
		seat := game.SceneSeat{Score: game.SceneScore{Name: "points"}}
		if v == math.Trunc(v) && math.Abs(v) < math.MaxInt32 {
			seat.Score.Value = int(v)
		} else {
			seat.Notes = append(seat.Notes, message.Text(number(v)))
		}
		scene.Seats = append(scene.Seats, seat)
	}
	switch who {
	case game.Chance:
		scene.Text = message.New("table.chance", r.Format(s))
		scene.Roll = &game.SceneRoll{Count: 1}
		for _, to := range r.t.Successors(s.At) {
			name := r.Format(State{to})
			scene.Roll.Faces = append(scene.Roll.Faces, game.SceneFace{Text: name, Name: name})
		}
	case game.Terminal:
		var list []string
		for _, v := range returns {
			list = append(list, number(v))
		}
		scene.Text = message.New("table.over", r.Format(s), strings.Join(list, ", "))
	default:
		scene.Text = message.New("table.choose", r.Format(s), message.Seat(who))
	}
	return scene
}
