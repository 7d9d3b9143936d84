package eval_test

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/eval"
	"marsgym/internal/test/testgames"
)

// TestTournament: nearly all intervals contain the ratings of the exact shares, for two
// and three players.
func TestTournament(t *testing.T) {
	for _, players := range []int{2, 3} {
		r := reduced(t, players)
		entrants := []*agents.Agent{r.greedy, r.exact, {Name: "half at random", Policy: testgames.Mixture{A: r.greedy, B: r.random, Prob: 0.5}}}
		win, err := r.evaluator.Matrix(t.Context(), entrants)
		if err != nil {
			t.Fatal(err)
		}
		exact, err := eval.Ratings(win, players)
		if err != nil {
			t.Fatal(err)
		}
		missed := 0
		for seed := range uint64(most(12, 2)) {
			p, err := eval.PlayTournament(t.Context(), r.game, entrants, 200*players, seed, nil)
			if err != nil {
				t.Fatal(err)
			}
			if p.Anchor != "greedy" || p.Method != "match" || p.Games != 3*200*players*(players-1) {
				t.Fatalf("the tournament is %+v", p)
			}
			for i, a := range entrants {
				k := slices.Index(p.Agents, a.Name)
				if i == 0 && (p.Rating[k] != 0 || p.Low[k] != 0 || p.High[k] != 0) {
					t.Errorf("the anchor is at %g, %g to %g", p.Rating[k], p.Low[k], p.High[k])
				}
				if !(float64(p.Low[k]) <= exact[i] && exact[i] <= float64(p.High[k])) {
					missed++
				}
				if !(p.High[k]-p.Low[k] < 300) {
					t.Errorf("%s: %g to %g", a.Name, p.Low[k], p.High[k])
				}
			}
			if !slices.IsSortedFunc(p.Rating, func(a, b float64) int { return cmp.Compare(b, a) }) {
				t.Errorf("the ratings are %v", p.Rating)
			}
		}
		// One in a hundred is expected; 3 of 24 have a probability of 0.002.
		if missed > 2 {
			t.Errorf("for %d: %d of 24 intervals miss", players, missed)
		}
	}
}

// TestTournamentOneSided: an agent that loses all games has a rating, too, whose interval has no
// lower end.
func TestTournamentOneSided(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 2, `{}`)
	p, err := eval.PlayTournament(t.Context(), g, []*agents.Agent{bot(t, g, "greedy"), bot(t, g, "random")}, 20, 1, nil)
	if err != nil || !(p.Rating[1] < -300) || p.Agents[1] != "random" {
		t.Errorf("%+v, %v", p, err)
	}
	worst := math.Pow(0.005, 1./10) // of ten sets
	if x := p.Interval(1); !math.IsInf(x.Low, -1) || !(math.Abs(x.High-400*math.Log10(1/worst-1)) <= 0.1) {
		t.Errorf("who lost ten sets of ten has a rating %v", x)
	}
	if _, err := eval.PlayTournament(t.Context(), g, []*agents.Agent{bot(t, g, "greedy")}, 20, 1, nil); err == nil || !strings.Contains(err.Error(), "a tournament of 1 agents; want at least 2") {
		t.Errorf("a tournament of one agent: %v", err)
	}

	g = testgames.Open(t, "martian-dice", 3, `{}`)
	entrants := []*agents.Agent{bot(t, g, "greedy"), bot(t, g, "random")}
	var played []eval.Pairing
	keep := func(m eval.Pairing) error {
		played = append(played, m)
		return nil
	}
	if p, err = eval.ResumeTournament(t.Context(), nil, g, entrants, 30, 1, nil, keep, nil); err != nil {
		t.Fatal(err)
	}
	if played[1].Share != 0 || p.Win[1][0] != 0 {
		t.Errorf("who lost ten sets of ten has the share %v, and in the tournament %v", played[1].Share, p.Win[1][0])
	}
	if again, err := eval.ResumeTournament(t.Context(), nil, g, entrants, 30, 1, played, nil, nil); err != nil || !reflect.DeepEqual(again, p) {
		t.Errorf("resumed %+v, %v; at once %+v", again, err, p)
	}
}

// TestTournamentShares: the win shares of a tournament are those of the match of the same games,
// also where nobody wins; only its ratings count further games.
func TestTournamentShares(t *testing.T) {
	for _, tt := range []struct {
		game, config string
		games        int
		truncated    bool
	}{{"pig", `{}`, 20, false}, {"pig", `{}`, 2, false}, {"martian-risk-tiny", `{"max_rounds": 0}`, 20, true}} {
		g := testgames.Open(t, tt.game, 2, tt.config)
		entrants := []*agents.Agent{bot(t, g, "greedy"), bot(t, g, "random")}
		m, err := eval.PlayDuplicate(t.Context(), g, entrants, tt.games, 1, nil)
		if err != nil || (m.Truncated > 0) != tt.truncated {
			t.Fatalf("%+v, %v", m, err)
		}
		p, err := eval.PlayTournament(t.Context(), g, entrants, tt.games, 1, nil)
		if err != nil || p.Games != m.Games || p.Truncated != m.Truncated || p.PriorGames != 2 {
			t.Fatalf("%+v, %v", p, err)
		}
		for i, a := range entrants {
			k := slices.Index(p.Agents, a.Name)
			if got := p.Win[k][1-k]; !(math.Abs(got-m.Win[i]) <= 1e-15) {
				t.Errorf("%s, %d games: the tournament has %s at %v, the match at %v", tt.game, tt.games, a.Name, got, m.Win[i])
			}
		}
	}
}
