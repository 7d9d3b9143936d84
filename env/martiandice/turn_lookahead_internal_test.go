package martiandice

import (
	"context"
	"math"
	"testing"

	"marsgym/env/game"
)

// exactAhead plans turns on exact values, to which it adds an error.
type exactAhead struct {
	game.Policy[State]
	s      *Solution
	turns  int
	errors float64
}

func (x exactAhead) ProbsContext(context.Context, []float64, []State) error { panic("not asked") }
func (x exactAhead) Turns() int                                             { return x.turns }

func (exactAhead) Plies() int { return -1 }

func (x exactAhead) Values(_ context.Context, dst []float64, starts []State) error {
	p := x.s.starts.players
	for i, start := range starts {
		v, err := x.s.Value(dst[i*p:][:0], start)
		if err != nil {
			return err
		}
		for j := range v {
			v[j] += x.errors * math.Sin(float64(i+7*j))
		}
	}
	return nil
}

// TestTurnLookahead: plans on exact values are best play, by any number of turns ahead, and
// on wrong values they are not.
func TestTurnLookahead(t *testing.T) {
	for _, size := range []struct{ dice, target, players int }{{6, 6, 2}, {5, 4, 3}, {6, 5, 1}} {
		cfg := DefaultConfig()
		cfg.Dice, cfg.Target, cfg.Players = size.dice, size.target, size.players
		r, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		solution, err := r.Solve(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		s := solution.(*Solution)
		best, err := s.Value(nil, r.Initial())
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []exactAhead{{turns: 0}, {turns: 2}, {errors: 0.3}} {
			x.s = s
			table, err := s.Tabulate(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			seats := make([]game.TabularPolicy, cfg.Players)
			for i := range seats {
				seats[i] = table
			}
			v, err := s.Evaluate(t.Context(), nil, seats)
			if err != nil {
				t.Fatal(err)
			}
			if same := math.Abs(v[0]-best[0]) < 1e-9; same != (x.errors == 0) {
				t.Errorf("%d players, %d turns ahead, errors %v: value %v, best play has %v", cfg.Players, x.turns, x.errors, v[0], best[0])
			}
		}
	}
}
