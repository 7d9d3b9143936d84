package sgemm

import "math"

// fma returns x·y + z, rounded once: what a fused multiply-add of float32 gives, which Go
// has no function for. x, y and z are numbers of type float32, and so is the result.
//
// A float64 holds x·y exactly. Rounding the sum first to float64 and then to float32 is
// wrong only if the first rounding ends halfway between two numbers of type float32, which
// [doubtful] reports. If that sum is not exact, an odd one on the side of the exact sum
// replaces it: no odd number lies halfway.
//
// Source: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved
// algorithms using rounding to odd", IEEE Transactions on Computers 57(4), 2008.
func fma(x, y, z float64) float64 {
	p := float64(x * y)
	sum := p + z
	if doubtful(sum) {
		q := sum - z
		off := (p - q) + (z - (sum - q)) // by which the exact sum is larger
		b := math.Float64bits(sum)
		if off != 0 && off == off && b&1 == 0 {
			if (off > 0) == (sum > 0) {
				b++
			} else {
				b--
			}
		}
		sum = math.Float64frombits(b)
	}
	return float64(float32(sum))
}

// doubtful reports whether the sum may lie halfway between two numbers of type float32,
// subnormal ones included: its last 28 bits are 0. It is small enough for the compiler to
// inline.
func doubtful(sum float64) bool { return math.Float64bits(sum)<<36 == 0 }
