// In package models for what observations share, which outputs show to rounding only.
package models

import (
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env/game"
)

// TestShared: a group needs 32 numbers, and observations that share fewer with it are stored whole.
func TestShared(t *testing.T) {
	const d = 40
	with := func(n int) []float32 { // the first n numbers are not 0
		x := make([]float32, d)
		for i := range n {
			x[i] = 1
		}
		return x
	}
	for _, test := range []struct {
		numbers int     // of the observation
		near    []int   // of those that are near
		groups  []int32 // of all
	}{
		{31, []int{31}, []int32{-1, -1}},
		{32, []int{32, 31, 33}, []int32{0, 0, -1, -1}},
		{34, []int{32, 31, 36, 37, 34}, []int32{0, 0, -1, 0, -1, 0}},
		{34, nil, []int32{-1}},
	} {
		o := NewObservations(d, with(3)) // one before, in no group
		var near, all []float32
		for _, n := range test.near {
			near = append(near, with(n)...)
		}
		o.AppendNear(with(test.numbers), near)
		o.Append(with(5)) // and one after
		var got []int32
		for i := range o.Len() {
			got = append(got, o.groupOf(i))
		}
		if want := slices.Concat([]int32{-1}, test.groups, []int32{-1}); !slices.Equal(got, want) {
			t.Errorf("%d numbers, and %v near: groups %v; want %v", test.numbers, test.near, got, want)
		}
		all = slices.Concat(with(3), with(test.numbers), near, with(5))
		dense := make([]float32, len(all))
		if o.Dense(dense); !slices.Equal(dense, all) {
			t.Errorf("%d numbers, and %v near: they have changed", test.numbers, test.near)
		}
	}
}

// TestRangeOfGroups: the groups of some observations are those between the first and the last.
func TestRangeOfGroups(t *testing.T) {
	o := &Observations{group: []int32{-1, 0, 0, -1, 1, 2, -1}}
	for _, test := range []struct{ from, to, lo, hi int }{
		{0, 1, 0, 0}, {0, 2, 0, 1}, {1, 3, 0, 1}, {3, 4, 0, 0}, {2, 5, 0, 2}, {4, 5, 1, 2}, {5, 9, 2, 3}, {6, 9, 0, 0}, {0, 9, 0, 3},
	} {
		if lo, hi := o.groups(test.from, test.to); lo != test.lo || hi != test.hi {
			t.Errorf("%d to %d: groups %d to %d; want %d to %d", test.from, test.to, lo, hi, test.lo, test.hi)
		}
	}
}

// TestAlike: observations that begin with the same numbers share a group, and a network's outputs are
// those of whole observations, to the bit.
func TestAlike(t *testing.T) {
	const d, n = 60, 24
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(many int) (numbers []game.Element) {
		for j := range int32(d) {
			if len(numbers) < many && (j < alike || r.IntN(4) == 0) {
				numbers = append(numbers, game.Element{Index: j, Value: float32(r.NormFloat64())})
			}
		}
		return numbers
	}
	o, whole := NewObservations(d, nil), NewObservations(d, nil)
	w, bias := make([]float32, d*n), make([]float32, n)
	for i := range w {
		w[i] = float32(r.NormFloat64())
	}
	for range 2 { // once more after Reset
		o.Reset()
		whole.Reset()
		begin := draw(alike)
		var groups []int32
		for i, test := range []struct {
			fresh bool // begins with other numbers
			many  int
			group int32
		}{
			{false, 9, 0}, {false, 12, 0}, {false, alike, 0}, {false, alike - 1, -1}, {false, 7, 0},
			{true, 9, 1}, {false, 8, 1}, {true, alike, 2}, {false, 0, -1}, {false, 11, 2},
		} {
			if test.fresh {
				begin = draw(alike)
			}
			numbers := append(slices.Clone(begin), draw(test.many)[min(alike, test.many):]...)[:test.many]
			o.AppendAlike(numbers)
			whole.AppendSparse(numbers)
			if groups = append(groups, test.group); o.groupOf(i) != test.group {
				t.Fatalf("the groups of observations %d are %v; want %v", i, o.group, groups)
			}
		}
		near := make([]float32, d)
		for j := range near {
			near[j] = float32(j + 1)
		}
		o.AppendNear(near, near) // a group of another kind, after which begins a new one
		whole.Append(slices.Concat(near, near))
		numbers := append(begin, draw(9)[alike:]...)
		o.AppendAlike(numbers)
		whole.AppendSparse(numbers)

		got, want := make([]float32, o.Len()*n), make([]float32, o.Len()*n)
		o.relu(0, o.Len(), n, w, bias, got)
		whole.relu(0, o.Len(), n, w, bias, want)
		if !slices.Equal(got, want) {
			t.Error("the outputs of the first layer differ")
		}
	}
}
