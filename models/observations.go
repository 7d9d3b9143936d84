package models

import (
	"fmt"
	"slices"
	"sync"

	"marsgym/env/game"
	"marsgym/internal/kernel/sgemm"
)

// Observations are n observations of D numbers, stored as the numbers that are not 0 and
// their places. Observations of games are mostly zeros, which a network skips. Several
// goroutines may read them at the same time.
type Observations struct {
	rows sgemm.Rows // [n, D] the observations, or their differences from that of their group
	// shared are the observations [groups, D] from which others differ little. The first layer
	// computes what they add to its outputs once for a group.
	shared sgemm.Rows
	group  []int32 // of each observation, ascending; -1 of those in none, and of those beyond its end

	alikeGroup int                 // the last of AppendAlike, or -1
	begin      [alike]game.Element // with which its observations begin
}

// NewObservations returns a copy of obs [n, d]. It panics if the length of obs is not a
// multiple of d.
func NewObservations(d int, obs []float32) *Observations {
	o := &Observations{}
	o.reset(d)
	o.Append(obs)
	return o
}

func (o *Observations) reset(d int) {
	o.rows.Reset(d)
	o.shared.Reset(d)
	o.group, o.alikeGroup = o.group[:0], -1
}

// Len returns n.
func (o *Observations) Len() int { return o.rows.Len() }

// Reset removes all observations. The memory is reused.
func (o *Observations) Reset() { o.reset(o.rows.Columns()) }

// Append appends obs [m, D]. It panics if the length of obs is not a multiple of D.
func (o *Observations) Append(obs []float32) { o.rows.Append(obs) }

// minShared is the least number of numbers that an observation shares with its group. Chosen:
// with fewer, a group is not worth its sum.
const minShared = 32

// AppendNear appends obs [D] and then near [m, D], such as the afterstates of a decision after
// its observation. Those that differ from obs in few numbers are stored as these differences.
// A network takes less time for them, and its outputs are the same to rounding. It panics if
// the lengths are wrong.
func (o *Observations) AppendNear(obs, near []float32) {
	d := o.rows.Columns()
	if len(obs) != d || len(near)%max(1, d) != 0 {
		panic(fmt.Sprintf("models: AppendNear: lengths %d and %d: want an observation of %d numbers, and whole ones", len(obs), len(near), d))
	}
	if len(near) == 0 {
		o.Append(obs)
		return
	}
	o.shared.Append(obs)
	g := o.shared.Len() - 1
	most := o.shared.Count(g) - minShared
	if most < 0 {
		o.shared.Truncate(g)
		o.Append(obs)
		o.Append(near)
		return
	}
	o.pad()
	o.rows.EndRow()
	o.group = append(o.group, int32(g))
	for ; len(near) > 0; near = near[d:] {
		if o.rows.AppendDifference(near[:d], obs, most) {
			o.group = append(o.group, int32(g))
		} else {
			o.Append(near[:d])
			o.pad()
		}
	}
}

// pad gives all observations a group, or none.
func (o *Observations) pad() {
	for len(o.group) < o.Len() {
		o.group = append(o.group, -1)
	}
}

// groupOf returns the group of observation i, or -1.
func (o *Observations) groupOf(i int) int32 {
	if i < len(o.group) {
		return o.group[i]
	}
	return -1
}

// groups returns the range of the groups of the observations from <= i < to.
func (o *Observations) groups(from, to int) (lo, hi int) {
	for i := from; i < to; i++ {
		g := int(o.groupOf(i))
		if g < 0 {
			continue
		}
		if hi == 0 {
			lo = g
		}
		hi = g + 1
	}
	return lo, hi
}

// AppendSparse appends the observation with these numbers, and zeros elsewhere. Their indices ascend.
// It panics if an index is not below D.
func (o *Observations) AppendSparse(numbers []game.Element) {
	for _, x := range numbers {
		o.rows.Add(x.Index, x.Value)
	}
	o.rows.EndRow()
}

// alike is the number of numbers with which the observations of a group of AppendAlike begin.
// Chosen: in Martian Dice for two they are scores, order, mover and phase, which no roll changes.
const alike = 5

// AppendAlike is [Observations.AppendSparse] for observations of which those in a row often begin
// with the same numbers, such as the afterstates of a turn. The first layer adds these numbers
// once. The outputs of a network are the same to the bit.
func (o *Observations) AppendAlike(numbers []game.Element) {
	if len(numbers) < alike {
		o.AppendSparse(numbers)
		return
	}
	begin := [alike]game.Element(numbers)
	if last := o.shared.Len() - 1; last < 0 || last != o.alikeGroup || begin != o.begin {
		o.alikeGroup, o.begin = last+1, begin
		for _, x := range begin {
			o.shared.Add(x.Index, x.Value)
		}
		o.shared.EndRow()
	}
	o.pad()
	o.group = append(o.group, int32(o.alikeGroup))
	o.AppendSparse(numbers[alike:])
}

// AppendRange appends the observations from <= i < to of src, which has the same D.
func (o *Observations) AppendRange(src *Observations, from, to int) {
	lo, hi := src.groups(from, to)
	if hi > 0 {
		o.pad()
		shift := int32(o.shared.Len() - lo)
		for i := from; i < to; i++ {
			g := src.groupOf(i)
			if g >= 0 {
				g += shift
			}
			o.group = append(o.group, g)
		}
		o.shared.AppendRows(&src.shared, lo, hi)
	}
	o.rows.AppendRows(&src.rows, from, to)
}

// Dense fills obs [n, D].
func (o *Observations) Dense(obs []float32) {
	if d := o.rows.Columns(); len(obs) != o.Len()*d {
		panic(fmt.Sprintf("models: Dense: obs has length %d: want %d observations of %d", len(obs), o.Len(), d))
	}
	o.rows.Dense(obs, 0, o.Len())
	for i, g := range o.group {
		if g >= 0 {
			o.shared.AddTo(obs[i*o.rows.Columns():][:o.rows.Columns()], int(g))
		}
	}
}

// AppendBinary appends the observations in few bytes, without D.
func (o *Observations) AppendBinary(dst []byte) []byte {
	if len(o.group) > 0 {
		obs := make([]float32, o.Len()*o.rows.Columns())
		o.Dense(obs)
		return NewObservations(o.rows.Columns(), obs).AppendBinary(dst)
	}
	return o.rows.AppendBinary(dst)
}

// CutBinary replaces the observations by those that [Observations.AppendBinary] wrote at
// the start of src, of the same D, and returns the rest. It returns an error for bytes that
// it cannot have written.
func (o *Observations) CutBinary(src []byte) (rest []byte, err error) {
	o.Reset()
	return o.rows.CutBinary(src)
}

// relu sets y [to-from, n] to max(x·w + bias, 0), for x the observations from <= i < to and
// w [D, n].
func (o *Observations) relu(from, to, n int, w, bias, y []float32) {
	lo, hi := o.groups(from, to)
	s := sumsPool.Get().(*groupSums)
	defer sumsPool.Put(s)
	sums := s.matrix((hi - lo) * n)
	o.shared.Mul(lo, hi, n, w, sums, sgemm.Epilogue{Bias: bias})
	for i := from; i < to; {
		g, j, start := o.groupOf(i), i+1, bias
		for j < to && o.groupOf(j) == g {
			j++
		}
		if g >= 0 {
			start = sums[(int(g)-lo)*n:][:n]
		}
		o.rows.Mul(i, j, n, w, y[(i-from)*n:(j-from)*n], sgemm.Epilogue{Bias: start, ReLU: true})
		i = j
	}
}

// ObservationColumns are observations by column, for the gradient of the first layer's
// weights. The zero value is ready for use.
type ObservationColumns struct {
	columns, shared sgemm.Rows // [D, n] and [D, groups]
	members         sgemm.Rows // [groups, n] a 1 for each observation of a group
	sums            []float32  // [groups, out] of dz
	out             int
}

// Set lays out obs [n, D]. SetGradient must follow before WeightGradient.
func (c *ObservationColumns) Set(obs *Observations) {
	c.columns.Transpose(&obs.rows)
	groups := obs.shared.Len()
	c.members.Reset(obs.Len())
	if groups == 0 {
		return
	}
	c.shared.Transpose(&obs.shared)
	i := 0
	for g := range int32(groups) {
		for ; i < len(obs.group) && obs.group[i] <= g; i++ {
			if obs.group[i] == g {
				c.members.Add(int32(i), 1)
			}
		}
		c.members.EndRow()
	}
}

// SetGradient prepares for the gradient dz [n, out] of the first layer's outputs.
func (c *ObservationColumns) SetGradient(out int, dz []float32) {
	groups := c.members.Len()
	c.out, c.sums = out, slices.Grow(c.sums[:0], groups*out)[:groups*out]
	c.members.Mul(0, groups, out, dz, c.sums, sgemm.Epilogue{})
}

// WeightGradient adds the columns from <= j < to of obs, times dz, to dw [to-from, out], or sets
// dw to that unless add is set. dz is that of SetGradient. Several goroutines may call it at the
// same time.
func (c *ObservationColumns) WeightGradient(dw []float32, from, to int, dz []float32, add bool) {
	c.columns.MulAdd(from, to, c.out, dz, dw, add)
	if len(c.sums) > 0 {
		c.shared.MulAdd(from, to, c.out, c.sums, dw, true)
	}
}

// groupSums are numbers [groups, n].
type groupSums struct{ sums []float32 }

var sumsPool = sync.Pool{New: func() any { return new(groupSums) }}

// matrix returns room for n numbers.
func (s *groupSums) matrix(n int) []float32 {
	s.sums = slices.Grow(s.sums[:0], n)[:n]
	return s.sums
}
