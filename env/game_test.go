package env_test

import (
	"slices"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/internal/test/testgames"
)

func TestBots(t *testing.T) {
	g := env.NewGame(testgames.NewMartianDice(t, 2, 13, 25))
	if got := g.BotNames(); got[0] != "random" || !slices.Contains(got, "greedy") {
		t.Errorf("the bots are %v", got)
	}
	if _, err := g.Bot("unknown"); err == nil || !strings.Contains(err.Error(), `martian-dice has no bot "unknown"; it has random, `) {
		t.Errorf("a bot named unknown: %v", err)
	}
	p, err := g.Bot("random")
	if err != nil {
		t.Fatal(err)
	}
	at, err := g.Parse("0-0@0 aside T2 roll R3H4C4")
	if err != nil {
		t.Fatal(err)
	}
	probs, err := env.ActionProbabilities(t.Context(), p, at, g.Spec().Actions)
	if want := []float64{1.0 / 3, 1.0 / 3, 1.0 / 3, 0, 0, 0}; err != nil || !slices.Equal(probs, want) {
		t.Errorf("the random bot has probabilities %v, error %v; want %v", probs, err, want)
	}
}
