// In package train for iterations during which the clock stands still.
package train

import "testing"

func TestPace(t *testing.T) {
	for _, c := range []struct {
		decisions     uint64
		seconds, want float64
	}{
		{256, 0.5, 512},
		{256, 0, 0}, // JSON has no infinity
	} {
		if got := pace(c.decisions, c.seconds); got != c.want {
			t.Errorf("%d decisions in %v s are %v a second; want %v", c.decisions, c.seconds, got, c.want)
		}
	}
}
