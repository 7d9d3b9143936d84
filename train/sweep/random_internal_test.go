// In package sweep for a single draw.
package sweep

import (
	"math"
	"strconv"
	"testing"
)

// TestDrawBounds draws at both bounds and between them, also where the difference or
// the ratio of the bounds overflows a float64, and where three digits are too few.
func TestDrawBounds(t *testing.T) {
	const most = math.MaxFloat64
	for _, test := range []struct {
		draw draw
		want [3]float64 // at 0, 1/2 and just below 1
	}{
		{draw{Uniform: []float64{1, 2}}, [3]float64{1, 1.5, 2}},
		{draw{Uniform: []float64{-most, most}}, [3]float64{-most, 0, most}},
		{draw{Uniform: []float64{0.125125, 0.125375}}, [3]float64{0.125125, 0.12525, 0.125375}},
		{draw{Uniform: []float64{1.2, 2.9}, Int: true}, [3]float64{2, 2, 2}},
		{draw{Log: []float64{1, 100}}, [3]float64{1, 10, 100}},
		{draw{Log: []float64{1e-300, 1e300}}, [3]float64{1e-300, 1, 1e300}},
		{draw{Log: []float64{1e-300, most}}, [3]float64{1e-300, 1.34e4, most}},
	} {
		ends := append(test.draw.Uniform, test.draw.Log...)
		for i, u := range []float64{0, 0.5, math.Nextafter(1, 0)} {
			text, err := test.draw.value(u)
			if err != nil {
				t.Fatalf("%+v: %v", test.draw, err)
			}
			got, err := strconv.ParseFloat(string(text), 64)
			if err != nil || got < ends[0] || got > ends[1] || !(math.Abs(got-test.want[i]) <= 1e-3*math.Abs(test.want[i])) {
				t.Errorf("%+v at %v: %s, %v; want about %v, within the bounds", test.draw, u, text, err, test.want[i])
			}
		}
	}
}
