package martianrisk_test

import (
	"fmt"
	"testing"

	"marsgym/env/game/gametest"
	"marsgym/env/martianrisk"
)

func rules(t testing.TB, cfg martianrisk.Config) *martianrisk.Rules {
	t.Helper()
	r, err := martianrisk.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// published is the default config for a number of players, changed by edit.
func published(players int, edit func(*martianrisk.Config)) martianrisk.Config {
	cfg := martianrisk.DefaultConfig()
	cfg.Players = players
	if edit != nil {
		edit(&cfg)
	}
	return cfg
}

func TestContract(t *testing.T) {
	short := func(rounds int) func(*martianrisk.Config) {
		return func(c *martianrisk.Config) { c.MaxRounds = rounds }
	}
	for name, cfg := range map[string]martianrisk.Config{
		"3":     published(3, short(4)),
		"4":     published(4, short(2)),
		"5":     published(5, short(2)),
		"6":     published(6, short(2)),
		"small": martianrisk.SmallConfig(),
		"tiny":  martianrisk.TinyConfig(),
		"other readings": published(3, func(c *martianrisk.Config) {
			c.RegionsPerPlayer, c.ArmyCap, c.SetupArmies, c.LostArmies = 4, 14, 5, martianrisk.Out
			c.StrictRoll, c.OneAttack, c.MergeSmall = true, true, true
			c.FirstPlayer, c.MaxRounds, c.Ranking = martianrisk.FirstSeat, 30, martianrisk.Leader
		}),
		"bare": published(3, func(c *martianrisk.Config) {
			c.RegionsPerPlayer, c.Trios, c.Unions, c.MaxRounds, c.Ranking = 4, 0, false, 10, martianrisk.Even
		}),
	} {
		t.Run(name, func(t *testing.T) {
			if err := gametest.Check(rules(t, cfg), gametest.Games(4)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSizes(t *testing.T) {
	for _, test := range []struct{ players, actions int }{{3, 273}, {4, 361}, {5, 453}, {6, 553}} {
		if got := rules(t, published(test.players, nil)).Spec().Actions; got != test.actions {
			t.Errorf("%d actions for %d players, want %d", got, test.players, test.actions)
		}
	}
	fmt.Sprint()
}
