package env

import (
	"math/rand/v2"
	"slices"

	"marsgym/env/game"
)

// byRows reports whether all rows are played at once.
func (v *Vec[S]) byRows() bool { return v.stepper != nil && v.crn == nil }

// stepRows is Step by [game.Rows].
func (v *Vec[S]) stepRows() error {
	if v.single {
		v.showAll()
	}
	buf := &v.buf
	copy(v.before, buf.Player)
	v.held = v.held[:0]
	dice := v.dice[:len(v.dice)+1]
	illegal := v.stepper.Step(v.state, buf.Action, dice, buf.Player)
	if illegal >= 0 && buf.Action[illegal] == Hold {
		if v.mostHeld() {
			return v.stepSingly()
		}
		v.hold()
		illegal = v.stepper.Step(v.state, buf.Action, dice, buf.Player)
	}
	for _, h := range v.held {
		buf.Action[h.i] = Hold
	}
	if illegal >= 0 {
		return v.rowError(illegal)
	}
	for _, h := range v.held {
		v.state[h.i], v.dice[h.i], buf.Player[h.i] = h.state, h.dice, v.before[h.i]
		v.moves[h.i]--
	}
	clear(buf.Reward)
	clear(buf.Terminated)
	clear(buf.Truncated)
	moves := v.moves[:len(buf.Player)]
	for i, who := range buf.Player {
		moves[i]++
		if who >= 0 && !v.spec.Truncates(who, int(moves[i])) {
			continue
		}
		buf.Terminated[i] = who == game.Terminal
		buf.Truncated[i] = who != game.Terminal
		v.end(i, who, v.before[i])
	}
	v.showRows()
	return nil
}

// showRows fills the observations and action masks of all rows by [game.Rows].
func (v *Vec[S]) showRows() {
	buf := &v.buf
	if v.compact != nil {
		v.codeRows.Show(v.state, buf.Player, v.shown, v.label, buf.Codes, buf.Mask)
	} else {
		v.rows.Show(v.state, buf.Player, v.shown, v.label, buf.Obs, buf.Mask)
	}
}

// heldRow is what a row was before a step that leaves it as it is.
type heldRow[S comparable] struct {
	i     int
	state S
	dice  rand.PCG
}

// mostHeld reports whether most rows are held, so that it is faster to play the others
// singly.
func (v *Vec[S]) mostHeld() bool {
	held := 0
	for _, a := range v.buf.Action {
		if a == Hold {
			held++
		}
	}
	return 2*held > len(v.buf.Action)
}

// hold lets the rows whose action is [Hold] play a legal one, and stores what they were.
func (v *Vec[S]) hold() {
	for i, a := range v.buf.Action {
		if a == Hold {
			v.held = append(v.held, heldRow[S]{i, v.state[i], v.dice[i]})
			v.buf.Action[i] = game.Action(slices.Index(v.buf.Mask[i*v.spec.Actions:(i+1)*v.spec.Actions], true))
		}
	}
}

// showAll fills the observations and action masks of all rows.
func (v *Vec[S]) showAll() {
	if !v.byRows() {
		for i := range v.state {
			v.show(i)
		}
		return
	}
	v.single = false
	clear(v.buf.Obs)
	clear(v.buf.Codes)
	clear(v.buf.Mask)
	v.showRows()
}
