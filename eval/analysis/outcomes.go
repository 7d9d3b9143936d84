package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"marsgym/env"
)

// Outcome is an outcome of a chance position with its value.
type Outcome struct {
	Outcome string       `json:"outcome"`
	Prob    float64      `json:"prob"`
	Value   Number       `json:"value"` // to the seat of Outcomes
	After   env.Position `json:"-"`
}

// MaxEstimated bounds the number of outcomes whose values are estimated. Chosen.
const MaxEstimated = 100

// Outcomes values the outcomes of a chance position to a seat, the best first. If values are
// estimated there may be at most [MaxEstimated].
func Outcomes(ctx context.Context, at env.Position, v Valuer, seat int) ([]Outcome, error) {
	list := at.Outcomes()
	if !v.Exact() && len(list) > MaxEstimated {
		return nil, fmt.Errorf("the roll has %d outcomes; values of up to %d are estimated", len(list), MaxEstimated)
	}
	after := make([]env.Position, len(list))
	for i, o := range list {
		after[i] = o.State
	}
	values, err := v.Values(ctx, after)
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(list))
	for i, o := range list {
		outcomes[i] = Outcome{at.OutcomeName(o.State), o.Prob, values[i].Number(seat), o.State}
	}
	slices.SortStableFunc(outcomes, func(x, y Outcome) int { return cmp.Compare(y.Value.Value, x.Value.Value) })
	return outcomes, nil
}
