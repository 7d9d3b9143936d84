package martiandice

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"marsgym/internal/test/fulltest"
)

// mixedStart returns a partial solution for four players, with the values of all starts
// that turns from scores 23, 16, 5, 20 lead to, and the values of the starts at these
// scores in the whole solution [P, P].
func mixedStart(t *testing.T) (s *Solution, score [maxPlayers]uint8, want [][]float64) {
	t.Helper()
	cfg := DefaultConfig()
	cfg.Players = 4
	r, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s = &Solution{r: r, turn: r.graph(), starts: newStarts(cfg)}
	s.value = make([]float64, s.starts.count()*4)
	f, err := os.Open("testdata/mixed.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		if strings.HasPrefix(in.Text(), "#") {
			continue
		}
		var m int
		var at [maxPlayers]uint8
		x := make([]float64, 4)
		if _, err := fmt.Sscan(in.Text(), &m, &at[0], &at[1], &at[2], &at[3], &x[0], &x[1], &x[2], &x[3]); err != nil {
			t.Fatalf("%q: %v", in.Text(), err)
		}
		if len(want) < 4 {
			score, want = at, append(want, x)
			continue
		}
		copy(s.value[s.starts.index(at[:], m)*4:], x)
	}
	return s, score, want
}

// TestMixed: at these scores there is no pure equilibrium, and the solver finds a mixed
// one.
func TestMixed(t *testing.T) {
	fulltest.Gate(t)
	s, score, want := mixedStart(t)
	err := s.turn.forEach(context.Background(), 1, func(_ int, l *lane) error {
		w := s.newScoreSolver(l, s.value, make([]*tabularPolicy, 4))
		err := w.solve(score)
		if !(w.residual <= 1e-13) {
			t.Errorf("the residual is %g", w.residual)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	mixed := 0
	for m, x := range want {
		start := s.starts.index(score[:], m)
		for j, got := range s.value[start*4:][:4] {
			if !(math.Abs(got-x[j]) <= 1e-12) {
				t.Errorf("place %d to move: place %d wins %.15f, want %.15f", m, j, got, x[j])
			}
		}
		sol := s.solveTurn(start)
		if len(sol.parts) == 1 {
			continue
		}
		mixed++
		sum := 0.0
		for _, part := range sol.parts {
			sum += part.prob
			if !(part.prob > 0.01 && part.prob < 0.99) {
				t.Errorf("place %d plays a part of its mixture with probability %g", m, part.prob)
			}
		}
		if !(math.Abs(sum-1) <= 1e-12) {
			t.Errorf("place %d: the probabilities add up to %g", m, sum)
		}
	}
	if mixed != 2 {
		t.Errorf("%d places mix, want 2", mixed)
	}
	checkDeviations(t, s, score, want)
}

// checkDeviations checks that no place gains by another policy in the cycle of turns,
// with the other places playing the equilibrium.
func checkDeviations(t *testing.T, s *Solution, score [maxPlayers]uint8, want [][]float64) {
	t.Helper()
	const p = 4
	dist := make([][]float64, p)
	pay := make([][]float64, p)
	for m := range p {
		sol := s.solveTurn(s.starts.index(score[:], m))
		dist[m], pay[m] = sol.dist, sol.pay
	}
	// value returns the value of the game to place m when m is to move. It follows the
	// cycle until its probability is negligible.
	value := func(m int) float64 {
		sum, left := 0.0, 1.0
		for turn := m; left > 1e-18; turn = (turn + 1) % p {
			for k := 1; k < s.turn.ends; k++ {
				sum += left * dist[turn][k] * pay[turn][k*p+m]
			}
			left *= dist[turn][0]
		}
		return sum
	}
	for m := range p {
		if got := value(m); !(math.Abs(got-want[m][m]) <= 1e-11) {
			t.Errorf("by the cycle, place %d wins %.15f, want %.15f", m, got, want[m][m])
		}
		equilibrium := dist[m]
		sol := s.solveTurn(s.starts.index(score[:], m))
		for n := range 200 { // best play for other payoffs of a turn without points
			dist[m] = s.endingOf(s.bestTurn(sol.pay, m, (float64(n)-100)/1000))
			if got := value(m); !(got <= want[m][m]+1e-11) {
				t.Errorf("place %d gains %g by another policy", m, got-want[m][m])
			}
		}
		dist[m] = equilibrium
	}
}
