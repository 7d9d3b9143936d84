package analysis

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/eval"
	"marsgym/internal/figure"
)

// Value is the value of a position by seat [P]: the expected share of the win or, in a
// game without a win, the expected return.
type Value struct {
	Mean    []float64   // [P]
	Samples [][]float64 // [n, P] whose mean it is; nil if it is exact
	// Others [k, P] are the evened value and then the values of smaller searches (see [Searches]);
	// nil for other estimates. They add up like the value.
	Others [][]float64
	// Vague values have too few samples or simulations for an interval.
	Vague bool

	share bool    // a share of the win, which is 0 to 1, and no difference of such
	unit  float64 // see halfOf: unitOf the game if the samples are results of games, else 0
}

// Valuer values positions.
type Valuer interface {
	// Method names the method, such as "exact" or "rollouts:200:greedy".
	Method() string
	// Exact reports whether all values are those of best play.
	Exact() bool
	// About says in a line what stands behind ± and what it covers; "" if values are exact.
	About() string
	// Values returns the values of positions of the game, in their order.
	Values(ctx context.Context, at []env.Position) ([]Value, error)
}

// NewExact returns the Valuer of a solved game.
func NewExact(spec game.Spec, s env.Solution) Valuer { return exact{spec, s} }

type exact struct {
	spec     game.Spec
	solution env.Solution
}

func (exact) Method() string { return "exact" }
func (exact) Exact() bool    { return true }
func (exact) About() string  { return "" }

func (e exact) Values(ctx context.Context, at []env.Position) ([]Value, error) {
	list := make([]Value, len(at))
	for i, p := range at {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, err := e.solution.Value(p)
		if err != nil {
			return nil, err
		}
		list[i].Mean = shares(e.spec, v)
	}
	return list, nil
}

// shares converts returns into shares of the win, in place, where there is one.
func shares(spec game.Spec, returns []float64) []float64 {
	if spec.HasWin() {
		for i, r := range returns {
			returns[i] = spec.WinShare(r)
		}
	}
	return returns
}

// Confidence is the level of all intervals.
const Confidence = 0.99

// Number is a figure with its interval, which is empty if the figure is exact, and within what is
// possible: 0 to 1 for a share of the win, and from 0 on for a loss.
type Number struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Exact bool    `json:"exact"`
	// NoInterval is true where there were too few samples or simulations for an interval. Low and
	// High are then 0 and 1 for a share of the win or a loss, and otherwise −1 and 1, which bound a
	// change of a share, but not a sum of changes over a game.
	NoInterval bool `json:"no_interval,omitempty"`
}

// PlusMinus returns the larger distance from the value to an end of the interval, and whether there
// is one to show.
func (n Number) PlusMinus() (reach float64, ok bool) {
	return max(n.High-n.Value, n.Value-n.Low), !n.Exact && !n.NoInterval
}

// aboutEstimates returns what [Valuer.About] says of estimates whose intervals cover this.
func aboutEstimates(covered string) string {
	return fmt.Sprintf("Behind ± is how far the %.0f %% interval reaches, which covers %s", 100*Confidence, covered)
}

// Quantile returns the quantile of Student's t whose two-sided interval has the level
// [Confidence].
func Quantile(freedom int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile((1 + Confidence) / 2)
}

// unitOf returns the unit of halfOf: the fair share of the win, or one of what is counted.
func unitOf(spec game.Spec) float64 {
	if spec.HasWin() {
		return 1 / float64(spec.Players)
	}
	return 1
}

// halfOf returns half of the interval of Student's t for the mean of n values, from the squares of
// their differences from it. The unit, if not 0, is the difference of one further value: games that
// end alike do not prove that all do, and so the width is not 0.
func halfOf(squares float64, n int, unit float64) float64 {
	if k := float64(n); unit > 0 {
		squares += float64(unit * unit * k / (k + 1))
		n++
	}
	return Quantile(n-1) * math.Sqrt(squares/float64(n-1)/float64(n))
}

// HalfInterval returns half of the interval of Student's t, of the level [Confidence], for the mean of
// at least two independent values.
func HalfInterval(values []float64) float64 {
	return halfOf(stat.Variance(values, nil)*float64(len(values)-1), len(values), 0)
}

// sampled returns the value with these samples [n, P] and their mean.
func sampled(samples [][]float64) Value {
	v := Value{Mean: make([]float64, len(samples[0])), Samples: samples}
	for _, row := range samples {
		for seat, x := range row {
			v.Mean[seat] += x / float64(len(samples))
		}
	}
	return v
}

// leastError is the least error of a search besides chance. Chosen: see docs/lab/estimators.md.
const leastError = 0.005

// Number returns the value to a seat. An estimate is the mean of the samples, with the interval of
// Student's t or, for shares of the win in games, of [eval.ShareInterval]. An estimate by searches
// has a wider interval (see [Searches]).
func (v Value) Number(seat int) Number {
	mean := v.Mean[seat]
	if v.Samples == nil {
		return Number{Value: mean, Low: mean, High: mean, Exact: true}
	}
	sum := 0.0
	for _, x := range v.Samples {
		sum += float64((x[seat] - mean) * (x[seat] - mean))
	}
	half := halfOf(sum, len(v.Samples), v.unit)
	if v.Others != nil {
		change := leastError
		for _, x := range v.Others[1:] {
			change = max(change, math.Abs(x[seat]-mean))
		}
		half += change + math.Abs(v.Others[0][seat]-mean)
	}
	x := Number{Value: mean, Low: mean - half, High: mean + half}
	if v.share && v.unit > 0 {
		results := make([]float64, len(v.Samples))
		for k, row := range v.Samples {
			results[k] = row[seat]
		}
		x.Low, x.High = eval.ShareInterval(results)
	}
	if v.Vague {
		x = Number{Value: mean, Low: -1, High: 1, NoInterval: true}
	}
	if v.share {
		x.Low, x.High = max(0, x.Low), min(1, x.High)
	}
	return x
}

// change is Number of a sum of changes, of which an exact one within rounding is 0.
func (v Value) change(seat int) Number {
	x := v.Number(seat)
	if x.Exact {
		x.Value = figure.Clean(x.Value)
		x.Low, x.High = x.Value, x.Value
	}
	return x
}

// loss returns the Number of what a seat has lost, limited to 0..most.
func (v Value) loss(seat int, most float64) Number {
	x := v.change(seat)
	if x.Exact {
		return x
	}
	half := x.High - x.Value
	if x.Low = max(0, x.Low); !x.NoInterval {
		x.High = min(max(half, x.High), most)
	}
	return x
}

// sample returns sample k [P]. All samples of an exact value are the value.
func (v Value) sample(k int) []float64 { return v.of(v.Samples, k) }

// of returns row k of one of v's slices [k, P], or the value where that has none.
func (v Value) of(rows [][]float64, k int) []float64 {
	if rows == nil {
		return v.Mean
	}
	return rows[k]
}

// add adds factor·x to v for one seat, sample by sample. All values of a game have the
// same number of samples, or none.
func (v *Value) add(seat int, x Value, factor float64) {
	for len(v.Samples) < len(x.Samples) { // v was exact
		v.Samples = append(v.Samples, append([]float64(nil), v.Mean...))
	}
	for len(v.Others) < len(x.Others) {
		v.Others = append(v.Others, append([]float64(nil), v.Mean...))
	}
	v.Mean[seat] += float64(factor * x.Mean[seat])
	for k, row := range v.Samples {
		row[seat] += float64(factor * x.sample(k)[seat])
	}
	for k, row := range v.Others {
		row[seat] += float64(factor * x.of(x.Others, k)[seat])
	}
	v.Vague, v.unit = v.Vague || x.Vague, max(v.unit, x.unit)
}

// addChange adds the change of value from one position to another for a seat.
func (v *Value) addChange(seat int, from, to Value) {
	v.add(seat, to, 1)
	v.add(seat, from, -1)
}
