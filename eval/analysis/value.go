package analysis

import (
	"context"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"marsgym/env"
	"marsgym/env/game"
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

	share bool // a share of the win, which is 0 to 1, and no difference of such
}

// Valuer values positions.
type Valuer interface {
	// Method names the method, such as "exact" or "rollouts:200:greedy".
	Method() string
	// Exact reports whether all values are those of best play.
	Exact() bool
	// About says in a line what intervals of the values cover; "" if they are exact.
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

// Number is a figure with its interval, which is empty if the figure is exact.
type Number struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Exact bool    `json:"exact"`
	// NoInterval is true where there were too few samples or simulations for an interval. Low and
	// High are then 0 and 1 for a share of the win, and otherwise −1 and 1, which bound a change of a
	// share, but not a sum of changes over a game.
	NoInterval bool `json:"no_interval,omitempty"`
}

// PlusMinus returns half of the interval, and whether there is one to show.
func (n Number) PlusMinus() (half float64, ok bool) {
	return (n.High - n.Low) / 2, !n.Exact && !n.NoInterval
}

// quantile returns the quantile of Student's t whose two-sided interval has the level
// Confidence.
func quantile(freedom int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile((1 + Confidence) / 2)
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
// Student's t. An estimate by searches has a wider interval (see [Searches]).
func (v Value) Number(seat int) Number {
	mean := v.Mean[seat]
	if v.Samples == nil {
		return Number{Value: mean, Low: mean, High: mean, Exact: true}
	}
	sum := 0.0
	for _, x := range v.Samples {
		sum += float64((x[seat] - mean) * (x[seat] - mean))
	}
	n := float64(len(v.Samples))
	half := float64(quantile(len(v.Samples)-1) * math.Sqrt(sum/(n-1)/n))
	if v.Others != nil {
		change := leastError
		for _, x := range v.Others[1:] {
			change = max(change, math.Abs(x[seat]-mean))
		}
		half += change + math.Abs(v.Others[0][seat]-mean)
	}
	x := Number{Value: mean, Low: mean - half, High: mean + half}
	if v.Vague {
		x = Number{Value: mean, Low: -1, High: 1, NoInterval: true}
	}
	if v.share {
		x.Low, x.High = max(0, x.Low), min(1, x.High)
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
	v.Vague = v.Vague || x.Vague
}

// addChange adds the change of value from one position to another for a seat.
func (v *Value) addChange(seat int, from, to Value) {
	v.add(seat, to, 1)
	v.add(seat, from, -1)
}
