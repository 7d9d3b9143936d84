// In package cluster for the times, which a coordinator takes from the clock.
package cluster

import (
	"testing"
	"time"
)

// TestWaitingShare: the share of the time that was spent waiting counts a call of Do that is under way.
func TestWaitingShare(t *testing.T) {
	start := time.Unix(1000, 0)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	for _, test := range []struct {
		w    waiting
		now  int
		want float64
	}{
		{waiting{}, 10, 0}, // before the first call
		{waiting{calls: 1, first: at(0), last: at(0)}, 10, 1},
		{waiting{first: at(0), last: at(10), total: 10 * time.Second}, 40, 0.25},         // computing since
		{waiting{calls: 1, first: at(0), last: at(20), total: 5 * time.Second}, 30, 0.5}, // 5 s, and the last 10
	} {
		if got := test.w.share(at(test.now)); got != test.want {
			t.Errorf("%+v, after %d s: %v; want %v", test.w, test.now, got, test.want)
		}
	}
}
