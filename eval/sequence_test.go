package eval_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"marsgym/eval"
)

// plainSequence returns the interval after values by the formula of [eval.ConfidenceSequence],
// where the mean and the variance before a value count one more value of 1/2, off by 1/2.
func plainSequence(values []float64, alpha float64) (low, high float64) {
	mean := func(n int) float64 { return (0.5 + sum(values[:n])) / float64(n+1) }
	var weights, weighted, slack float64
	low, high, squares := 0.0, 1.0, 0.25
	for i, x := range values {
		n := float64(i + 1)
		λ := min(0.5, math.Sqrt(2*math.Log(2/alpha)/(squares*math.Log(n+1))))
		ψ := (-math.Log(1-λ) - λ) / 4
		weights, weighted = weights+λ, weighted+λ*x
		slack += 4 * math.Pow(x-mean(i), 2) * ψ
		squares += math.Pow(x-mean(i+1), 2)
		low = max(low, (weighted-math.Log(2/alpha)-slack)/weights)
		high = min(high, (weighted+math.Log(2/alpha)+slack)/weights)
	}
	return low, high
}

// TestConfidenceSequenceFormula compares each interval of some sequences with the formula.
func TestConfidenceSequenceFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, alpha := range []float64{0.01, 0.2} {
		for _, scale := range []float64{1, 0.1, 0} {
			s, values := eval.NewConfidenceSequence(alpha), []float64{}
			for range 300 {
				values = append(values, 1-scale*r.Float64())
				s.Add(values[len(values)-1])
				low, high := s.Interval()
				if wantLow, wantHigh := plainSequence(values, alpha); !(math.Abs(low-wantLow) <= 1e-9 && math.Abs(high-wantHigh) <= 1e-9) {
					t.Fatalf("α %v, after %d values from %v: %v to %v; want %v to %v", alpha, len(values), 1-scale, low, high, wantLow, wantHigh)
				}
			}
		}
	}
}
