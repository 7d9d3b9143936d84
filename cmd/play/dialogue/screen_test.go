package dialogue_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/cmd/play/dialogue"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/internal/colour"
	"marsgym/internal/test/fulltest"
)

// TestScreen checks that choices on the largest boards fit on 80 columns and 24 lines,
// over games of the strongest bots.
func TestScreen(t *testing.T) {
	fulltest.Gate(t)
	games, each := uint64(1), 3 // a sample
	if fulltest.On() {
		games, each = 5, 1
	}
	for id, players := range map[string][]int{"martian-risk": {3, 4, 5, 6}, "martian-risk-small": {3, 6}, "mars-is-ours": {2, 3, 4}} {
		for _, n := range players {
			t.Run(fmt.Sprint(id, " for ", n), func(t *testing.T) {
				g, err := catalog.Open(id, n, nil)
				if err != nil {
					t.Fatal(err)
				}
				bots := g.BotNames()
				bot, err := agents.Open(t.Context(), bots[len(bots)-1], agents.Options{Game: g})
				if err != nil {
					t.Fatal(err)
				}
				for seed := range games {
					checkScreens(t, g, bot, rand.NewPCG(seed, 1), each)
				}
			})
		}
	}
}

// checkScreens plays a game and checks one choice of each so many, also with hints.
func checkScreens(t *testing.T, g env.Game, bot env.Policy, dice *rand.PCG, each int) {
	t.Helper()
	p := g.Initial()
	for decisions := 0; p.CurrentPlayer() != game.Terminal; {
		if p.CurrentPlayer() == game.Chance {
			p = p.Sample(dice)
			continue
		}
		if decisions%each == 0 {
			var b strings.Builder
			human := dialogue.NewHuman(g, strings.NewReader("quit\n"), &b)
			if decisions%2 == 1 {
				human.Hints = func(p env.Position) ([]dialogue.Hint, error) {
					return slices.Repeat([]dialogue.Hint{{Text: "about 100.00 ± 0.52 %"}}, len(p.Legal())), nil
				}
			}
			if _, err := env.ActionProbabilities(t.Context(), human, p, g.Spec().Actions); !errors.Is(err, dialogue.ErrQuit) {
				t.Fatalf("%v; want the person to have quit", err)
			}
			screen := strings.Trim(colour.Strip(b.String()), "\n")
			if n := strings.Count(screen, "\n") + 1; n > 24 {
				t.Errorf("%d lines:\n%s", n, screen)
			}
			for line := range strings.Lines(screen) {
				if n := len([]rune(line)) - 1; n > 79 {
					t.Errorf("%d columns: %s", n, line)
				}
			}
		}
		decisions++
		probs, err := env.ActionProbabilities(t.Context(), bot, p, g.Spec().Actions)
		if err != nil {
			t.Fatal(err)
		}
		if p, err = p.Apply(env.SampleAction(probs, dice)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKinds checks lists of options by their kinds: what all names have in common is left
// out if it is a verb, and names that begin alike are joined where that saves lines.
func TestKinds(t *testing.T) {
	for _, tt := range []struct{ position, want string }{
		{"3-4-5@0 attack start 0 ; AZ:1 UT:7LMS NM:1 ; MT:3L WY:1 CO:1 ND:1LMS ; OR:1 WA:1LMS CA:1 NV:1 ID:1 round 1", "  attack, odds of conquest in %:  99.9993: ut>nv ut>id ut>wy ut>co\n  [e]nd   attack no more\n"},
		{"4-3-5@0 occupy UT>CO start 0 ; AZ:1 UT:9LMS NM:1 CO:0 ; MT:3L WY:1 ND:1LMS ; OR:1 WA:1LMS CA:1 NV:1 ID:5 round 1", "  armies from UT into CO:  1 (8 stay)  2 (7 stay)  "},
	} {
		g, err := catalog.Open("martian-risk-small", 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.Parse(tt.position)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		env.ActionProbabilities(t.Context(), dialogue.NewHuman(g, strings.NewReader(""), &b), p, g.Spec().Actions)
		if screen := colour.Strip(b.String()); !strings.Contains(screen, tt.want) {
			t.Errorf("no %q in\n%s", tt.want, screen)
		}
	}
}

// TestEqualHints: the line of the best options counts those that are as good and that it does not name.
func TestEqualHints(t *testing.T) {
	g, err := catalog.Open("mars-is-ours-fast", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, dice := g.Initial(), rand.NewPCG(1, 1)
	for p.CurrentPlayer() == game.Chance {
		p = p.Sample(dice)
	}
	for best, want := range map[int]string{4: "wins  57.0000 %  and 2 more as good\n", 1: "wins  57.0000 %  "} {
		var b strings.Builder
		human := dialogue.NewHuman(g, strings.NewReader(""), &b)
		human.Hints = func(p env.Position) (list []dialogue.Hint, err error) {
			for i := range p.Legal() {
				h := dialogue.Hint{Text: "wins  57.0000 %", Value: 0.57}
				if i >= best {
					h = dialogue.Hint{Text: fmt.Sprintf("wins  %d.0000 %%", 50-i), Value: 0.5 - float64(i)/100}
				}
				list = append(list, h)
			}
			return list, nil
		}
		env.ActionProbabilities(t.Context(), human, p, g.Spec().Actions)
		if screen := b.String(); !strings.Contains(screen, want) || strings.Contains(screen, "as good") != (best > 1) {
			t.Errorf("of %d that are best the screen says\n%s", best, screen)
		}
	}
}

// TestManyMatches: a word that could be many actions gets one line.
func TestManyMatches(t *testing.T) {
	g, err := catalog.Open("mars-is-ours", 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, dice := g.Initial(), rand.NewPCG(1, 1)
	for p.CurrentPlayer() == game.Chance {
		p = p.Sample(dice)
	}
	for _, word := range []string{"place", "pl r", "place-v"} {
		var b strings.Builder
		env.ActionProbabilities(t.Context(), dialogue.NewHuman(g, strings.NewReader(word+"\n"), &b), p, g.Spec().Actions)
		_, answer, _ := strings.Cut(b.String(), "\n> ")
		line, _, _ := strings.Cut(answer, "\n")
		if many := word == "place"; len(line) > 79 || strings.Contains(line, " others.") != many || strings.HasPrefix(line, "No: ") != many {
			t.Errorf("%q: %s", word, line)
		}
	}
}
