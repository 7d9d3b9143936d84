package models

import (
	"fmt"

	"marsgym/internal/sgemm"
)

// Observations are n observations of D numbers, stored as the numbers that are not 0 and
// their places. Observations of games are mostly zeros, which a network skips. Several
// goroutines may read them at the same time.
type Observations struct{ rows sgemm.Rows }

// NewObservations returns a copy of obs [n, d]. It panics if the length of obs is not a
// multiple of d.
func NewObservations(d int, obs []float32) *Observations {
	o := &Observations{}
	o.rows.Reset(d)
	o.Append(obs)
	return o
}

// Len returns n.
func (o *Observations) Len() int { return o.rows.Len() }

// Reset removes all observations. The memory is reused.
func (o *Observations) Reset() { o.rows.Reset(o.rows.Columns()) }

// Append appends obs [m, D]. It panics if the length of obs is not a multiple of D.
func (o *Observations) Append(obs []float32) { o.rows.Append(obs) }

// Add adds a number that is not 0 to an observation, which [Observations.End] ends. The
// indices ascend. It panics if index is not below D.
func (o *Observations) Add(index int32, value float32) { o.rows.Add(index, value) }

// End ends an observation whose numbers were added by [Observations.Add].
func (o *Observations) End() { o.rows.EndRow() }

// AppendRange appends the observations from <= i < to of src, which has the same D.
func (o *Observations) AppendRange(src *Observations, from, to int) {
	o.rows.AppendRows(&src.rows, from, to)
}

// Dense fills obs [n, D].
func (o *Observations) Dense(obs []float32) {
	if d := o.rows.Columns(); len(obs) != o.Len()*d {
		panic(fmt.Sprintf("models: Dense: obs has length %d: want %d observations of %d", len(obs), o.Len(), d))
	}
	o.rows.Dense(obs, 0, o.Len())
}

// AppendBinary appends the observations in few bytes, without D.
func (o *Observations) AppendBinary(dst []byte) []byte { return o.rows.AppendBinary(dst) }

// CutBinary replaces the observations by those that [Observations.AppendBinary] wrote at
// the start of src, of the same D, and returns the rest. It returns an error for bytes that
// it cannot have written.
func (o *Observations) CutBinary(src []byte) (rest []byte, err error) { return o.rows.CutBinary(src) }
