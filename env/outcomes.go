package env

import (
	"slices"

	"marsgym/env/game"
)

// Outcomes are the decisions that can follow the actions of some rows, after all of the chance
// in between. Those of Row[i] are Start[i] to Start[i+1]. The slices grow as needed and
// are reused.
type Outcomes struct {
	Row    []int         // [R] ascending
	Start  []int         // [R+1]
	Prob   []float32     // [M]
	Player []game.Player // [M] the seat to move
	Obs    []float32     // [M, D] what it observes
	// Return [R, P] is the part of the expected return of outcomes that end the game, by
	// seat: the probabilities of a row sum to less than 1 if there are any.
	Return []float32
}

// reset clears o.
func (o *Outcomes) reset() {
	o.Row, o.Prob, o.Player, o.Obs, o.Return = o.Row[:0], o.Prob[:0], o.Player[:0], o.Obs[:0], o.Return[:0]
	o.Start = append(o.Start[:0], 0)
}

// Outcomes implements [Batch].
func (v *Vec[S]) Outcomes(dst *Outcomes, limit int) {
	dst.reset()
	for i, a := range v.buf.Action {
		if uint(a) >= uint(v.spec.Actions) {
			continue // Step refuses it
		}
		if label := v.label[i]; label != nil {
			a = label[a]
		}
		s, err := v.rules.Apply(v.state[i], a)
		if err != nil || v.rules.CurrentPlayer(s) != game.Chance {
			continue
		}
		var all bool
		if v.outcomes, all = v.chance.Follow(v.outcomes[:0], s, limit, nil); all {
			v.addOutcomes(dst, i)
		}
	}
}

// addOutcomes adds the outcomes listed last to those of row i.
func (v *Vec[S]) addOutcomes(dst *Outcomes, i int) {
	p, first := v.spec.Players, len(dst.Return)
	dst.Row = append(dst.Row, i)
	dst.Return = append(dst.Return, make([]float32, p)...)
	for _, o := range v.outcomes {
		who := v.rules.CurrentPlayer(o.State)
		if who == game.Terminal {
			v.returns = v.rules.Returns(v.returns[:0], o.State)
			for j, r := range v.returns {
				dst.Return[first+j] += float32(o.Prob * r)
			}
			continue
		}
		dst.Prob, dst.Player = append(dst.Prob, float32(o.Prob)), append(dst.Player, who)
		n := len(dst.Obs)
		dst.Obs = slices.Grow(dst.Obs, v.d)[:n+v.d]
		v.rules.Encode(dst.Obs[n:], o.State, who)
	}
	dst.Start = append(dst.Start, len(dst.Prob))
}
