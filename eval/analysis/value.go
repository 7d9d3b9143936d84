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
}

// Valuer values positions.
type Valuer interface {
	// Method names the method, such as "exact" or "rollouts:200:greedy".
	Method() string
	// Exact reports whether all values are those of best play.
	Exact() bool
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
}

// quantile returns the quantile of Student's t whose two-sided interval has the level
// Confidence.
func quantile(freedom int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile((1 + Confidence) / 2)
}

// sampled returns the value with these samples [n, P] and their mean.
func sampled(samples [][]float64) Value {
	v := Value{make([]float64, len(samples[0])), samples}
	for _, row := range samples {
		for seat, x := range row {
			v.Mean[seat] += x / float64(len(samples))
		}
	}
	return v
}

// Number returns the value to a seat. An estimate is the mean of the samples, with the
// interval of Student's t.
func (v Value) Number(seat int) Number {
	mean := v.Mean[seat]
	if v.Samples == nil {
		return Number{mean, mean, mean, true}
	}
	sum := 0.0
	for _, x := range v.Samples {
		sum += float64((x[seat] - mean) * (x[seat] - mean))
	}
	n := float64(len(v.Samples))
	half := float64(quantile(len(v.Samples)-1) * math.Sqrt(sum/(n-1)/n))
	return Number{mean, mean - half, mean + half, false}
}

// sample returns sample k [P]. All samples of an exact value are the value.
func (v Value) sample(k int) []float64 {
	if v.Samples == nil {
		return v.Mean
	}
	return v.Samples[k]
}

// add adds factor·x to v for one seat, sample by sample. All values of a game have the
// same number of samples, or none.
func (v *Value) add(seat int, x Value, factor float64) {
	for len(v.Samples) < len(x.Samples) { // v was exact
		v.Samples = append(v.Samples, append([]float64(nil), v.Mean...))
	}
	v.Mean[seat] += factor * x.Mean[seat]
	for k, row := range v.Samples {
		row[seat] += factor * x.sample(k)[seat]
	}
}

// addChange adds the change of value from one position to another for a seat.
func (v *Value) addChange(seat int, from, to Value) {
	v.add(seat, to, 1)
	v.add(seat, from, -1)
}
