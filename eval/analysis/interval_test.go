package analysis_test

import (
	"math"
	"testing"

	"marsgym/eval/analysis"
)

// TestHalfInterval compares with the table of Student's t: 9.9248 and 63.657 for two and one degrees
// of freedom at 99 %.
func TestHalfInterval(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{1, 2, 3}, 9.9248 / math.Sqrt(3)}, {[]float64{0, 2}, 63.657}, {[]float64{5, 5, 5}, 0},
	} {
		if got := analysis.HalfInterval(tt.values); !(math.Abs(got-tt.want) <= 1e-4*tt.want) {
			t.Errorf("%v: %v; want %v", tt.values, got, tt.want)
		}
	}
}
