package martiandice_test

import (
	"testing"

	"marsgym/env/game/gametest"
	"marsgym/env/martiandice"
)

// rules returns the rules of the published game with some fields changed.
func rules(t testing.TB, change func(*martiandice.Config)) *martiandice.Rules {
	t.Helper()
	cfg := martiandice.DefaultConfig()
	if change != nil {
		change(&cfg)
	}
	r, err := martiandice.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestContract(t *testing.T) {
	for name, change := range map[string]func(*martiandice.Config){
		"published":    nil,
		"solitaire":    func(c *martiandice.Config) { c.Players = 1 },
		"three":        func(c *martiandice.Config) { c.Players = 3 },
		"ten":          func(c *martiandice.Config) { c.Players = 10; c.Target = 10 },
		"share":        func(c *martiandice.Config) { c.TieBreak = martiandice.Share; c.Target = 5 },
		"random start": func(c *martiandice.Config) { c.Players, c.FirstPlayer = 4, martiandice.FirstRandom },
		"stop at once": func(c *martiandice.Config) { c.AllowStopBeforeSelect = true },
		"ten rounds":   func(c *martiandice.Config) { c.MaxRounds = 10; c.Players = 3 },
		"few dice":     func(c *martiandice.Config) { c.Dice, c.Target, c.TieDice = 3, 4, 1 },
		"other faces": func(c *martiandice.Config) {
			c.Faces = martiandice.Faces{Tank: 2, Ray: 1, Human: 3, Cow: 3, Chicken: 3}
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := gametest.Check(rules(t, change), gametest.Games(5)); err != nil {
				t.Error(err)
			}
		})
	}
}
