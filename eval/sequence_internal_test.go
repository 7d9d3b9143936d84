package eval

// This test is inside the package since no stream of values has bounds on the fair share to the bit.

import "testing"

// TestVerdict: a bound on the fair share itself decides nothing, and one on the margin is within it.
func TestVerdict(t *testing.T) {
	const fair, margin = 0.5, 0.125
	for _, tt := range []struct {
		low, high float64
		want      Verdict
	}{
		{0.51, 0.9, Stronger}, {0.5, 0.9, Open}, {0.5, 0.6, Equal},
		{0.1, 0.49, Weaker}, {0.1, 0.5, Open}, {0.4, 0.5, Equal},
		{0.375, 0.625, Equal}, {0.374, 0.625, Open}, {0.375, 0.626, Open},
	} {
		s := ConfidenceSequence{low: tt.low, high: tt.high}
		if got := s.verdict(fair, margin); got != tt.want {
			t.Errorf("%v to %v is %s; want %s", tt.low, tt.high, got, tt.want)
		}
	}
}
