package env

import (
	"math"

	"marsgym/env/game"
)

// byRows reports whether all rows are played at once.
func (v *Vec[S]) byRows() bool { return v.rows != nil && v.crn == nil }

// stepRows is Step by [game.Rows].
func (v *Vec[S]) stepRows() error {
	buf := &v.buf
	copy(v.before, buf.Player)
	if i := v.rows.Step(v.state, buf.Action, v.dice[:len(v.dice)+1], buf.Player); i >= 0 {
		return v.rowError(i)
	}
	clear(buf.Reward)
	clear(buf.Terminated)
	clear(buf.Truncated)
	limit := int32(math.MaxInt32)
	if v.spec.MoveLimit > 0 {
		limit = int32(v.spec.MoveLimit)
	}
	moves := v.moves[:len(buf.Player)]
	for i, who := range buf.Player {
		moves[i]++
		if who >= 0 && moves[i] < limit {
			continue
		}
		buf.Terminated[i] = who == game.Terminal
		buf.Truncated[i] = who != game.Terminal
		v.end(i, who, v.before[i])
	}
	v.rows.Show(v.state, buf.Player, v.shown, v.label, buf.Obs, buf.Mask)
	return nil
}

// showAll fills the observations and action masks of all rows.
func (v *Vec[S]) showAll() {
	if !v.byRows() {
		for i := range v.state {
			v.show(i)
		}
		return
	}
	clear(v.buf.Obs)
	clear(v.buf.Mask)
	v.rows.Show(v.state, v.buf.Player, v.shown, v.label, v.buf.Obs, v.buf.Mask)
}
