package martiandice

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// mixed is a solution of four that knows no more than what the turns from
// scores 23, 16, 5, 20 lead to, and the values that these scores have in the
// whole solution [P, P].
func mixed(t *testing.T) (s *Solution, score [maxPlayers]uint8, want [][]float64) {
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

// TestMixed: at these scores no choices without chance are best for all, and
// the solver finds an equilibrium that mixes.
func TestMixed(t *testing.T) {
	s, score, want := mixed(t)
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
	two := 0
	for m, x := range want {
		start := s.starts.index(score[:], m)
		for j, got := range s.value[start*4:][:4] {
			if !(math.Abs(got-x[j]) <= 1e-12) {
				t.Errorf("place %d to move: place %d wins %.15f, want %.15f", m, j, got, x[j])
			}
		}
		pl := s.solveTurn(start)
		if len(pl.parts) == 1 {
			continue
		}
		two++
		sum := 0.0
		for _, way := range pl.parts {
			sum += way.prob
			if !(way.prob > 0.01 && way.prob < 0.99) {
				t.Errorf("place %d plays a way with probability %g", m, way.prob)
			}
		}
		if !(math.Abs(sum-1) <= 1e-12) {
			t.Errorf("place %d: the ways add up to %g", m, sum)
		}
	}
	if two != 2 {
		t.Errorf("%d places mix, want 2", two)
	}
	deviate(t, s, score, want)
}

// deviate holds an equilibrium against every single change of a choice by one
// place, in the cycle of turns, with the other places playing as the plans say.
func deviate(t *testing.T, s *Solution, score [maxPlayers]uint8, want [][]float64) {
	t.Helper()
	const p = 4
	dist := make([][]float64, p)
	pay := make([][]float64, p)
	for m := range p {
		pl := s.solveTurn(s.starts.index(score[:], m))
		dist[m], pay[m] = pl.dist, pl.pay
	}
	// worth is what the game is worth to the place to move at m, when it is m's
	// turn; the cycle is walked until nothing is left of it.
	worth := func(m int) float64 {
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
		if got := worth(m); !(math.Abs(got-want[m][m]) <= 1e-11) {
			t.Errorf("walked, place %d wins %.15f, want %.15f", m, got, want[m][m])
		}
		kept := dist[m]
		pl := s.solveTurn(s.starts.index(score[:], m))
		for n := range 200 { // other payoffs for no points, other best play
			dist[m] = s.endingOf(s.bestTurn(pl.pay, m, (float64(n)-100)/1000))
			if got := worth(m); !(got <= want[m][m]+1e-11) {
				t.Errorf("place %d gains %g by other play", m, got-want[m][m])
			}
		}
		dist[m] = kept
	}
}
