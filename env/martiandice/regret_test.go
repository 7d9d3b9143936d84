package martiandice_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martiandice"
	"marsgym/internal/test/fulltest"
)

// mistake is a kind of mistake in turns that start at the same scores.
type mistake struct {
	start martiandice.State
	kind  string
}

// total is the cost and the expected number of some mistakes.
type total struct{ cost, times float64 }

// totals adds up the regrets of a policy.
func totals(t *testing.T, r *martiandice.Rules, sol game.Solution[martiandice.State], p policy, seat game.Player) map[mistake]total {
	t.Helper()
	by := map[mistake]total{}
	var legal []game.Action
	err := sol.Regrets(ctx, p, seat, func(x game.Regret[martiandice.State]) error {
		legal = r.Legal(legal[:0], x.State)
		if r.CurrentPlayer(x.State) != seat || !slices.Contains(legal, x.Action) || !slices.Contains(legal, x.Best) || x.Action == x.Best ||
			!(x.Reach > 0 && 0 < x.Prob && x.Prob <= 1 && x.Loss > 0) {
			t.Fatalf("seat %d has regret %+v at %s", seat, x, r.Format(x.State))
		}
		at := x.State
		at.Aside, at.Roll, at.Phase = martiandice.Counts{}, martiandice.Counts{}, martiandice.Rolling
		key := mistake{at, r.Kind(x.State, x.Action, x.Best)}
		a := by[key]
		by[key] = total{a.cost + x.Cost(), a.times + x.Reach*x.Prob}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return by
}

// loss returns the loss of a policy in a seat against best play in all others.
func loss(t *testing.T, r *martiandice.Rules, sol game.Solution[martiandice.State], best, own game.TabularPolicy, seat game.Player) float64 {
	t.Helper()
	seats := slices.Repeat([]game.TabularPolicy{best}, r.Spec().Players)
	value, err := sol.Evaluate(ctx, nil, seats)
	if err != nil {
		t.Fatal(err)
	}
	seats[seat] = own
	got, err := sol.Evaluate(ctx, nil, seats)
	if err != nil {
		t.Fatal(err)
	}
	return value[seat] - got[seat]
}

// The regrets of every policy must add up to its loss in every seat, and, by scores and
// kind, to the regrets of the tabular solution.
func TestRegrets(t *testing.T) {
	fulltest.Gate(t)
	const tol = 1e-11
	for name, cfg := range reduced {
		if name == "solitaire at once" {
			continue // some of these policies would never score
		}
		t.Run(name, func(t *testing.T) {
			sampled(t, cfg)
			t.Parallel()
			r := newRules(t, cfg)
			fast, slow := solve(t, r), solveTabular(t, r)
			best := tabulate(t, fast, fast.Policy())
			for _, p := range policies(t, r) {
				own := tabulate(t, fast, p)
				for seat := range game.Player(cfg.Players) {
					got := totals(t, r, fast, p, seat)
					sum := 0.0
					for _, a := range got {
						sum += a.cost
					}
					if want := loss(t, r, fast, best, own, seat); !(math.Abs(sum-want) <= tol) {
						t.Errorf("regrets of seat %d add up to %v; it loses %v", seat, sum, want)
					}
					if cfg.Players == 1 {
						continue // the tabular solution has turns in its positions
					}
					want := totals(t, r, slow, p, seat)
					for key, b := range want {
						if a := got[key]; !near([]float64{a.cost, a.times}, []float64{b.cost, b.times}, tol) {
							t.Errorf("seat %d at %s %s: %+v, want %+v", seat, r.Format(key.start), key.kind, a, b)
						}
					}
					if len(got) != len(want) {
						t.Errorf("seat %d: %d kinds of mistakes, want %d", seat, len(got), len(want))
					}
				}
			}
			if got := totals(t, r, fast, fast.Policy(), 0); len(got) > 0 {
				t.Errorf("best play has regrets %v", got)
			}
		})
	}
}

func TestRegretsPublished(t *testing.T) {
	r, sol := published(t)
	best := tabulate(t, sol, sol.Policy())
	greedy := policies(t, r)[0]
	own := tabulate(t, sol, greedy)
	for seat := range game.Player(2) {
		sum := 0.0
		for _, a := range totals(t, r, sol, greedy, seat) {
			sum += a.cost
		}
		if want := loss(t, r, sol, best, own, seat); !(math.Abs(sum-want) <= 1e-12) {
			t.Errorf("regrets of seat %d add up to %v; it loses %v", seat, sum, want)
		}
	}
}

func TestRegretsFaults(t *testing.T) {
	r := newRules(t, reduced["two dice"])
	sol := solve(t, r)
	uniform := game.Uniform[martiandice.State]{Rules: r}
	for _, seat := range []game.Player{-1, 2} {
		if err := sol.Regrets(ctx, uniform, seat, nil); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("seat %d; want 0 to 1", seat)) {
			t.Errorf("seat %d: %v", seat, err)
		}
	}
	stop := errors.New("stop")
	n := 0
	err := sol.Regrets(ctx, uniform, 0, func(game.Regret[martiandice.State]) error { n++; return stop })
	if n != 1 || !errors.Is(err, stop) {
		t.Errorf("after an error yield is called %d times, and the error is %v", n, err)
	}
}
