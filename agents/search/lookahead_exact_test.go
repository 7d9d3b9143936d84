package search_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/test/testgames"
	"marsgym/models"
)

// asked is a policy of which a solution knows nothing else.
type asked struct{ env.Policy }

// TestLookaheadTabulated: a solution that backs the values up over its table finds the
// same policy as by asking for each decision.
func TestLookaheadTabulated(t *testing.T) {
	for _, test := range []struct {
		id, config string
		target     search.ValueTarget
		plies      []string
	}{
		{"pig", `{"target": 8, "players": 3}`, search.Decision, []string{"0", "1", "3"}},
		{"martian-risk-tiny", `{"max_rounds": 1}`, search.Afterstate, []string{"0", "1", "3"}},
		{"martian-dice", `{"dice": 6, "target": 6}`, search.TurnStart, []string{"0", "1", "2"}},
		{"martian-dice", `{"dice": 5, "target": 4, "players": 3}`, search.TurnStart, []string{"0", "1"}},
		{"martian-dice", `{"dice": 5, "target": 4, "players": 3}`, search.Afterstate, []string{"0", "1"}},
	} {
		g := testgames.Open(t, test.id, 0, test.config)
		s, err := g.Solve(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		kind := models.ValueReturns
		if test.id == "martian-dice" { // the values of each row add up, as plans of whole turns want it
			kind = models.ValueShares
		}
		file := saveNetwork(t, g, test.target, kind)
		var last game.TabularPolicy
		for _, plies := range test.plies {
			a := searchAgent(t, g, "lookahead:"+plies+":"+file, 1)
			var tables [2]game.TabularPolicy
			for i, p := range []env.Policy{a.Policy, asked{a.Policy}} {
				if tables[i], err = s.Tabulate(t.Context(), p); err != nil {
					t.Fatal(err)
				}
			}
			if tables[0].Decisions() != tables[1].Decisions() || !sameStrength(t, s, tables, g.Spec().Players) {
				t.Errorf("%s %s, %s by %s plies: another policy than by decisions", test.id, test.config, test.target, plies)
			}
			if reflect.DeepEqual(tables[0], last) {
				t.Errorf("%s %s, %s by %s plies: the same policy as with fewer", test.id, test.config, test.target, plies)
			}
			last = tables[0]
		}
	}
}

// sameStrength reports whether two policies have the same values in all seats, and against
// a best response.
func sameStrength(t *testing.T, s env.Solution, tables [2]game.TabularPolicy, players int) bool {
	t.Helper()
	var values [2][]float64
	for i, table := range tables {
		seats := slices.Repeat([]game.TabularPolicy{table}, players)
		var err error
		if values[i], err = s.Evaluate(t.Context(), seats); err != nil {
			t.Fatal(err)
		}
		for p := range players {
			v, err := s.BestResponse(t.Context(), seats, game.Player(p))
			if err != nil {
				t.Fatal(err)
			}
			values[i] = append(values[i], v)
		}
	}
	return slices.EqualFunc(values[0], values[1], func(x, y float64) bool { return math.Abs(x-y) < 1e-12 })
}

func TestLookaheadNotTabulated(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 6, "target": 12}`)
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	a := searchAgent(t, g, "lookahead:0:"+saveNetwork(t, g, search.Decision, models.ValueReturns), 1)
	if _, err := s.Tabulate(t.Context(), a.Policy); !errors.Is(err, game.ErrLookahead) {
		t.Errorf("error %v; want %v", err, game.ErrLookahead)
	}
}
