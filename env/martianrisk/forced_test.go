package martianrisk_test

import (
	"math/rand/v2"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martianrisk"
)

// TestForcedMoves: after the setup every decision has a choice; in the setup a seat may have none.
func TestForcedMoves(t *testing.T) {
	one := martianrisk.DefaultConfig()
	one.OneAttack, one.Trios, one.MaxRounds = true, 0, 20
	forced := map[martianrisk.Phase]int{}
	for _, cfg := range []martianrisk.Config{martianrisk.TinyConfig(), martianrisk.SmallConfig(), one} {
		r := rules(t, cfg)
		dice, choices := rand.NewPCG(1, 0), rand.New(rand.NewPCG(1, 1))
		for range 20 {
			for s := r.Initial(); r.CurrentPlayer(s) != game.Terminal; {
				if r.CurrentPlayer(s) == game.Chance {
					s = r.Sample(s, dice)
					continue
				}
				legal := r.Legal(nil, s)
				if len(legal) == 1 {
					if forced[s.Phase]++; s.Phase > martianrisk.Filling {
						t.Fatalf("one action, %s, in %s", r.ActionName(legal[0]), r.Format(s))
					}
				}
				var err error
				if s, err = r.Apply(s, legal[choices.IntN(len(legal))]); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	s, err := rules(t, martianrisk.TinyConfig()).Parse("2-1@1 claim start 0 ; C:1LMS D:1 ; B:1LMS")
	if err != nil || len(rules(t, martianrisk.TinyConfig()).Legal(nil, s)) != 1 || forced[martianrisk.Claiming] == 0 {
		t.Errorf("no decision with one action in the setup: %v, %v", forced, err)
	}
}

// TestManyRegions: a player may have more than ten regions if the armies of the setup fill them.
func TestManyRegions(t *testing.T) {
	cfg := martianrisk.DefaultConfig()
	cfg.RegionsPerPlayer, cfg.Unions, cfg.SetupArmies, cfg.MaxRounds = 14, false, 14, 3
	r := rules(t, cfg)
	s, dice, choices := r.Initial(), rand.NewPCG(1, 0), rand.New(rand.NewPCG(1, 1))
	for r.CurrentPlayer(s) != game.Terminal {
		if r.CurrentPlayer(s) == game.Chance {
			s = r.Sample(s, dice)
			continue
		}
		legal := r.Legal(nil, s)
		s, _ = r.Apply(s, legal[choices.IntN(len(legal))])
	}
	if n := len(r.Spec().Config.(martianrisk.Config).Map.Regions); n != 42 || s.Round != 3 {
		t.Errorf("%d regions, the end in round %d", n, s.Round)
	}
}
