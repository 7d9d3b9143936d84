package env_test

import (
	"math"
	"testing"

	"marsgym/env"
	"marsgym/internal/test/testgames"
)

func TestSampleAction(t *testing.T) {
	b := env.NewGame(testgames.NewPig(t, 2, 20)).NewBatch(1, 0)
	b.Reset(1)
	probs := []float64{0, 0.25, 0, 0.75, 0}
	const n = 100_000
	var count [5]int
	for range n {
		count[env.SampleAction(probs, &b.Buffers().Noise[0])]++
	}
	for a, p := range probs {
		// Six standard deviations.
		if got := float64(count[a]) / n; !(math.Abs(got-p) <= 6*math.Sqrt(p*(1-p)/n)) {
			t.Errorf("action %d is a fraction of %v of the samples, want %v", a, got, p)
		}
	}
}
