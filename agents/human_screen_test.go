package agents_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/internal/colour"
	"marsgym/internal/fulltest"
)

// TestScreen checks that choices on the largest boards fit on 80 columns and 24 lines,
// over games of the strongest bots.
func TestScreen(t *testing.T) {
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

// checkScreens plays a game and checks one choice of each so many.
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
			human := agents.NewHuman(g, strings.NewReader("quit\n"), &b)
			if _, err := env.ActionProbabilities(t.Context(), human, p, g.Spec().Actions); err == nil {
				t.Fatal("the person has not quit")
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
