package models_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/models"
)

// decisions returns observations of D numbers that differ little in groups: those from
// first[i] on, up to first[i+1]. One in eight has nothing to do with its group.
func decisions(r *rand.Rand, d, groups int) (obs []float32, first []int) {
	x := make([]float32, d)
	draw := func(density float64) {
		for j := range x {
			if x[j] = 0; r.Float64() < density {
				x[j] = float32(r.IntN(3) + 1)
			}
		}
	}
	n := 0
	for g := range groups {
		first = append(first, n)
		draw([]float64{0.6, 0.02}[g%5/4]) // one in five has too few numbers for a group
		base := slices.Clone(x)
		for range r.IntN(9) + 1 {
			obs, n = append(obs, x...), n+1
			copy(x, base)
			for range r.IntN(9) {
				x[r.IntN(d)] = float32(r.IntN(2))
			}
			if r.IntN(8) == 0 {
				draw(0.6)
			}
		}
	}
	return obs, append(first, n)
}

// near stores observations in their groups.
func near(d int, obs []float32, first []int) *models.Observations {
	o := models.NewObservations(d, nil)
	for i, from := range first[:len(first)-1] {
		o.AppendNear(obs[from*d:(from+1)*d], obs[(from+1)*d:first[i+1]*d])
	}
	return o
}

// far reports whether numbers differ by more than rounding.
func far(got, want []float32) bool {
	for i, w := range want {
		if !(math.Abs(float64(got[i]-w)) <= 1e-4*(1+math.Abs(float64(w)))) {
			return true
		}
	}
	return len(got) != len(want)
}

// TestAppendNear compares observations that are stored as differences with the same ones
// stored whole.
func TestAppendNear(t *testing.T) {
	const d = 150
	r := rand.New(rand.NewPCG(3, 1))
	obs, first := decisions(r, d, 300)
	n := len(obs) / d
	shape := models.Shape{Obs: d, Hidden: []int{24, 16}, Head: models.Score, Actions: 6, Players: 2}
	mlp := newMLP(t, shape, 1)
	policy, values := make([]float32, n), make([]float32, 2*n)
	mlp.Forward(policy, values, obs)

	// In one, in parts that cut groups, and after a row by itself.
	all := near(d, obs, first)
	parts := models.NewObservations(d, make([]float32, d))
	parts.Reset()
	for from := 0; from < n; {
		to := min(n, from+r.IntN(12))
		parts.AppendRange(all, from, to)
		from = to
	}
	after := models.NewObservations(d, obs[:d])
	after.AppendRange(all, 1, n)
	for name, o := range map[string]*models.Observations{"all": all, "parts": parts, "after": after} {
		if o.Len() != n {
			t.Fatalf("%s: %d observations; want %d", name, o.Len(), n)
		}
		dense := make([]float32, n*d)
		o.Dense(dense)
		if !slices.Equal(dense, obs) {
			t.Errorf("%s: the observations differ", name)
		}
		p, v := make([]float32, n), make([]float32, 2*n)
		mlp.ForwardObservations(p, v, o, 0, n)
		if far(p, policy) || far(v, values) {
			t.Errorf("%s: the outputs differ", name)
		}
		l := mlp.Layers()[0]
		dz := noise(rand.New(rand.NewPCG(2, 2)), n*l.Out)
		got, want := make([]float32, d*l.Out), make([]float32, d*l.Out)
		var columns models.ObservationColumns
		columns.Set(o)
		columns.SetGradient(l.Out, dz)
		half := d / 2
		columns.WeightGradient(got[:half*l.Out], 0, half, dz, false)
		columns.WeightGradient(got[half*l.Out:], half, d, dz, true) // to zeros
		l.WeightGradient(want[:half*l.Out], 0, half, obs, dz)
		l.WeightGradient(want[half*l.Out:], half, d, obs, dz)
		if far(got, want) {
			t.Errorf("%s: the gradient differs", name)
		}
		b := o.AppendBinary(nil)
		if !slices.Equal(b, models.NewObservations(d, obs).AppendBinary(nil)) {
			t.Errorf("%s: the bytes differ", name)
		}
		if rest, err := o.CutBinary(b); err != nil || len(rest) > 0 || o.Len() != n {
			t.Errorf("%s: %d observations are read, %d bytes are left: %v", name, o.Len(), len(rest), err)
		}
	}
}

func TestAppendNearPanics(t *testing.T) {
	for _, lengths := range [][2]int{{2, 3}, {4, 3}, {6, 0}, {3, 4}} {
		func() {
			defer func() {
				want := fmt.Sprintf("models: AppendNear: lengths %d and %d: want an observation of 3 numbers", lengths[0], lengths[1])
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, want) {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			models.NewObservations(3, nil).AppendNear(make([]float32, lengths[0]), make([]float32, lengths[1]))
		}()
	}
}

// TestForwardNear: the outputs are those of Forward to rounding, and those of a group do not
// depend on the others.
func TestForwardNear(t *testing.T) {
	const d = 150
	obs, first := decisions(rand.New(rand.NewPCG(4, 1)), d, 100)
	n := len(obs) / d
	mlp := newMLP(t, models.Shape{Obs: d, Hidden: []int{24, 16}, Head: models.Score, Actions: 6, Players: 2}, 1)
	policy, values := make([]float32, n), make([]float32, 2*n)
	mlp.Forward(policy, values, obs)
	p, v := make([]float32, n), make([]float32, 2*n)
	mlp.ForwardNear(p, v, obs, first)
	if far(p, policy) || far(v, values) {
		t.Error("the outputs differ")
	}
	if slices.Equal(p, policy) {
		t.Error("the outputs are those of Forward to the bit: nothing is shared")
	}
	for i, from := range first[:len(first)-1] {
		to := first[i+1]
		alone := make([]float32, to-from)
		mlp.ForwardNear(alone, nil, obs[from*d:to*d], []int{0, to - from})
		if !slices.Equal(alone, p[from:to]) {
			t.Errorf("group %d: the outputs depend on other groups", i)
		}
	}
}

// BenchmarkAppendNear evaluates the afterstates of decisions, 1,000 rows of 600 numbers of
// which 90 are not 0 and which differ in ten, stored whole and as differences.
func BenchmarkAppendNear(b *testing.B) {
	const d, groups, size = 600, 125, 8
	r := rand.New(rand.NewPCG(1, 2))
	var obs []float32
	first := []int{0}
	for range groups {
		x := make([]float32, d)
		for range 90 {
			x[r.IntN(d)] = 1
		}
		for range size {
			obs = append(obs, x...)
			for range 5 {
				x[r.IntN(d)], x[r.IntN(d)] = 0, 1
			}
		}
		first = append(first, first[len(first)-1]+size)
	}
	s := models.Shape{Obs: d, Hidden: []int{128, 128}, Head: models.Score, Actions: 6, Players: 3}
	m := newMLP(b, s, 1)
	n := groups * size
	policy, values, dw := make([]float32, n), make([]float32, 3*n), make([]float32, d*128)
	dz := noise(r, n*128)
	o := models.NewObservations(d, nil)
	for name, store := range map[string]func(){
		"whole": func() { o.Append(obs) },
		"near": func() {
			for i, from := range first[:groups] {
				o.AppendNear(obs[from*d:(from+1)*d], obs[(from+1)*d:first[i+1]*d])
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				o.Reset()
				store()
				m.ForwardObservations(policy, values, o, 0, n)
				var columns models.ObservationColumns
				columns.Set(o)
				columns.SetGradient(m.Layers()[0].Out, dz)
				columns.WeightGradient(dw, 0, m.Layers()[0].In, dz, false)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// TestAppendSparse compares observations given as lists with the same ones given whole.
func TestAppendSparse(t *testing.T) {
	const d = 40
	obs, first := decisions(rand.New(rand.NewPCG(5, 1)), d, 50)
	o := models.NewObservations(d, nil)
	for i := range first[len(first)-1] {
		var numbers []game.Element
		for j, x := range obs[i*d:][:d] {
			if x != 0 {
				numbers = append(numbers, game.Element{Index: int32(j), Value: x})
			}
		}
		o.AppendSparse(numbers)
	}
	if !slices.Equal(o.AppendBinary(nil), models.NewObservations(d, obs).AppendBinary(nil)) {
		t.Error("the observations differ")
	}
	defer func() {
		if got := recover(); got != "sgemm: Add: the column is out of range" {
			t.Errorf("a number behind the last: panic %v", got)
		}
	}()
	o.AppendSparse([]game.Element{{Index: d, Value: 1}})
}
