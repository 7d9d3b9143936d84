package martiandice

import (
	"context"
	"math"
	"sync"
)

// Rolled lets tests say what the dice show.
func (r *Rules) Rolled(s State, dice Counts) State {
	r.rolled(&s, dice)
	return s
}

// ParseCounts reads dice such as "T3R2".
func ParseCounts(text string) (Counts, error) { return parseCounts(text) }

// Violation is by how much a value of any start differs, at most, from that of
// one more turn of best play.
func (s *Solution) Violation(ctx context.Context) (most float64, err error) {
	p := s.starts.players
	var mu sync.Mutex
	err = parallel(ctx, s.starts.count(), func(i int) error {
		_, m := s.starts.at(i)
		pl := s.newPlan(i)
		d := math.Abs(pl.rolling[s.turn.start()] - s.value[i*p+m])
		for j, v := range pl.expect(pl.dist) {
			d = max(d, math.Abs(v-s.value[i*p+j]))
		}
		mu.Lock()
		most = max(most, d)
		mu.Unlock()
		return nil
	})
	return most, err
}
