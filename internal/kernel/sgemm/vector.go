package sgemm

import (
	"fmt"
	"math"
)

// rectify sets y to max(y, 0). NaN stays NaN.
func rectify(y []float32) {
	done := active().relu(y)
	reluGo(y[done:])
}

// reluGrad sets dy to 0 where y, the output of ReLU, is not above 0. NaN counts as above.
func reluGrad(dy, y []float32) {
	done := active().reluGrad(dy, y)
	reluGradGo(dy[done:], y[done:])
}

// Adam holds the constants of one step of the optimizer Adam, see package models. The
// assembly depends on the order of the fields.
type Adam struct{ Scale, Beta1, Rest1, Beta2, Rest2, Rate, Root, Eps float32 }

// Step updates the weights w and their moments m and v by the gradient g, all [n]:
//
//	g' = Scale·g   m ← Beta1·m + Rest1·g'   v ← Beta2·v + Rest2·g'²
//	w ← w − Rate·m / (Root·√v + Eps)
//
// Moments that are subnormal numbers become 0: that of a weight without a gradient would
// otherwise stay one for ever, and processors take a hundred times as long for them.
// Every operation is rounded, so the bits are the same on every architecture.
func (c *Adam) Step(w, m, v, g []float32) {
	same("m", len(m), len(w))
	same("v", len(v), len(w))
	same("g", len(g), len(w))
	done := active().adam(c, w, m, v, g)
	adamGo(c, w[done:], m[done:], v[done:], g[done:])
}

func same(name string, got, want int) {
	if got != want {
		panic(fmt.Sprintf("sgemm: %s has length %d, want %d", name, got, want))
	}
}

func reluGo(y []float32) {
	for i, v := range y {
		if v < 0 {
			y[i] = 0
		}
	}
}

func reluGradGo(dy, y []float32) {
	for i, y := range y {
		if y <= 0 {
			dy[i] = 0
		}
	}
}

func adamGo(c *Adam, w, m, v, g []float32) {
	for i, g := range g {
		// The conversions prevent fused multiply-adds.
		g *= c.Scale
		m[i] = flush(float32(c.Beta1*m[i]) + float32(c.Rest1*g))
		v[i] = flush(float32(c.Beta2*v[i]) + float32(float32(c.Rest2*g)*g))
		root := float32(c.Root * float32(math.Sqrt(float64(v[i]))))
		w[i] -= float32(c.Rate*m[i]) / (root + c.Eps)
	}
}

// flush returns x, or 0 if x is a subnormal number.
func flush(x float32) float32 {
	if -0x1p-126 < x && x < 0x1p-126 {
		return 0
	}
	return x
}
