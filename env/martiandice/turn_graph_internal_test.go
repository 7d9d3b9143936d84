package martiandice

// In package martiandice: what a turn is worth from the middle on, to a player
// who counts points only, shows in no position of a game.

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestTurn(t *testing.T) {
	r, err := New(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	g := newGreedy(r, r.newTurnGraph())
	for _, test := range []struct {
		tanks, rays, earthlings, types int
		worth                          float64 // of the better choice
		roll                           bool    // which is to roll
	}{
		// E. Bonsma, github.com/erwinbonsma/MartianDice, unit tests.
		{0, 10, 2, 1, 2.333333, true},
		{5, 5, 2, 1, 2, false},
		{0, 9, 2, 1, 2.907407, true},
		{3, 3, 5, 2, 5.203704, true},
		{2, 2, 7, 2, 7, false},
		// The same by hand: one die left, of which a chicken or a cow adds a point
		// to two, and nothing takes them away.
		{0, 10, 2, 1, 2 + 2.0/6, true},
	} {
		code := g.turn.node[test.tanks][test.rays][test.earthlings][test.types]
		if int(code) < g.turn.ends || int(code) >= g.turn.live {
			t.Fatalf("%+v is no hold of the turn", test)
		}
		if got := g.value[code]; !(math.Abs(got-test.worth) <= 5e-7) {
			t.Errorf("%+v: worth %v", test, got)
		}
		stop := float64(g.turn.holds[code].points)
		if got := g.rolling[code] > stop; got != test.roll {
			t.Errorf("%+v: rolling is worth %v, stopping %v", test, g.rolling[code], stop)
		}
	}
}

// The graph must have as many holds as others have counted: 775, of which six
// are tanks alone, which nobody can hold when rolling on.
func TestTurnSize(t *testing.T) {
	r, err := New(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	g := r.newTurnGraph()
	if got := g.live - g.ends; got != 775-6 {
		t.Errorf("%d holds that may score, want %d", got, 775-6)
	}
	// What leads on from each hold has probability one.
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

// Policies are asked about each decision once: no two of them look the same, so
// that a policy of observations could answer each in its own way, and none
// could answer twice.
func TestDecisions(t *testing.T) {
	r, err := New(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	s := &Solution{r: r, turn: r.newTurnGraph(), starts: newStarts(r.cfg)}
	states := make([]State, s.turn.decisionsPerTurn())
	s.fillDecisions(states, s.turnStart(700))
	obs := make([]float32, r.spec.ObsLen())
	seen := map[string]State{}
	for i, st := range states {
		if again, _ := r.Canonical(st); again != st {
			t.Errorf("%s is not its own representative", r.Format(st))
		}
		r.Encode(obs, st, r.CurrentPlayer(st))
		look := fmt.Sprint(obs)
		if other, ok := seen[look]; ok {
			t.Errorf("%s looks like %s", r.Format(st), r.Format(other))
		}
		seen[look] = st
		if i >= len(s.turn.decisions) {
			continue
		}
		got := s.turn.actions[s.turn.first[i]:s.turn.first[i+1]]
		if want := r.Legal(nil, st); !slices.Equal(got, want) {
			t.Errorf("at %s the graph has actions %v, want %v", r.Format(st), got, want)
		}
	}
}
