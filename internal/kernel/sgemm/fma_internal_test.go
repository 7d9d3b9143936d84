package sgemm

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactFMA is fma by numbers of any precision. Its result is rounded once; big.Float has
// no subnormal numbers, but rounds to them in Float32.
func exactFMA(x, y, z float32) float32 {
	wide := func(x float32) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(float64(x)) }
	sum := wide(x)
	sum.Mul(sum, wide(y))
	sum.Add(sum, wide(z))
	f, _ := sum.Float32()
	return f
}

// TestFMA draws numbers whose sums often lie halfway between two of type float32, or next
// to that, and whose results are often subnormal or cancel.
func TestFMA(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(exponent int) float32 {
		m := uint32(r.Uint32()) & (1<<23 - 1)
		switch r.IntN(3) {
		case 0:
			m &= 7 << 20 // few bits
		case 1:
			m = m&(1<<23-1<<20) | uint32(r.IntN(3)) // and one far below
		}
		return math.Float32frombits(r.Uint32()&(1<<31) | uint32(127+exponent)<<23 | m)
	}
	halfway := 0
	for range 400_000 {
		a, b := r.IntN(40)-20, r.IntN(40)-20
		if r.IntN(4) == 0 {
			a -= 65
			b -= 65
		}
		x, y, z := draw(a), draw(b), draw(max(-126, min(127, a+b+r.IntN(52)-26)))
		switch r.IntN(50) {
		case 0:
			z = -x * y // cancels except for the rounding
		case 1:
			z = math.Float32frombits(r.Uint32() & (1<<31 | 1<<20 - 1)) // subnormal or 0
		}
		want := exactFMA(x, y, z)
		if got := float32(fma(float64(x), float64(y), float64(z))); math.Float32bits(got) != math.Float32bits(want) && (got != 0 || want != 0) {
			t.Fatalf("%v·%v + %v is %v, want %v", x, y, z, got, want)
		}
		if float32(float64(x)*float64(y)+float64(z)) != want {
			halfway++
		}
	}
	if halfway < 100 {
		t.Errorf("only %d sums need rounding to odd", halfway)
	}
}

func TestFMAOfSpecialValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	zero := float32(math.Copysign(0, -1))
	for _, test := range []struct{ x, y, z, want float32 }{
		{0, 1, 0, 0},
		{zero, 1, zero, zero},
		{zero, 1, 0, 0},
		{1, 1, -1, 0},
		{inf, 1, 0, inf},
		{inf, 0, 0, nan},
		{inf, 1, -inf, nan},
		{1, 1, nan, nan},
		{math.MaxFloat32, 2, 0, inf},
		{math.MaxFloat32, 2, -math.MaxFloat32, math.MaxFloat32},
	} {
		got := float32(fma(float64(test.x), float64(test.y), float64(test.z)))
		if math.Float32bits(got) != math.Float32bits(test.want) && (got == got || test.want == test.want) {
			t.Errorf("%v·%v + %v is %v, want %v", test.x, test.y, test.z, got, test.want)
		}
	}
}
