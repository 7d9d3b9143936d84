package martiandice

// In package martiandice: the exported API has no values of points within a turn.

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestTurnGraph(t *testing.T) {
	r, err := New(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	g := newGreedy(r, r.newTurnGraph())
	for _, test := range []struct {
		tanks, rays, earthlings, types int
		value                          float64 // of the better choice
		roll                           bool    // whether that is to roll
	}{
		// E. Bonsma, github.com/erwinbonsma/MartianDice, unit tests.
		{0, 10, 2, 1, 2.333333, true},
		{5, 5, 2, 1, 2, false},
		{0, 9, 2, 1, 2.907407, true},
		{3, 3, 5, 2, 5.203704, true},
		{2, 2, 7, 2, 7, false},
		// The same by hand: the last die adds a point to two if it shows a chicken or a
		// cow, and nothing takes points away.
		{0, 10, 2, 1, 2 + 2.0/6, true},
	} {
		node := g.turn.node[test.tanks][test.rays][test.earthlings][test.types]
		if int(node) < g.turn.ends || int(node) >= g.turn.live {
			t.Fatalf("%+v is no hold of the turn", test)
		}
		if got := g.value[node]; !(math.Abs(got-test.value) <= 5e-7) {
			t.Errorf("%+v: value %v", test, got)
		}
		stop := float64(g.turn.holds[node].points)
		if got := g.rolling[node] > stop; got != test.roll {
			t.Errorf("%+v: rolling has value %v, stopping %v", test, g.rolling[node], stop)
		}
	}
}

// The graph must have as many holds as other programs have counted: 775, of which six
// are tanks alone, which no roll starts from.
func TestTurnGraphSize(t *testing.T) {
	r, err := New(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	g := r.newTurnGraph()
	if got := g.live - g.ends; got != 775-6 {
		t.Errorf("%d holds that may score, want %d", got, 775-6)
	}
	// The rolls from each hold have a total probability of one.
	for _, h := range g.holds[g.ends:] {
		sum := 0.0
		for _, e := range g.forced[h.forced.from:h.forced.to] {
			sum += e.prob
		}
		for _, c := range g.choices[h.choices.from:h.choices.to] {
			sum += c.prob
		}
		if !(math.Abs(sum-1) <= 1e-12) {
			t.Errorf("from %+v the probabilities sum to %v", h, sum)
		}
	}
}

// Policies are called with each decision once: no two decisions of a turn have the same
// observation.
func TestDecisions(t *testing.T) {
	r, err := New(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	s := &Solution{r: r, turn: r.newTurnGraph(), starts: newStarts(r.cfg)}
	states := make([]State, s.turn.decisionsPerTurn())
	for i := range states {
		states[i] = s.turn.decision(s.turnStart(700), uint32(i))
	}
	obs := make([]float32, r.spec.ObsLen())
	seen := map[string]State{}
	for i, st := range states {
		if again, _ := r.Canonical(st); again != st {
			t.Errorf("%s is not its own representative", r.Format(st))
		}
		r.Encode(obs, st, r.CurrentPlayer(st))
		key := fmt.Sprint(obs)
		if other, ok := seen[key]; ok {
			t.Errorf("%s has the observation of %s", r.Format(st), r.Format(other))
		}
		seen[key] = st
		if i >= len(s.turn.decisions) {
			continue
		}
		got := s.turn.actions[s.turn.first[i]:s.turn.first[i+1]]
		if want := r.Legal(nil, st); !slices.Equal(got, want) {
			t.Errorf("at %s the graph has actions %v, want %v", r.Format(st), got, want)
		}
	}
}
