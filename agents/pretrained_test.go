package agents_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/eval"
)

// seats says which cards are held to the exact strength of their networks: two
// seats take two seconds of two cores, three take a minute, and four an hour, for
// which -timeout 3h leaves room.
var seats = flag.Int("seats", 2, "evaluate released networks for up to so many `seats` exactly")

// figure returns a figure of a model card, from a line such as
// "| exploitability | 0.000081 |", or the first of several in the line.
func figure(t *testing.T, card, name string) float64 {
	t.Helper()
	m := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(name) + ` \| ([0-9.]+) \|`).FindStringSubmatch(card)
	if m == nil {
		t.Fatalf("the card has no line for %s", name)
	}
	x, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestCards: released networks are as strong as their cards say, exactly.
func TestCards(t *testing.T) {
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
			if players > 2 {
				cardByMatch(t, g, card)
			}
			switch {
			case players > *seats:
			case testing.Short():
				t.Skip("asks a network about the whole game")
			case players == 2:
				cardOfTwo(t, g, card)
			default:
				cardOfMore(t, g, card)
			}
		})
	}
}

// judged opens the released network of a game and a judge of it, and best play.
func judged(t *testing.T, g env.Game) (a, exact *agents.Agent, judge *eval.ExactEvaluator) {
	t.Helper()
	a, err := agents.Open(t.Context(), agents.Pretrained, agents.Options{Game: g})
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	judge, err = eval.NewExactEvaluator(g, s)
	if err != nil {
		t.Fatal(err)
	}
	return a, &agents.Agent{Name: agents.Exact, Policy: s.Policy()}, judge
}

func cardOfTwo(t *testing.T, g env.Game, card string) {
	a, _, judge := judged(t, g)
	p, err := judge.Strength(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	held(t, card, map[string]float64{
		"wins moving first": p.WinFirst, "wins moving second": p.WinSecond, "wins": p.Win, "exploitability": p.Exploitability,
	})
	if !(p.Exploitability <= 0.0002) {
		t.Errorf("exploitability %g: better not released", p.Exploitability)
	}
}

func cardOfMore(t *testing.T, g env.Game, card string) {
	a, exact, judge := judged(t, g)
	who := []*agents.Agent{a}
	for len(who) < g.Spec().Players {
		who = append(who, exact)
	}
	table, err := judge.Multiplayer(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"wins against exact": table.Mean, "exploitability": table.Exploitability}
	for seat, win := range table.WinBySeat {
		want[fmt.Sprint(seat)] = win
	}
	held(t, card, want)
}

// held compares the figures of a card, of six decimals, to what they should be.
func held(t *testing.T, card string, figures map[string]float64) {
	t.Helper()
	for name, want := range figures {
		if got := figure(t, card, name); !(math.Abs(got-want) <= 5.1e-7) {
			t.Errorf("%s: the card says %.6f, and it is %.9f", name, got, want)
		}
	}
}

// cardByMatch plays a match.
func cardByMatch(t *testing.T, g env.Game, card string) {
	games := 40_000
	if testing.Short() {
		games = 400
	}
	a, err := agents.Open(t.Context(), agents.Pretrained, agents.Options{Game: g})
	if err != nil {
		t.Fatal(err)
	}
	greedy, err := agents.Open(t.Context(), "greedy", agents.Options{Game: g})
	if err != nil {
		t.Fatal(err)
	}
	who := []*agents.Agent{a}
	for len(who) < g.Spec().Players {
		who = append(who, greedy)
	}
	m, err := eval.PlayDuplicate(context.Background(), g, who, games, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := figure(t, card, "wins against greedy"); !(m.Low[0] <= want && want <= m.High[0]) {
		t.Errorf("the card says it wins %.6f against greedy, and in a match it wins %s", want, fmt.Sprintf("%.4f to %.4f", m.Low[0], m.High[0]))
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
	for config, players := range map[string]int{`{}`: 9, `{"target": 20}`: 2} {
		g, err := catalog.Open("martian-dice", players, []byte(config))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := agents.Open(t.Context(), agents.Pretrained, agents.Options{Game: g}); err == nil {
			t.Errorf("%s for %d: a network of another game is opened", config, players)
		}
		for _, name := range agents.Names(g) {
			if name == agents.Pretrained {
				t.Errorf("%s for %d: %s is offered", config, players, name)
			}
		}
	}
}
