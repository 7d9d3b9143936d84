package elementary

import (
	"math"
	"math/rand/v2"
)

// The ziggurat: 128 layers of equal area cover the upper half of the normal density
// e^(−x²/2). Layer i reaches to x = width[i]·2³¹, where the density is density[i], and
// numbers below within[i] are below the density anyway. Layer 0 has the tail beyond edge.
//
// Source: Marsaglia and Tsang, "The ziggurat method for generating random variables",
// Journal of Statistical Software 5(8), 2000.
var within, width, density = func() (within [128]uint32, width, density [128]float32) {
	const area, scale = 9.91256303526217e-3, 1 << 31
	x := edge
	f := Exp(-0.5 * x * x)
	base := area / f
	within[0], width[0], density[0] = uint32(x/base*scale), float32(base/scale), 1
	width[127], density[127] = float32(x/scale), float32(f)
	for i := 126; i > 0; i-- {
		last := x
		x = math.Sqrt(-2 * Log(area/x+f))
		f = Exp(-0.5 * x * x)
		within[i+1], width[i], density[i] = uint32(x/last*scale), float32(x/scale), float32(f)
	}
	return
}()

const edge = 3.442619855899

// Normal returns a number from the standard normal distribution: the one that
// r.NormFloat64 returns, which is not the same bits on every processor.
func Normal(r *rand.Rand) float64 {
	for {
		u := r.Uint64()
		j, i := int32(u), u>>32&127
		x := float64(j) * float64(width[i])
		if uint32(max(j, -j)) < within[i] {
			return x
		}
		if i == 0 {
			return math.Copysign(edge+tail(r), float64(j))
		}
		if density[i]+float32(float32(r.Float64())*(density[i-1]-density[i])) < float32(Exp(-0.5*x*x)) {
			return x
		}
	}
}

// tail returns by how much a normal number that lies beyond edge lies beyond it.
func tail(r *rand.Rand) float64 {
	for {
		x := float64(-Log(r.Float64()) * (1 / edge))
		if y := -Log(r.Float64()); y+y >= x*x {
			return x
		}
	}
}
