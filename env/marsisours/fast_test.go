package marsisours_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"marsgym/env/game"
	"marsgym/env/marsisours"
	"marsgym/env/tabular"
)

var full = flag.Bool("full", false, "solve the whole quick game")

type (
	state    = marsisours.State
	policy   = game.Policy[state]
	solution = game.Solution[state]
)

// quick returns the rules of the quick game with so many robots in hand and junkyard,
// on a board with these cells and stations, or the published one if cells is nil.
func quick(t testing.TB, cells, stations []string, hand, junk int, change func(*marsisours.Config)) *marsisours.Rules {
	t.Helper()
	c := newRules(t, marsisours.FastConfig()).Spec().Config.(marsisours.Config)
	c.StartHand, c.StartJunk = hand, junk
	if cells != nil {
		data := *c.Data
		data.Layouts = map[marsisours.Layout]marsisours.Map{"small": {
			Cells:    cells,
			Stations: map[marsisours.Stations]marsisours.Station{marsisours.Corners: {Cells: stations}},
		}}
		c.Layout, c.Data = "small", &data
	}
	if change != nil {
		change(&c)
	}
	return newRules(t, c)
}

// small calls f with games of few positions.
func small(t *testing.T, f func(t *testing.T, r *marsisours.Rules)) {
	one, two := []string{"aa", "aa"}, []string{"aabb", "aabb"}
	for _, x := range []struct {
		name            string
		cells, stations []string
		hand, junk      int
		change          func(*marsisours.Config)
	}{
		{"corner", one, []string{"a1"}, 2, 1, nil},
		{"corners", two, []string{"a1", "d1", "d2", "a2"}, 2, 1, nil},
		{"no junk", two, []string{"a1", "d1", "d2", "a2"}, 3, 0, nil},
		{"opposite", two, []string{"a1", "d2"}, 2, 1, nil},
		{"all count", one, []string{"a1"}, 2, 2, func(c *marsisours.Config) { c.FastCount = marsisours.CountAll }},
		{"map and hand count", two, []string{"a1", "d1", "d2", "a2"}, 2, 1, func(c *marsisours.Config) { c.FastCount = marsisours.CountMapAndHand }},
		{"none is spared", two, []string{"a1", "d1", "d2", "a2"}, 2, 1, func(c *marsisours.Config) { c.LaydownOptional = false }},
		{"from hand", two, []string{"a1", "a2", "b1"}, 2, 1, func(c *marsisours.Config) { c.CaptureFromHand = true }},
		{"auto pass", two, []string{"a1", "a2", "b1"}, 2, 1, func(c *marsisours.Config) { c.AutoPass = true }},
		{"one step", two, []string{"b1"}, 2, 0, func(c *marsisours.Config) { c.MinMove, c.ThroughStations = 2, false }},
	} {
		t.Run(x.name, func(t *testing.T) {
			if testing.Short() && len(x.cells[0]) > 2 {
				t.Skip("many positions for the race detector")
			}
			f(t, quick(t, x.cells, x.stations, x.hand, x.junk, x.change))
		})
	}
}

func solve(t testing.TB, r *marsisours.Rules) solution {
	t.Helper()
	sol, err := r.Solve(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return sol
}

func tabulate(t testing.TB, sol solution, p policy) game.TabularPolicy {
	t.Helper()
	table, err := sol.Tabulate(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// hashed is a policy with preferences that are a hash of the observation and the
// action.
type hashed struct {
	r      *marsisours.Rules
	argmax bool
}

func (h hashed) preference(s state, p game.Player, a game.Action) float64 {
	obs := make([]float32, h.r.Spec().ObsLen())
	h.r.Encode(obs, s, p)
	sum := fnv.New64a()
	sum.Write([]byte{byte(a)})
	for _, x := range obs {
		sum.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
	}
	return float64(sum.Sum64()>>11) / (1 << 53)
}

// Choose makes probabilities proportional to the preferences, or with argmax 1 for the
// largest.
func (h hashed) Greedy() bool { return h.argmax }

func (h hashed) Choose(probs, scores []float64, first []uint32) {
	for i, from := range first[:len(first)-1] {
		h.choose(probs[from:first[i+1]], scores[from:first[i+1]])
	}
}

func (h hashed) choose(probs, preferences []float64) {
	best, sum := 0, 0.0
	for i, x := range preferences {
		if x > preferences[best] {
			best = i
		}
		sum += x
	}
	for i, x := range preferences {
		probs[i] = x / sum
	}
	if h.argmax {
		clear(probs)
		probs[best] = 1
	}
}

// Probs uses preferences for actions.
func (h hashed) Probs(dst []float64, states []state) error {
	clear(dst)
	n := h.r.Spec().Actions
	for i, s := range states {
		if c, _ := h.r.Canonical(s); c != s {
			return fmt.Errorf("%s is no representative", h.r.Format(s))
		}
		if _, err := h.r.Parse(h.r.Format(s)); err != nil {
			return err
		}
		legal := h.r.Legal(nil, s)
		preferences, probs := make([]float64, len(legal)), make([]float64, len(legal))
		for k, a := range legal {
			preferences[k] = h.preference(s, h.r.CurrentPlayer(s), a)
		}
		h.choose(probs, preferences)
		for k, a := range legal {
			dst[i*n+int(a)] = probs[k]
		}
	}
	return nil
}

// scorer is a hashed policy that is an AfterstateScorer.
type scorer struct{ hashed }

func (h scorer) Score(dst []float64, after []state, movers []game.Player) error {
	for i, s := range after {
		if c, _ := h.r.Canonical(s); c != s {
			return fmt.Errorf("%s is no representative", h.r.Format(s))
		}
		dst[i] = h.preference(s, movers[i], -1)
	}
	return nil
}

// policies returns policies of every kind that Tabulate treats differently.
func policies(t testing.TB, r *marsisours.Rules, sol solution) map[string]policy {
	t.Helper()
	greedy, err := r.Bot("greedy")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]policy{
		"best": sol.Policy(), "greedy": greedy, "uniform": game.Uniform[state]{Rules: r},
		"mixed": hashed{r, false}, "pure": hashed{r, true},
		"scorer": scorer{hashed{r, false}}, "pure scorer": scorer{hashed{r, true}},
	}
}

// walk calls f with the representative of every reachable position.
func walk(t testing.TB, r *marsisours.Rules, f func(s state)) {
	t.Helper()
	seen := map[state]bool{}
	var todo []state
	add := func(s state) {
		if s, _ = r.Canonical(s); !seen[s] {
			seen[s] = true
			todo = append(todo, s)
		}
	}
	add(r.Initial())
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		f(s)
		for _, o := range r.Outcomes(nil, s) {
			add(o.State)
		}
		for _, a := range r.Legal(nil, s) {
			next, err := r.Apply(s, a)
			if err != nil {
				t.Fatal(err)
			}
			add(next)
		}
	}
}

// near reports whether numbers agree within tol. NaN agrees with nothing.
func near(a, b []float64, tol float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= tol) {
			return false
		}
	}
	return true
}

// TestFastOracle compares the solution by numbers with that by a list of positions.
func TestFastOracle(t *testing.T) {
	ctx := context.Background()
	small(t, func(t *testing.T, r *marsisours.Rules) {
		sol := solve(t, r)
		oracle, err := tabular.Solve(ctx, r, tabular.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !(sol.Residual() <= 1e-15) {
			t.Errorf("residual is %g", sol.Residual())
		}
		actions := r.Spec().Actions
		walk(t, r, func(s state) {
			v, err := sol.Value(nil, s)
			want, _ := oracle.Value(nil, s)
			if err != nil || !near(v, want, 1e-12) {
				t.Errorf("%s: value %v, %v; want %v", r.Format(s), v, err, want)
			}
			o, err := sol.Options(nil, s)
			want, _ = oracle.Options(nil, s)
			if err != nil || !near(o, want, 1e-12) {
				t.Errorf("%s: options %v, %v; want %v", r.Format(s), o, err, want)
			}
			if r.CurrentPlayer(s) < 0 {
				return
			}
			p, best := make([]float64, actions), make([]float64, actions)
			err = sol.Policy().Probs(p, []state{s})
			if oracle.Policy().Probs(best, []state{s}); err != nil || !near(p, best, 0) {
				t.Errorf("%s: best play %v, %v; want %v", r.Format(s), p, err, best)
			}
		})
		fast, slow := map[string]game.TabularPolicy{}, map[string]game.TabularPolicy{}
		for name, p := range policies(t, r, sol) {
			fast[name] = tabulate(t, sol, p)
			if slow[name], err = oracle.Tabulate(ctx, p); err != nil {
				t.Fatal(err)
			}
			for seat := range game.Player(2) {
				compareRegrets(t, name, sol, oracle, p, seat)
			}
		}
		for a := range fast {
			// A policy that plays every action reaches every decision.
			got, want := fast[a], slow[a]
			mixes := a == "uniform" || a == "mixed" || a == "scorer"
			if d, n := want.Decisions()-got.Decisions(), want.Rows()-got.Rows(); d < 0 || n < 0 || mixes && d+n > 0 {
				t.Errorf("%s has %d decisions in %d rows; by the list %d in %d", a, got.Decisions(), got.Rows(), want.Decisions(), want.Rows())
			}
			for seat := range game.Player(2) {
				got, err := sol.BestResponse(ctx, []game.TabularPolicy{fast[a], fast[a]}, seat)
				want, _ := oracle.BestResponse(ctx, []game.TabularPolicy{slow[a], slow[a]}, seat)
				if err != nil || !(math.Abs(got-want) <= 1e-12) {
					t.Errorf("best response of seat %d to %s: %v, %v; want %v", seat, a, got, err, want)
				}
			}
			for b := range fast {
				got, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{fast[a], fast[b]})
				want, _ := oracle.Evaluate(ctx, nil, []game.TabularPolicy{slow[a], slow[b]})
				if err != nil || !near(got, want, 1e-12) {
					t.Errorf("%s against %s: %v, %v; want %v", a, b, got, err, want)
				}
			}
		}
	})
}

// compareRegrets compares the regrets of a policy with those by a list of positions.
func compareRegrets(t *testing.T, name string, sol, oracle solution, p policy, seat game.Player) {
	t.Helper()
	type mistake struct {
		s       state
		a, best game.Action
	}
	list := func(sol solution) map[mistake][]float64 {
		m := map[mistake][]float64{}
		err := sol.Regrets(context.Background(), p, seat, func(r game.Regret[state]) error {
			m[mistake{r.State, r.Action, r.Best}] = []float64{r.Reach, r.Prob, r.Loss}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	got, want := list(sol), list(oracle)
	if len(got) != len(want) || name == "uniform" && len(got) == 0 || name == "best" && len(got) > 0 {
		t.Errorf("%s in seat %d has %d regrets; by the list %d", name, seat, len(got), len(want))
	}
	for k, v := range want {
		if !near(got[k], v, 1e-12) {
			t.Errorf("%s in seat %d, %v: reach, probability and loss %v; want %v", name, seat, k, got[k], v)
		}
	}
}
