// Package elementary computes exponentials, logarithms and the like with the same bits
// on every processor. Package math does not: it has assembly on some processors, and the
// compiler fuses x*y + z on others. Whatever decides a seeded result uses this package.
//
// Here a product that is added to something is either fused by math.FMA or rounded by an
// explicit conversion, which forbids the compiler to fuse it, also by way of a variable.
package elementary

import "math"

// Finite reports whether x is neither infinite nor NaN.
func Finite(x float64) bool { return x-x == 0 }

// horner returns the polynomial c[0]·xⁿ + … + c[n], rounding after each operation.
func horner(x float64, c ...float64) float64 {
	s := c[0]
	for _, c := range c[1:] {
		s = float64(s*x) + c
	}
	return s
}

// Exp returns eˣ, with an error below one unit in the last place:
//
//	eˣ = 2ⁿ·eʳ,  n = round(x / ln 2),  r = x − n·ln 2
//
// The series of Taylor gives y = e^(r/16) − 1, and (1 + y)² − 1 = y·(y + 2) doubles the
// exponent four times.
//
// Source: Shibata, "Efficient evaluation methods of elementary functions suitable for
// SIMD computation", Computer Science – Research and Development 25, 2010.
func Exp(x float64) float64 {
	const (
		high = 0x1.62e42fefa39efp+9 // ln of the largest number
		low  = -745.2               // below, eˣ rounds to 0
		// ln 2 is the sum of these; the first has few enough bits for an exact n·ln2.
		ln2Upper = 0.69314718055966295651160180568695068359375
		ln2Lower = 0.28235290563031577122588448175013436025525412068e-12
	)
	switch {
	case x != x || x > high && math.IsInf(x, 1):
		return x
	case x > high:
		return math.Inf(1)
	case x < low:
		return 0
	}
	n := math.RoundToEven(x * math.Log2E)
	r := math.FMA(-n, ln2Lower, math.FMA(-n, ln2Upper, x)) / 16
	y := math.FMA(1.0/40320, r, 1.0/5040)
	y = math.FMA(y, r, 1.0/720)
	y = math.FMA(y, r, 1.0/120)
	y = math.FMA(y, r, 1.0/24)
	y = math.FMA(y, r, 1.0/6)
	y = math.FMA(y, r, 1.0/2)
	y = float64(r * math.FMA(y, r, 1))
	y = float64(y * (y + 2))
	y = float64(y * (y + 2))
	y = float64(y * (y + 2))
	y = math.FMA(y, y+2, 1)
	switch {
	case n < -1022: // the last product rounds to a subnormal number
		return y * power2(n+1022) * 0x1p-1022
	case n > 1023:
		return y * 2 * power2(n-1)
	}
	return y * power2(n)
}

// power2 returns 2ⁿ for a normal result.
func power2(n float64) float64 { return math.Float64frombits(uint64(int64(n)+1023) << 52) }

// Log returns the natural logarithm, as [math.Log] does, with an error below one unit in
// the last place.
//
// Source: e_log.c of FreeBSD's msun, by Sun Microsystems: x is 2ᵏ·(1+f), and with
// s = f/(2+f) a polynomial approximates ln(1+f) = 2s + 2s³/3 + 2s⁵/5 + …
func Log(x float64) float64 {
	const (
		ln2High = 6.93147180369123816490e-01
		ln2Low  = 1.90821492927058770002e-10
	)
	switch {
	case x != x || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	f, exponent := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f *= 2
		exponent--
	}
	f--
	k := float64(exponent)
	s := f / (2 + f)
	s2 := s * s
	s4 := s2 * s2
	odd := float64(s4*1.479819860511658591e-01) + 1.818357216161805012e-01
	odd = float64(s4*odd) + 2.857142874366239149e-01
	odd = float64(s2 * (float64(s4*odd) + 6.666666666666735130e-01))
	even := float64(s4*1.531383769920937332e-01) + 2.222219843214978396e-01
	even = float64(s4 * (float64(s4*even) + 3.999999999940941908e-01))
	half := float64(0.5 * f * f)
	tail := float64(s*(half+(odd+even))) + float64(k*ln2Low)
	return float64(k*ln2High) - (half - tail - f)
}

// Log10 returns the decimal logarithm, as [math.Log10] does.
func Log10(x float64) float64 { return Log(x) * (1 / math.Ln10) }

// Pow returns xʸ for x of at least 0: a whole power by repeated squaring, times
// e^(p·ln x) for the rest p of y.
func Pow(x, y float64) float64 {
	whole, part := math.Modf(math.Abs(y))
	if part > 0.5 {
		whole, part = whole+1, part-1
	}
	p := 1.0
	if part != 0 {
		p = Exp(part * Log(x))
	}
	for n := uint64(whole); n > 0; n >>= 1 {
		if n&1 == 1 {
			p = float64(p * x)
		}
		x = float64(x * x)
	}
	if y < 0 {
		return 1 / p
	}
	return p
}

// Cos returns the cosine of x in radians, for x from −2²⁰ to 2²⁰.
//
// Source: sin.c of the Cephes library, by Stephen Moshier: z is x less the nearest
// multiple of π/2, and a polynomial approximates the sine or the cosine of z.
func Cos(x float64) float64 {
	x = math.Abs(x)
	octant := uint64(x * (4 / math.Pi))
	octant += octant & 1
	y := float64(octant)
	// π/4 is the sum of three numbers, of which the first two have exact products with y.
	z := x - float64(y*7.85398125648498535156e-1)
	z -= float64(y * 3.77489470793079817668e-8)
	z -= float64(y * 2.69515142907905952645e-15)
	z2 := z * z
	octant &= 7
	if octant == 2 || octant == 6 {
		s := z + float64(z*z2*horner(z2, 1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
			-1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1))
		if octant == 2 {
			return -s
		}
		return s
	}
	c := 1 - float64(0.5*z2) + float64(z2*z2*horner(z2, -1.13585365213876817300e-11, 2.08757008419747316778e-9,
		-2.75573141792967388112e-7, 2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2))
	if octant == 4 {
		return -c
	}
	return c
}
