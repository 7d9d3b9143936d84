package search_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/test/testgames"
)

// crossing is a game for two in which seat 0 takes one of many ways. The last one wins or, if it is a
// trap, loses; the others lead to a decision of seat 1, who then wins.
type crossing struct {
	ways int
	trap bool
}

// way is the state of crossing: 0 at first, ways+1 at the end of the game, otherwise the way taken.
type way struct{ N uint32 }

func (x crossing) Spec() game.Spec {
	return game.Spec{ID: "crossing", Title: "Crossing", Version: 1, Players: 2, Actions: x.ways,
		Observation: []game.Field{{Name: "way", Len: 1}}, Win: 1, Loss: -1}
}
func (crossing) Initial() way { return way{} }
func (x crossing) CurrentPlayer(s way) game.Player {
	switch {
	case s.N == 0:
		return 0
	case int(s.N) >= x.ways:
		return game.Terminal
	}
	return 1
}
func (x crossing) Legal(dst []game.Action, s way) []game.Action {
	switch x.CurrentPlayer(s) {
	case 0:
		for a := range x.ways {
			dst = append(dst, game.Action(a))
		}
	case 1:
		dst = append(dst, 0)
	}
	return dst
}
func (crossing) Outcomes(dst []game.Outcome[way], _ way) []game.Outcome[way] { return dst }
func (x crossing) Apply(s way, a game.Action) (way, error) {
	switch {
	case s.N == 0 && a >= 0 && int(a) < x.ways:
		return way{uint32(a) + 1}, nil
	case x.CurrentPlayer(s) == 1 && a == 0:
		return way{uint32(x.ways) + 1}, nil
	}
	return s, game.ErrIllegalAction
}
func (x crossing) Returns(dst []float64, s way) []float64 {
	switch {
	case int(s.N) < x.ways:
		return append(dst, 0, 0)
	case int(s.N) == x.ways && !x.trap:
		return append(dst, 1, -1)
	}
	return append(dst, -1, 1)
}
func (crossing) Encode(dst []float32, s way, _ game.Player) { dst[0] = float32(s.N) }

// TestBranchLimit: a look-ahead lists 262,144 moves and outcomes, and no more.
func TestBranchLimit(t *testing.T) {
	network := func(_, values, _ []float32) { clear(values) }
	for ways, want := range map[int]string{1 << 18: "", 1<<18 + 1: "more than 262144 from one decision"} {
		g := handle(crossing{ways: ways})
		p, err := search.NewLookahead(g, 0, &search.Evaluator{Target: search.Decision, Forward: network})
		if err != nil {
			t.Fatal(err)
		}
		probs, err := env.ActionProbabilities(t.Context(), p, g.Initial(), ways)
		if want == "" && (err != nil || probs[ways-1] != 1) || want != "" && (!errors.Is(err, search.ErrBranches) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d ways: %v; want %q, or the way that wins", ways, err, want)
		}
	}
}

// TestLookaheadNumbers: a network whose value is no number is an error, not a choice.
func TestLookaheadNumbers(t *testing.T) {
	g := handle(crossing{ways: 5})
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1))} {
		p, err := search.NewLookahead(g, 0, &search.Evaluator{Target: search.Decision, Forward: func(_, values, _ []float32) { values[len(values)-1] = bad }})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := env.ActionProbabilities(t.Context(), p, g.Initial(), 5); err == nil || err.Error() != fmt.Sprintf("look-ahead: the network's value is %v", bad) {
			t.Errorf("a value of %v: %v", bad, err)
		}
	}
}

// TestEvaluatorRows: an evaluator sees a decision, its afterstates or both, as its policy and its
// values need, and the value of a decision is its own or the value of the mover's best afterstate.
func TestEvaluatorRows(t *testing.T) {
	const ways, liked, dear = 5, 3, 2 // the network prefers way 3, and values way 2 most
	g := handle(crossing{ways: ways, trap: true})
	for _, tt := range []struct {
		scores bool
		target search.ValueTarget
		rows   []float32
		share  float64 // of the win of seat 0
	}{
		{false, search.Decision, []float32{0}, 0.25},
		{true, search.Decision, []float32{0, 1, 2, 3, 4, 5}, 0.25},
		{false, search.Afterstate, []float32{0, 1, 2, 3, 4, 5}, 0.75},
		{true, search.Afterstate, []float32{1, 2, 3, 4, 5}, 0.75},
	} {
		var seen []float32
		e := &search.Evaluator{ScoresAfterstates: tt.scores, Target: tt.target, Forward: func(policy, values, obs []float32) {
			seen = slices.Clone(obs)
			clear(policy)
			for i, way := range obs {
				switch {
				case tt.scores && way == liked:
					policy[i] = 1
				case !tt.scores && way == 0:
					policy[i*ways+liked-1] = 1
				}
				// Seen by seat 0: the decision is worth -0.5, way 2 is worth 0.5, and others -0.75.
				v := float32(-0.75)
				if way == 0 {
					v = -0.5
				} else if way == dear {
					v = 0.5
				}
				values[2*i], values[2*i+1] = v, -v
			}
		}}
		s, err := search.New(g, search.Config{Simulations: 1}, e)
		if err != nil {
			t.Fatal(err)
		}
		share := make([]float64, search.Sizes*2)
		if err := s.Values(t.Context(), share, []env.Position{g.Initial()}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(seen, tt.rows) || !(math.Abs(share[0]-tt.share) <= 1e-6 && math.Abs(share[1]-(1-tt.share)) <= 1e-6) {
			t.Errorf("scores %v, values of %s: rows %v give seat 0 %v of the win; want rows %v, %v", tt.scores, tt.target, seen, share[0], tt.rows, tt.share)
		}
		probs, err := env.ActionProbabilities(t.Context(), s, g.Initial(), ways)
		if err != nil || probs[liked-1] != 1 {
			t.Errorf("scores %v, values of %s: probabilities %v, %v; want way %d", tt.scores, tt.target, probs, err, liked)
		}
	}
}

// TestForwardNear: the rows of a call are divided into those of each decision, whether the trees are
// many or so few that each is a call of its own.
func TestForwardNear(t *testing.T) {
	const ways = 4
	g := handle(crossing{ways: ways, trap: true})
	for _, positions := range []int{1, 3, 4, 5, 9} {
		var mu sync.Mutex
		decisions, calls := 0, 0
		e := &search.Evaluator{Target: search.Afterstate, ForwardNear: func(policy, values, obs []float32, first []int) {
			mu.Lock()
			defer mu.Unlock()
			calls++
			clear(policy)
			clear(values)
			if first[0] != 0 || first[len(first)-1] != len(obs) || len(policy) != ways*len(obs) || len(values) != 2*len(obs) {
				t.Errorf("%d observations from %v", len(obs), first)
				return
			}
			for i, from := range first[:len(first)-1] {
				decisions++
				if rows := obs[from:first[i+1]]; !slices.Equal(rows, []float32{0, 1, 2, 3, 4}) {
					t.Errorf("the rows of decision %d are %v", i, rows)
				}
			}
		}}
		s, err := search.New(g, search.Config{Simulations: 1}, e)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.Repeat([]env.Position{g.Initial()}, positions)
		share := make([]float64, positions*search.Sizes*2)
		if err := s.Values(t.Context(), share, at); err != nil {
			t.Fatal(err)
		}
		wantCalls := 1
		if positions <= 4 {
			wantCalls = positions
		}
		if decisions != positions || calls != wantCalls {
			t.Errorf("%d positions: %d decisions in %d calls; want %d calls", positions, decisions, calls, wantCalls)
		}
		for i, x := range share {
			if i%(search.Sizes*2) < 2 && x != 0.5 {
				t.Errorf("position %d is worth %v", i/(search.Sizes*2), share)
				break
			}
		}
	}
}

// TestTurnStartValues: if the values are of starts of turns, a simulation plays to the next of them
// that it has not seen, and a decision has none.
func TestTurnStartValues(t *testing.T) {
	g := testgames.Open(t, "pig", 2, "{}")
	at, err := g.Parse("0-0@0 turn 20")
	if err != nil {
		t.Fatal(err)
	}
	// The network always holds, and gives the seat whose turn starts 0.5: three quarters of the win.
	e := &search.Evaluator{Target: search.TurnStart, Forward: func(policy, values, _ []float32) {
		for i := range len(values) / 2 {
			policy[2*i], policy[2*i+1] = 0, 50
			values[2*i], values[2*i+1] = 0.5, -0.5
		}
	}}
	// The first simulation ends where seat 1 begins a turn, and the second where seat 0 begins the next.
	for simulations, want := range map[int][]float64{1: {0.25}, 2: {0.75, 0.25}} {
		s, err := search.New(g, search.Config{Simulations: simulations}, e)
		if err != nil {
			t.Fatal(err)
		}
		share := make([]float64, search.Sizes*2)
		if err := s.Values(t.Context(), share, []env.Position{at}); err != nil {
			t.Fatal(err)
		}
		for k, x := range want {
			if !(math.Abs(share[2*k]-x) <= 1e-9) {
				t.Errorf("%d simulations: part %d gives seat 0 %v of the win; want %v", simulations, k, share[2*k], x)
			}
		}
	}
}

// TestNoEmptyCalls: an evaluator is not called where all simulations end by the rules.
func TestNoEmptyCalls(t *testing.T) {
	g := handle(crossing{ways: 2}) // both of which end the game
	calls := 0
	e := &search.Evaluator{Target: search.Decision, Forward: func(policy, values, obs []float32) {
		calls++
		clear(policy)
		clear(values)
		if len(obs) == 0 {
			t.Error("a call without an observation")
		}
	}}
	s, err := search.New(g, search.Config{Simulations: 30}, e)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Repeat([]env.Position{g.Initial()}, 6) // more than share the cores
	if err := s.Values(t.Context(), make([]float64, len(at)*search.Sizes*2), at); err != nil {
		t.Fatal(err)
	}
	if calls == 0 {
		t.Error("no call")
	}
}
