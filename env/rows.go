package env

import (
	"fmt"

	"marsgym/env/game"
)

// rows plays all rows of a batch at once, for rules that can.
type rows[S comparable] struct {
	game.Rows[S]
	actions []game.Action // [N] of the states, not of their representatives
	players []game.Player // [N] before the step
}

func newRows[S comparable](p game.RowPlayer[S], n int) *rows[S] {
	return &rows[S]{Rows: p.NewRows(n), actions: make([]game.Action, n), players: make([]game.Player, n)}
}

// stepRows is Step of all rows at once.
func (v *Vec[S]) stepRows() error {
	buf, r := &v.buf, v.rows
	actions := buf.Action
	if v.rules.Symmetry != nil {
		actions = r.actions
		for i, a := range buf.Action {
			if label := v.label[i]; uint(a) < uint(len(label)) {
				a = label[a]
			}
			actions[i] = a
		}
	}
	copy(r.players, buf.Player)
	if i := r.Step(v.state, actions, v.dice[:len(v.dice)+1], buf.Player); i >= 0 {
		copy(buf.Player, r.players)
		return v.rowError(i, actions[i])
	}
	clear(buf.Reward)
	clear(buf.Terminated)
	clear(buf.Truncated)
	limit := int32(v.spec.MoveLimit)
	for i, who := range buf.Player {
		v.moves[i]++
		if who >= 0 && (limit == 0 || v.moves[i] < limit) {
			continue
		}
		if who == game.Terminal {
			buf.Terminated[i] = true
			v.pay(i)
		} else {
			if who == game.Chance {
				who = r.players[i] // acted last
			}
			buf.Truncated[i] = true
			v.showFinal(i, who)
		}
		v.start(i)
	}
	r.Show(v.state, buf.Player, v.shown, v.label, buf.Obs, buf.Mask)
	return nil
}

// rowError is the error of action a, illegal in row i.
func (v *Vec[S]) rowError(i int, a game.Action) error {
	if uint(a) >= uint(v.spec.Actions) {
		return &RowError{i, a, fmt.Errorf("actions are 0 to %d: %w", v.spec.Actions-1, game.ErrIllegalAction)}
	}
	_, err := v.rules.Apply(v.state[i], a)
	return &RowError{i, v.buf.Action[i], err}
}
