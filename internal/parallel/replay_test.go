package parallel_test

import (
	"testing"
	"time"

	"marsgym/internal/parallel"
)

// TestRecord records two sections, one of them within a range of the other, by a clock that the
// work advances itself, and replays them. To read the clock takes time, which is no work.
func TestRecord(t *testing.T) {
	now := time.Duration(0)
	r := parallel.Record(16, func() time.Duration { now += 3; return now })
	now += 10
	parallel.For(5, 2, func(from, to int) { // ranges of 4, 4 and 52
		now += time.Duration(2 * (to - from))
		if from == 4 {
			parallel.For(5, 1, func(int, int) { now += 10 })
		}
	})
	now += 7
	w := r.Stop()
	parallel.For(1, 1, func(int, int) { now += 1000 })

	if len(w) != 2 || w[0].Took != 10 || w[1].Took != 7 {
		t.Fatalf("recorded %+v", w)
	}
	s := w[0].Then
	if s.Name != "parallel_test.TestRecord" || len(s.Ranges) != 3 || s.Ranges[0][0].Took != 4 || len(s.Ranges[2][0].Then.Ranges) != 5 {
		t.Errorf("recorded %+v", s)
	}
	for _, tt := range []struct {
		cores int
		costs parallel.Costs
		want  time.Duration
	}{
		{1, parallel.Costs{}, 17 + 60},
		{2, parallel.Costs{}, 17 + 4 + 2 + 30}, // the other core does two ranges, and then 10 of the section within
		{3, parallel.Costs{}, 17 + 4 + 20},     // 10 of the section from 2 on, the rest on the cores that are free from 4 on
		{64, parallel.Costs{}, 17 + 2 + 10},
		{64, parallel.Costs{Start: 1}, 17 + 2 + 2 + 4 + 10}, // 2 starts, then 4
	} {
		if got := w.Wall(tt.cores, tt.costs); got != tt.want {
			t.Errorf("%d cores, costs %v: %d, want %d", tt.cores, tt.costs, got, tt.want)
		}
	}
}
