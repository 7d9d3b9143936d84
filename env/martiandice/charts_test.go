package martiandice_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/chart"
	"marsgym/env/martiandice"
	"marsgym/internal/test/fulltest"
)

// named returns the chart of a name.
func named(t *testing.T, list []chart.Chart, name string) chart.Chart {
	t.Helper()
	for _, c := range list {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no chart %s", name)
	return chart.Chart{}
}

// each calls f with each cell of a map.
func each(m *chart.Map, f func(x, y int, z float64)) {
	for i, row := range m.Z {
		for j, z := range row {
			f(int(m.X[j]), int(m.Y[i]), z)
		}
	}
}

// at returns the notation of a position from the mover's place, its total and the
// other's.
func at(place, own, other int, rest string) string {
	if place == 0 {
		return fmt.Sprintf("%d-%d@0%s", own, other, rest)
	}
	return fmt.Sprintf("%d-%d@1%s", other, own, rest)
}

// TestCharts compares the charts of best play with the values and options of the
// solution.
func TestCharts(t *testing.T) {
	r, sol := published(t)
	s := sol.(*martiandice.Solution)
	charts, err := s.Charts()
	if err != nil {
		t.Fatal(err)
	}
	for place, p := range named(t, charts, "win-probability").Panels {
		cells := 0
		each(p.Map, func(own, other int, z float64) {
			v, err := s.Value(nil, parse(t, r, at(place, own, other, "")))
			if err != nil {
				t.Fatal(err)
			}
			cells++
			if want := 50 * (v[place] + 1); !(math.Abs(z-want) <= 1e-9) {
				t.Fatalf("place %d, %d to %d: %g, want %g", place, own, other, z, want)
			}
		})
		if want := []int{25 * 25, 25 * 41}[place]; cells != want {
			t.Errorf("place %d: %d cells, want %d", place, cells, want)
		}
	}
	for place, p := range named(t, charts, "when-to-stop").Panels {
		stops := 0
		each(p.Map, func(lead, points int, z float64) {
			st := parse(t, r, at(place, 12, 12-lead, fmt.Sprintf(" aside T3R3H%dC1", points-1)))
			v, err := s.Options(nil, st)
			if err != nil {
				t.Fatal(err)
			}
			if want := 50 * (v[0] - v[1]); !(math.Abs(z-want) <= 1e-9) {
				t.Fatalf("place %d, lead %d, %d points: %g, want %g", place, lead, points, z, want)
			}
			if z < 0 {
				stops++
			}
		})
		if stops == 0 {
			t.Errorf("place %d never stops", place)
		}
	}
	risk := named(t, charts, "risk").Panels[0].Lines
	for _, l := range risk {
		if n := len(l.Y); n != 25 || l.X[0] != -12 || !(l.Y[0] > l.Y[n-1]) {
			t.Errorf("%s: from a lead of %g, %d points %v; want 25 from -12, falling", l.Name, l.X[0], n, l.Y)
		}
	}
}

// randomTurnValue returns the value of s to the seat whose turn it is, if it plays the
// turn at random and all play best afterwards.
func randomTurnValue(t *testing.T, r *martiandice.Rules, sol *martiandice.Solution, s martiandice.State, seat game.Player) float64 {
	sum := 0.0
	switch {
	case s.Seat != uint8(seat): // with two, also at the end
		v, err := sol.Value(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		return v[seat]
	case r.CurrentPlayer(s) == game.Chance:
		for _, o := range r.Outcomes(nil, s) {
			sum += o.Prob * randomTurnValue(t, r, sol, o.State, seat)
		}
		return sum
	}
	legal := r.Legal(nil, s)
	for _, a := range legal {
		after, err := r.Apply(s, a)
		if err != nil {
			t.Fatal(err)
		}
		sum += randomTurnValue(t, r, sol, after, seat) / float64(len(legal))
	}
	return sum
}

// TestPolicyCharts compares the losses of random play with a recursion over the rules.
func TestPolicyCharts(t *testing.T) {
	fulltest.Gate(t)
	r := newRules(t, reduced["four dice"])
	s := solve(t, r)
	for _, tt := range []struct {
		name   string
		policy game.Policy[martiandice.State]
	}{{"exact", s.Policy()}, {"random", game.Uniform[martiandice.State]{Rules: r}}} {
		play, err := s.Tabulate(ctx, tt.policy)
		if err != nil {
			t.Fatal(err)
		}
		charts, err := s.PolicyCharts(play, tt.name)
		if err != nil {
			t.Fatal(err)
		}
		for place, name := range []string{"regret-first", "regret-second"} {
			c := named(t, charts, name)
			if !strings.Contains(c.Title, tt.name) {
				t.Errorf("the title does not name the policy: %s", c.Title)
			}
			m := c.Panels[1].Map
			each(m, func(own, other int, z float64) {
				want := 0.0
				if tt.name == "random" {
					start := parse(t, r, at(place, own, other, ""))
					v, err := s.Value(nil, start)
					if err != nil {
						t.Fatal(err)
					}
					want = 50 * (v[place] - randomTurnValue(t, r, s, start, game.Player(place)))
				}
				if !(math.Abs(z-want) <= 1e-9) {
					t.Errorf("%s in place %d, %d to %d: %g, want %g", tt.name, place, own, other, z, want)
				}
				if z < m.Edges[0] || z > m.Edges[len(m.Edges)-1] {
					t.Errorf("%g is outside the edges %v", z, m.Edges)
				}
			})
		}
	}
}

func TestNoCharts(t *testing.T) {
	s := solve(t, newRules(t, reduced["three players"]))
	if _, err := s.Charts(); !errors.Is(err, game.ErrNoCharts) {
		t.Errorf("for three: %v", err)
	}
	play, err := s.Tabulate(ctx, s.Policy())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.PolicyCharts(play, "exact"); !errors.Is(err, game.ErrNoCharts) {
		t.Errorf("for three: %v", err)
	}
	if _, err := solve(t, newRules(t, reduced["two dice"])).PolicyCharts(play, "exact"); err == nil || !strings.Contains(err.Error(), "the policy of exact belongs to another solution") {
		t.Errorf("a policy of another solution: %v", err)
	}
}
