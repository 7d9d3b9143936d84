package agents_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/eval"
	"marsgym/internal/test/fulltest"
)

// seats selects the cards that are compared with the exact strength of their networks: three
// seats take some ten seconds of two cores, and four five minutes.
var seats = flag.Int("seats", 2, "evaluate pretrained networks for up to this number of `seats` exactly; in full tests for three at least")

// figure returns a figure of a model card, from a line such as
// "| exploitability | 0.000081 |", or the first of several in the line, and half a unit of its last
// digit.
func figure(t *testing.T, card, name string) (x, half float64) {
	t.Helper()
	m := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(name) + ` \| ([0-9.]+) \|`).FindStringSubmatch(card)
	if m == nil {
		t.Fatalf("the card has no line for %s", name)
	}
	x, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	_, decimals, _ := strings.Cut(m[1], ".")
	return x, math.Pow10(-len(decimals)) / 2
}

// TestCards: pretrained networks have the strength in their cards, exactly where the game
// is solved.
func TestCards(t *testing.T) {
	most := *seats
	if fulltest.On() {
		most = max(3, most)
	}
	for _, name := range agents.PretrainedNames() {
		t.Run(name, func(t *testing.T) {
			at := strings.LastIndex(name, "-")
			players, err := strconv.Atoi(name[at+1:])
			if err != nil {
				t.Fatal(err)
			}
			g, err := catalog.Open(name[:at], players, nil)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile("pretrained/" + name + ".md")
			if err != nil {
				t.Fatal(err)
			}
			card := string(text)
			unsolved := !env.Solvable(g)
			switch {
			case unsolved, players > most:
				cardByMatch(t, g, card)
			case testing.Short() || g.Spec().ID != "martian-dice" && !fulltest.On():
				t.Skip("evaluates a network in all positions")
			case players == 2:
				cardOfTwo(t, g, card)
			default:
				cardOfMore(t, g, card)
			}
		})
	}
}

// solved returns the pretrained network of a game, best play, and an evaluator.
func solved(t *testing.T, g env.Game) (a, exact *agents.Agent, evaluator *eval.ExactEvaluator) {
	t.Helper()
	a, err := agents.Open(t.Context(), agents.Pretrained, agents.Options{Game: g})
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	evaluator, err = eval.NewExactEvaluator(g, s)
	if err != nil {
		t.Fatal(err)
	}
	return a, &agents.Agent{Name: agents.Exact, Policy: s.Policy()}, evaluator
}

func cardOfTwo(t *testing.T, g env.Game, card string) {
	a, _, evaluator := solved(t, g)
	p, err := evaluator.Strength(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, card, map[string]float64{
		"wins moving first": p.WinFirst, "wins moving second": p.WinSecond, "wins": p.Win, "exploitability": p.Exploitability,
	})
	limit := 0.0002
	if g.Spec().ID != "martian-dice" {
		limit = 0.001
	}
	if !(p.Exploitability <= limit) {
		t.Errorf("exploitability %g; want at most %g", p.Exploitability, limit)
	}
}

func cardOfMore(t *testing.T, g env.Game, card string) {
	a, exact, evaluator := solved(t, g)
	m, err := evaluator.Multiplayer(t.Context(), against(a, exact, g))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"wins against exact": m.Mean, "exploitability": m.Exploitability}
	for seat, win := range m.WinBySeat {
		want[fmt.Sprint(seat)] = win
	}
	m, err = evaluator.Multiplayer(t.Context(), against(a, greedy(t, g), g))
	if err != nil {
		t.Fatal(err)
	}
	want["wins against greedy"] = m.Mean
	compare(t, card, want)
}

// against returns the agents of all seats: a in the first, and the other agent in the others.
func against(a, other *agents.Agent, g env.Game) []*agents.Agent {
	return append([]*agents.Agent{a}, slices.Repeat([]*agents.Agent{other}, g.Spec().Players-1)...)
}

// greedy returns the bot of a game.
func greedy(t *testing.T, g env.Game) *agents.Agent {
	t.Helper()
	a, err := agents.Open(t.Context(), "greedy", agents.Options{Game: g})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// compare compares the figures of a card, of six decimals, with the wanted ones.
func compare(t *testing.T, card string, figures map[string]float64) {
	t.Helper()
	for name, want := range figures {
		if got, half := figure(t, card, name); !(math.Abs(got-want) <= 1.02*half) {
			t.Errorf("%s: %v in the card, want %.9f", name, got, want)
		}
	}
}

// cardByMatch compares a figure of the card with a match.
func cardByMatch(t *testing.T, g env.Game, card string) {
	a, err := agents.Open(t.Context(), agents.Pretrained, agents.Options{Game: g})
	if err != nil {
		t.Fatal(err)
	}
	games := 1000
	switch searches := strings.Contains(a.Name, agents.Search) || strings.Contains(a.Name, agents.Lookahead); {
	case searches && fulltest.On():
		games = 200
	case searches:
		t.Skip("a search takes up to half a second a game; MARSGYM_FULL=1 tests it")
	case fulltest.On():
		games = 4000
	case testing.Short():
		games = 400
	}
	m, err := eval.PlayDuplicate(context.Background(), g, against(a, greedy(t, g), g), games, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want, _ := figure(t, card, "wins against greedy"); !(m.Low[0] <= want && want <= m.High[0]) {
		t.Errorf("wins against greedy: %.6f in the card, and %.4f to %.4f in a match", want, m.Low[0], m.High[0])
	}
}

func TestPretrained(t *testing.T) {
	two, err := catalog.Open("martian-dice", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if names := agents.Names(two); names[len(names)-1] != agents.Pretrained {
		t.Errorf("the agents are %v", names)
	}
	for _, test := range []struct {
		config  string
		players int
		want    string
	}{
		{`{}`, 9, "there is no pretrained network for Martian Dice for 9 players"},
		{`{"target": 20}`, 2, "it was trained with other settings of martian-dice"},
	} {
		g, err := catalog.Open("martian-dice", test.players, []byte(test.config))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := agents.Open(t.Context(), agents.Pretrained, agents.Options{Game: g}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s for %d: %v; want %q", test.config, test.players, err, test.want)
		}
		for _, name := range agents.Names(g) {
			if name == agents.Pretrained {
				t.Errorf("%s for %d: %s is offered", test.config, test.players, name)
			}
		}
	}
}
