// In package martiandice, since it counts what the solver does.
package martiandice

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"marsgym/internal/test/fulltest"
)

// TestVectors compares the scores of each total with a plain search.
func TestVectors(t *testing.T) {
	for players := 1; players <= 4; players++ {
		c := DefaultConfig()
		c.Players, c.Target, c.Dice = players, 3, 4
		s := newStarts(c)
		want := make([][]uint32, s.totals())
		n := s.target
		for range players - 1 {
			n *= s.scores
		}
		work := int64(0)
		for v := range uint32(n) {
			score, total := s.vector(v), 0
			for _, x := range score {
				total += int(x)
			}
			want[total] = append(want[total], v)
			work += s.work(score)
		}
		for total, list := range want {
			if got := s.vectors(nil, total); !slices.Equal(got, list) {
				t.Errorf("for %d, scores with total %d are %v; want %v", players, total, got, list)
			}
		}
		if got := s.allWork(); got != work {
			t.Errorf("for %d, the work is %d; want %d", players, got, work)
		}
	}
}

// TestTurnsSolved compares the number of turns that the solver solves with the one that
// the estimate counts.
func TestTurnsSolved(t *testing.T) {
	fulltest.Gate(t)
	for players := 2; players <= 3; players++ {
		t.Run(fmt.Sprint(players), func(t *testing.T) {
			fulltest.Sample(t, players, 2)
			turnsSolved(t, players)
		})
	}
}

func turnsSolved(t *testing.T, players int) {
	c := DefaultConfig()
	c.Players = players
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	s := &Solution{r: r, turn: r.newTurnGraph(), starts: newStarts(c)}
	value, play := make([]float64, s.starts.count()*players), make([]*tabularPolicy, players)
	// One batch: each remembers last rounds of its own, so that the number of turns
	// depends on the number of batches.
	b, solved := s.turn.newBatch(), 0
	var vectors []uint32
	for total := s.starts.totals() - 1; total >= 0; total-- {
		vectors = s.starts.vectors(vectors[:0], total)
		next := 0
		b.run(func(l *lane) {
			wait := l.wait
			l.wait = func() { solved++; wait() }
			for next < len(vectors) {
				at := s.starts.vector(vectors[next])
				next++
				w := s.newScoreSolver(l, value, play)
				if err := w.solve(at); err != nil {
					t.Error(err)
				}
				s.free(w)
			}
		})
	}
	want := roundsOfCycle * players * int(math.Pow(float64(c.Target), float64(players)))
	if got := float64(solved) / float64(want); !(math.Abs(got-1) <= 0.05) {
		t.Errorf("%d turns are solved; want %d ± 5%%", solved, want)
	}
}
