package regret // the interval is an inner part

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestInterval: symmetric values have the interval of Student, the longer tail of skewed ones gets the
// longer end, and values that do not differ do not prove that none does.
func TestInterval(t *testing.T) {
	even := make([]float64, 100)
	for i := range even {
		even[i] = 0.5 + float64(i%2*2-1)/10
	}
	mean, low, high, few := interval(even)
	const want = 2.6264 * 0.1005 / 10 // the quantile for 99 degrees, and the standard deviation
	if !(math.Abs(mean-0.5) < 1e-12 && math.Abs(high-mean-want) < 1e-4 && math.Abs(mean-low-want) < 1e-4) || few {
		t.Errorf("%v, %v to %v, %t; want ± %v", mean, low, high, few, want)
	}
	skewed := make([]float64, 100)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range skewed {
		skewed[i] = 0.5 - r.ExpFloat64()/20
	}
	if mean, low, high, _ = interval(skewed); !(mean-low > 1.2*(high-mean)) {
		t.Errorf("%v, %v to %v of losses", mean, low, high)
	}
	same := make([]float64, 200)
	for i := range same {
		same[i] = 0.5
	}
	// 0.97386²⁰⁰ is 0.005: so rarely no set of 200 differs if 2.614 % do.
	if mean, low, high, few = interval(same); !(mean == 0.5 && math.Abs(low-(0.5-0.02614)) < 1e-5 && math.Abs(high-(0.5+0.02614)) < 1e-5) || !few {
		t.Errorf("%v, %v to %v, %t of equal values", mean, low, high, few)
	}
	same[7] = 0.4
	if _, low, high, few = interval(same); !few || !(low < 0.4995 && high >= 0.4995) {
		t.Errorf("%v to %v, %t with one mistake", low, high, few)
	}
	if _, low, high, few = interval([]float64{0.4}); low != 0 || high != 1 || !few {
		t.Errorf("%v to %v, %t of one value", low, high, few)
	}
	for _, a := range []float64{-0.5, -1e-5, -1e-8, 0, 1e-8, 1e-5, 0.5} { // hall inverts T
		for _, x := range []float64{-3, 0, 2.6} {
			if y := x + a*x*x/3 + a*a*x*x*x/27 + a/6; !(math.Abs(hall(y, a)-x) < 1e-7) {
				t.Errorf("a %v: T⁻¹(T(%v)) is %v", a, x, hall(y, a))
			}
		}
	}
}

// TestFew shows where few comes from: how often the interval holds the mean of 100 values, of which a
// number on average differs, by an exponential size.
func TestFew(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, tt := range []struct{ differ, low, high float64 }{{2, 0.91, 0.95}, {few, 0.98, 0.995}, {30, 0.985, 0.997}} {
		const repetitions, size = 4000, 0.05
		held, values := 0.0, make([]float64, 100)
		for range repetitions {
			for i := range values {
				values[i] = 0.5
				if r.Float64() < tt.differ/100 {
					values[i] -= r.ExpFloat64() * size
				}
			}
			mean := 0.5 - tt.differ/100*size
			if _, low, high, _ := interval(values); low <= mean && mean <= high {
				held += 1.0 / repetitions
			}
		}
		t.Logf("if %v differ, %.1f %% hold the mean", tt.differ, 100*held)
		if !(tt.low <= held && held <= tt.high) {
			t.Errorf("%.4f hold; want %v to %v", held, tt.low, tt.high)
		}
	}
}
