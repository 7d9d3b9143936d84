package sgemm_test

import (
	"math"
	"slices"
	"testing"

	"marsgym/internal/kernel/sgemm"
	"marsgym/internal/kernel/simd/simdtest"
)

// edges returns a source of numbers from −1 to 1. Every third number is a zero of either
// sign, an infinity, a NaN or the smallest positive number.
func edges() func() float32 {
	next, i := reals(), 0
	rare := []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(-1)), float32(math.NaN()), math.SmallestNonzeroFloat32}
	return func() float32 {
		if i++; i%3 == 0 {
			return rare[i/3%len(rare)]
		}
		return next()
	}
}

// drawn returns n numbers from next.
func drawn(n int, next func() float32) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = next()
	}
	return x
}

// compare fails the test if got and want differ in a bit of numbers that are not both
// NaN.
func compare(t *testing.T, name string, got, want []float32) {
	t.Helper()
	for i, w := range want {
		if math.Float32bits(got[i]) != math.Float32bits(w) && (got[i] == got[i] || w == w) {
			t.Fatalf("%s of %d: element %d is %v, want %v", name, len(want), i, got[i], w)
		}
	}
}

func TestReLUGrad(t *testing.T) {
	simdtest.Each(t, func(t *testing.T) {
		next := edges()
		for n := range 50 {
			dy, y := drawn(n, next), drawn(n, next)
			want := slices.Clone(dy)
			for i, v := range y {
				if v <= 0 {
					want[i] = 0
				}
			}
			sgemm.ReLUGrad(dy, y)
			compare(t, "dy", dy, want)
		}
	})
}

func TestAdamStep(t *testing.T) {
	c := sgemm.Adam{Scale: 0.7, Beta1: 0.9, Rest1: 0.1, Beta2: 0.99, Rest2: 0.01, Rate: 0.3, Root: 1.1, Eps: 1e-3}
	simdtest.Each(t, func(t *testing.T) {
		next := reals()
		for n := range 50 {
			w, m, v, g := drawn(n, next), drawn(n, next), drawn(n, next), drawn(n, next)
			for i := range v {
				v[i] *= v[i]
				if i%5 == 0 { // the new moments are near the least normal number
					w[i], m[i], v[i], g[i] = w[i]*0x1p-126, m[i]*0x1p-125, v[i]*0x1p-125, 0
				}
			}
			wantW, wantM, wantV := slices.Clone(w), slices.Clone(m), slices.Clone(v)
			for i := range n {
				// Products of two float32 are exact in float64, so each line
				// rounds once for every operation.
				round := func(x float64) float64 { return float64(float32(x)) }
				gi := round(float64(c.Scale) * float64(g[i]))
				mi := round(round(float64(c.Beta1)*float64(m[i])) + round(float64(c.Rest1)*gi))
				vi := round(round(float64(c.Beta2)*float64(v[i])) + round(round(float64(c.Rest2)*gi)*gi))
				if math.Abs(mi) < 0x1p-126 {
					mi = 0
				}
				if vi < 0x1p-126 {
					vi = 0
				}
				root := round(round(float64(c.Root)*round(math.Sqrt(vi))) + float64(c.Eps))
				wantW[i] = float32(float64(w[i]) - round(round(float64(c.Rate)*mi)/root))
				wantM[i], wantV[i] = float32(mi), float32(vi)
			}
			c.Step(w, m, v, g)
			compare(t, "w", w, wantW)
			compare(t, "m", m, wantM)
			compare(t, "v", v, wantV)
		}
	})
}
