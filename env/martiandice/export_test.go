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
	err = s.turn.abreast(ctx, s.starts.count(), func(i int, l *lane) error {
		dist := make([]float64, s.turn.ends)
		v := s.ending(l, dist, i)
		pay, m := s.payAt(i)
		d := math.Abs(v - s.value[i*p+m])
		for j, v := range expect(pay, dist) {
			d = max(d, math.Abs(v-s.value[i*p+j]))
		}
		mu.Lock()
		most = max(most, d)
		mu.Unlock()
		return nil
	})
	return most, err
}
