package eval_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/eval"
	"marsgym/internal/test/testgames"
)

// keep returns a function for the matches of a tournament, and the list to which it adds them.
func keep() (played func(eval.Pairing) error, list *[]eval.Pairing) {
	list = new([]eval.Pairing)
	return func(m eval.Pairing) error {
		*list = append(*list, m)
		return nil
	}, list
}

// TestTournamentMatches: each match has dice of its own, in the order of the pairs, and what the
// tournament counts is the sum over its matches.
func TestTournamentMatches(t *testing.T) {
	g := testgames.Open(t, "mars-is-ours", 2, `{"move_limit": 60}`)
	random := bot(t, g, "random")
	entrants := []*agents.Agent{bot(t, g, "greedy"), random, {Name: "another", Policy: random.Policy}}
	played, list := keep()
	var done []float64
	p, err := eval.ResumeTournament(t.Context(), nil, g, entrants, 31, 5, nil, played, func(x float64) { done = append(done, x) })
	if err != nil {
		t.Fatal(err)
	}
	games, truncated := 0, 0
	var pairs [][2]int
	for _, m := range *list {
		pairs = append(pairs, [2]int{m.A, m.B})
		games, truncated = games+m.Games, truncated+m.Truncated
	}
	if want := [][2]int{{0, 1}, {0, 2}, {1, 2}}; !slices.Equal(pairs, want) {
		t.Fatalf("the pairs are %v; want %v", pairs, want)
	}
	if games != 3*32 || p.Games != games || p.Truncated != truncated || truncated <= (*list)[2].Truncated {
		t.Errorf("%d games, %d truncated; in the matches %d and %d", p.Games, p.Truncated, games, truncated)
	}
	if (*list)[0].Share == (*list)[1].Share && (*list)[0].Variance == (*list)[1].Variance {
		t.Errorf("two matches against the same policy have the same games: %+v", *list)
	}
	if !slices.IsSorted(done) || !(done[0] <= 1./3) || done[len(done)-1] != 1 || !slices.ContainsFunc(done, func(x float64) bool { return math.Abs(x-1./3) <= 1e-12 }) {
		t.Errorf("the progress is %v", done)
	}

	// With two of three matches known, the last one is played.
	again, last := keep()
	q, err := eval.ResumeTournament(t.Context(), nil, g, entrants, 31, 5, (*list)[:2], again, nil)
	if err != nil || !reflect.DeepEqual(q, p) || !slices.Equal(*last, (*list)[2:]) {
		t.Errorf("resumed: %+v, %v after %+v; want %+v", q, err, *last, p)
	}
	if _, err := eval.ResumeTournament(t.Context(), nil, g, entrants, 31, 5, nil, func(eval.Pairing) error { return errFailing }, nil); !errors.Is(err, errFailing) {
		t.Errorf("a match cannot be stored: %v", err)
	}
}

// TestTournamentRating: the rating counts one further set, in which all win the fair share, and
// truncated games as shared by all.
func TestTournamentRating(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 250}`)
	reckless := &agents.Agent{Name: "reckless", Policy: always{0}} // never holds
	p, err := eval.PlayTournament(t.Context(), g, []*agents.Agent{reckless, {Name: "another", Policy: always{0}}}, 4, 1, nil)
	if err != nil || p.Truncated != 4 || p.Win[0][1] != 0 || p.Win[1][0] != 0 || p.Rating[1] != 0 {
		t.Errorf("of truncated games: %+v, %v", p, err)
	}
	g = testgames.Open(t, "martian-dice", 2, `{}`)
	p, err = eval.PlayTournament(t.Context(), g, []*agents.Agent{bot(t, g, "random"), bot(t, g, "greedy")}, 20, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	share := (10 + 0.5) / 11. // greedy wins ten sets
	near(t, "the rating", p.Rating[0], 400*math.Log10(share/(1-share)), 1e-9)
	if !slices.Equal(p.Agents, []string{"greedy", "random"}) || p.Win[0][1] != 1 || p.Win[0][0] != 0.5 || p.Fair != 0.5 || p.Anchor != "random" {
		t.Errorf("%+v", p)
	}
	two := []*agents.Agent{bot(t, g, "random"), bot(t, g, "greedy")}
	for _, tt := range []struct {
		game     env.Game
		entrants []*agents.Agent
		games    int
		want     string
	}{
		{g, two, 0, "a match of 0 games"},
		{g, two[:1], 20, "a tournament of 1 agents; want at least 2"},
		{testgames.Open(t, "martian-dice", 1, `{}`), two, 20, "counts turns, not wins"},
	} {
		if _, err := eval.PlayTournament(t.Context(), tt.game, tt.entrants, tt.games, 1, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%d agents, %d games: %v; want %q", len(tt.entrants), tt.games, err, tt.want)
		}
	}
}
