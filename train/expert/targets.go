package expert

import (
	"marsgym/env/game"
	"marsgym/models"
)

// Targets are what an Expert found. Memory is reused. Observations are nil where there are none.
type Targets struct {
	// Positions and their values.
	Obs   *models.Observations // [n, D] seen by the viewer
	Value []float32            // [n, P] expected returns, in the order of play from the viewer

	// Decisions: the options of decision i are Start[i] to Start[i+1].
	DecisionObs *models.Observations // [m, D] the decisions, seen by the mover; of OneMove and Search none
	Row         []int32              // [m] the decisions as rows of Obs; only of OneMove and Search
	Start       []int32              // [m+1]
	Action      []game.Action        // [k]
	AfterObs    *models.Observations // [k, D] the afterstates, seen by the mover; of Search and with Options.Logits none
	ActionValue []float32            // [k] expected return of the mover
	Logit       []float32            // [k] of the network's policy; only of Search
	Policy      []float64            // [k] target probabilities of the options, by LayOut

	Decisions int // taken in all rows, those with one legal action included
	Games     int // ended
	Evaluated int // observations that the networks evaluated, where their owner counts them
}

// reset removes all targets, for observations of d numbers.
func (t *Targets) reset(d int) {
	for _, o := range []**models.Observations{&t.Obs, &t.DecisionObs, &t.AfterObs} {
		if *o == nil {
			*o = models.NewObservations(d, nil)
		}
		(*o).Reset()
	}
	t.Value = t.Value[:0]
	t.Start, t.Action, t.ActionValue, t.Logit = append(t.Start[:0], 0), t.Action[:0], t.ActionValue[:0], t.Logit[:0]
	t.Row = t.Row[:0]
	t.Decisions, t.Games, t.Evaluated = 0, 0, 0
}

// LayOut makes Obs the rows to which a network is fitted, and computes Policy, after a search with
// these options. To the positions [n, D] it appends the afterstates [k, D] or, with Options.Logits,
// the decisions [m, D] that are no positions. With Q the values of the options in shares of the win,
// where the game has one, and τ the temperature,
//
//	π*(a) ∝ exp(Q(a)/τ)
//
// or exp(logits(a) + Q(a)/τ) of [Search].
func (t *Targets) LayOut(spec game.Spec, opt Options) {
	more := t.AfterObs
	if opt.Logits {
		more = t.DecisionObs
	}
	t.Obs.AppendRange(more, 0, more.Len())
	t.Policy = t.Policy[:0]
	for i, from := range t.Start[:len(t.Start)-1] {
		for k := from; k < t.Start[i+1]; k++ {
			x := float64(t.ActionValue[k])
			if spec.HasWin() {
				x = spec.WinShare(x)
			}
			x /= opt.Temperature
			if t.Logit != nil {
				x += float64(t.Logit[k])
			}
			t.Policy = append(t.Policy, x)
		}
		models.Softmax(t.Policy[from:], t.Policy[from:])
	}
}
