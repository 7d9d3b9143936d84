package env

import (
	"slices"

	"marsgym/env/game"
	"marsgym/internal/core"
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

// maxChance is the number of successive chance states whose outcomes are listed. Chosen.
const maxChance = 4

// leaf is an outcome of chance after which no chance follows, with its probability.
type leaf[S comparable] struct {
	state S
	prob  float64
}

// outcomeLister lists outcomes.
type outcomeLister[S comparable] struct {
	rules  *core.Rules[S]
	levels [maxChance][]game.Outcome[S]
	leaves []leaf[S]
	sum    []float64 // [P]
}

// list appends what can follow s, which is reached with probability prob, to leaves, and reports
// whether that is all of it and no more than limit leaves.
func (x *outcomeLister[S]) list(s S, prob float64, level, limit int) bool {
	if x.rules.CurrentPlayer(s) != game.Chance {
		x.leaves = append(x.leaves, leaf[S]{s, prob})
		return len(x.leaves) <= limit
	}
	if level == maxChance {
		return false
	}
	outcomes := x.rules.Outcomes(x.levels[level][:0], s)
	x.levels[level] = outcomes
	if len(outcomes) > limit {
		return false
	}
	for k := range outcomes {
		if !x.list(outcomes[k].State, prob*outcomes[k].Prob, level+1, limit) {
			return false
		}
	}
	return true
}

// Outcomes implements [Batch].
func (v *Vec[S]) Outcomes(dst *Outcomes, limit int) {
	dst.reset()
	x := &v.outcomes
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
		x.leaves = x.leaves[:0]
		if x.list(s, 1, 0, limit) {
			v.addOutcomes(dst, i)
		}
	}
}

// addOutcomes adds the leaves listed last as outcomes of row i.
func (v *Vec[S]) addOutcomes(dst *Outcomes, i int) {
	x, p, first := &v.outcomes, v.spec.Players, len(dst.Return)
	dst.Row = append(dst.Row, i)
	dst.Return = append(dst.Return, make([]float32, p)...)
	for _, l := range x.leaves {
		who := v.rules.CurrentPlayer(l.state)
		if who == game.Terminal {
			x.sum = v.rules.Returns(x.sum[:0], l.state)
			for j, r := range x.sum {
				dst.Return[first+j] += float32(l.prob * r)
			}
			continue
		}
		dst.Prob, dst.Player = append(dst.Prob, float32(l.prob)), append(dst.Player, who)
		n := len(dst.Obs)
		dst.Obs = slices.Grow(dst.Obs, v.d)[:n+v.d]
		v.rules.Encode(dst.Obs[n:], v.rules.Representative(l.state), who)
	}
	dst.Start = append(dst.Start, len(dst.Prob))
}
