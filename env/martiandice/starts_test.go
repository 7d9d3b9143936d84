package martiandice_test

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martiandice"
	"marsgym/internal/test/fulltest"
)

// three returns the published game for three and its solution.
func three(t testing.TB) (*martiandice.Rules, game.Solution[martiandice.State]) {
	t.Helper()
	if !fulltest.On() {
		t.Skip("solves the published game for three")
	}
	return solvedThree()
}

var solvedThree = sync.OnceValues(func() (*martiandice.Rules, game.Solution[martiandice.State]) {
	r, err := martiandice.New(config(3, nil))
	if err != nil {
		panic(err)
	}
	sol, err := r.Solve(context.Background(), nil)
	if err != nil {
		panic(err)
	}
	return r, sol
})

const (
	target = 25
	most   = target - 1 + 16 // points; the best turn scores 16
)

// Best play must be optimal at every start of a turn, and its values monotonic: a point
// more never hurts its owner and never helps another seat. For three players theory
// does not imply this, but it holds.
func TestStarts(t *testing.T) {
	for name, open := range map[string]func(testing.TB) (*martiandice.Rules, game.Solution[martiandice.State]){
		"two": published, "three": three,
	} {
		t.Run(name, func(t *testing.T) {
			r, sol := open(t)
			verifiable := sol.(game.StoredSolution[martiandice.State])
			all := make([]int, verifiable.Equations())
			for i := range all {
				all[i] = i
			}
			if d, err := verifiable.Violation(ctx, all); err != nil || !(d <= 1e-12) {
				t.Errorf("the values of a start differ by %v from those after its turn, %v", d, err)
			}
			starts := shares(t, r, sol)
			for s, v := range starts {
				for i := range r.Spec().Players {
					more := s
					more.Score[i]++
					w, ok := starts[more]
					if !ok {
						continue
					}
					for j := range r.Spec().Players {
						gain := w[j] - v[j]
						if j != i {
							gain = -gain
						}
						if !(gain >= -1e-12) {
							t.Errorf("at %s a point more for seat %d changes what seat %d wins from %v to %v", r.Format(s), i, j, v[j], w[j])
						}
					}
				}
			}
		})
	}
}

// shares returns the probability that each seat wins, at every start of a turn of a
// published game.
func shares(t *testing.T, r *martiandice.Rules, sol game.Solution[martiandice.State]) map[martiandice.State][]float64 {
	t.Helper()
	players := r.Spec().Players
	starts := map[martiandice.State][]float64{}
	var fill func(s martiandice.State, i int)
	fill = func(s martiandice.State, i int) {
		if i < players {
			last := target - 1
			if i < int(s.Seat) { // has had its turn in this round
				last = most
			}
			for n := range last + 1 {
				s.Score[i] = uint8(n)
				fill(s, i+1)
			}
			return
		}
		v, err := sol.Value(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for j := range v {
			v[j] = r.Spec().WinShare(v[j])
			if !(v[j] >= -1e-15 && v[j] <= 1+1e-15) {
				t.Errorf("at %s seat %d wins with probability %v", r.Format(s), j, v[j])
			}
			sum += v[j]
		}
		if !(math.Abs(sum-1) <= 1e-12) {
			t.Errorf("at %s the probabilities %v sum to %v", r.Format(s), v, sum)
		}
		starts[s] = v
	}
	for seat := range players {
		fill(martiandice.State{Seat: uint8(seat)}, 0)
	}
	return starts
}

// The value of the start of a turn must be the expectation over its first roll.
func TestFirstRoll(t *testing.T) {
	r, sol := three(t)
	src := rand.New(rand.NewPCG(1, 0))
	for range 10 {
		s := r.Initial()
		s.Seat = uint8(src.IntN(3))
		for i := range 3 {
			s.Score[i] = uint8(src.IntN(target))
		}
		want, err := sol.Value(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, 3)
		for _, o := range r.Outcomes(nil, s) {
			v, err := sol.Value(nil, o.State)
			if err != nil {
				t.Fatal(err)
			}
			for j := range v {
				got[j] += o.Prob * v[j]
			}
		}
		if !near(got, want, 1e-12) {
			t.Errorf("%s has values %v, and after the roll %v", r.Format(s), want, got)
		}
	}
}
