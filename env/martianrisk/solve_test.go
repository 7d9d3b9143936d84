package martianrisk_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martianrisk"
	"marsgym/env/tabular"
)

// toy returns a game of some thousand positions, in which every rule can apply.
func toy(edit func(*martianrisk.Config)) martianrisk.Config {
	cfg := martianrisk.TinyConfig()
	cfg.Map = martianrisk.Map{
		Name: "toy", Source: "a test",
		Regions: []martianrisk.Region{{Name: "A", At: [2]int{0, 0}}, {Name: "B", At: [2]int{1, 0}}, {Name: "C", At: [2]int{2, 0}}},
		Borders: map[string][]string{"A": {"B"}, "B": {"C"}},
		Unions:  [][]string{{"A", "C"}},
	}
	cfg.SetupArmies, cfg.ArmyCap, cfg.Trios, cfg.MaxRounds = 2, 4, 1, 2
	if edit != nil {
		edit(&cfg)
	}
	return cfg
}

// TestSolve solves toys, and checks that observations lose nothing that changes best
// play.
func TestSolve(t *testing.T) {
	for name, edit := range map[string]func(*martianrisk.Config){
		"default": nil,
		"no trios, longer, drawn start": func(c *martianrisk.Config) {
			c.Trios, c.MaxRounds, c.FirstPlayer = 0, 4, martianrisk.FirstRandom
		},
		"two trios": func(c *martianrisk.Config) { c.Trios = 2 },
		"two trios, pooled points, no merge": func(c *martianrisk.Config) {
			c.Trios, c.StrictRoll, c.MergeLarge, c.MergeSmall = 2, false, false, false
		},
		"out, one attack": func(c *martianrisk.Config) { c.LostArmies, c.OneAttack = martianrisk.Out, true },
	} {
		t.Run(name, func(t *testing.T) {
			r := rules(t, toy(edit))
			sol, err := tabular.Solve(t.Context(), r, tabular.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !(sol.Residual() <= game.Tie) {
				t.Errorf("residual %v", sol.Residual())
			}
			if err := sol.CheckEncode(t.Context(), 1e-9); err != nil {
				t.Error(err)
			}
			if cfg := r.Spec().Config.(martianrisk.Config); cfg.MergeLarge && cfg.Trios == 2 {
				// A tower is split onto a large piece, and the game continues.
				s, err := r.Parse("2-1@0 fortify start 0 ; B:1LMS C:1L ; A:2LMS round 1")
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range []martianrisk.State{s, do(t, r, s, "b/c")} {
					if _, err := sol.Value(nil, s); err != nil {
						t.Errorf("%q: %v", r.Format(s), err)
					}
				}
			}
			t.Logf("%d positions", sol.Len())
		})
	}
}

// TestLastBattle checks that in the last turn, with one battle left, the values are the
// odds of the battle.
func TestLastBattle(t *testing.T) {
	r := rules(t, toy(nil))
	sol, err := r.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	// Seat 1 moves last, and wins with a second region of three.
	s, err := r.Parse("2-1@1 attack start 0 ; B:1 C:1LMS ; A:3LM round 2")
	if err != nil {
		t.Fatal(err)
	}
	values, err := sol.Options(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{2*martianrisk.NewConquest(3, 1, 2).Odds - 1, -1}
	for i, name := range names(r, s) {
		if !(math.Abs(values[i]-want[i]) <= 1e-12) {
			t.Errorf("%s has value %v, want %v", name, values[i], want[i])
		}
	}
}

// tiny returns the tiny game for a number of players.
func tiny(players int) martianrisk.Config {
	cfg := martianrisk.TinyConfig()
	cfg.Players = players
	return cfg
}

// TestNoSolution checks which games are not solved.
func TestNoSolution(t *testing.T) {
	for _, test := range []struct {
		cfg  martianrisk.Config
		want string
	}{
		{martianrisk.DefaultConfig(), "for 3 players on 21 regions has about "}, {martianrisk.SmallConfig(), "for 3 players on 12 regions has about "},
		{toy(func(c *martianrisk.Config) { c.MaxRounds = 0 }), "martian-risk without a limit of rounds"},
		{tiny(3), "for 3 players on 4 regions has about "}, {tiny(4), "for 4 players on 4 regions has about "},
		{toy(func(c *martianrisk.Config) { c.ArmyCap = 30 }), "for 2 players on 3 regions has about "},
		{toy(func(c *martianrisk.Config) { c.MaxRounds = 200 }), "for 2 players on 3 regions has about "},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // it is known before the work
		if _, err := rules(t, test.cfg).Solve(ctx, nil); !errors.Is(err, game.ErrNoSolution) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d players, %d armies, %d rounds: error %v, want %v and %q", test.cfg.Players, test.cfg.ArmyCap, test.cfg.MaxRounds, err, game.ErrNoSolution, test.want)
		}
	}
	for _, cfg := range []martianrisk.Config{
		tiny(2), toy(nil), toy(func(c *martianrisk.Config) { c.Players = 3 }), toy(func(c *martianrisk.Config) { c.Trios, c.ArmyCap = 0, 20 }),
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := rules(t, cfg).Solve(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%d players, %d armies: error %v, want to begin", cfg.Players, cfg.ArmyCap, err)
		}
	}
}

func TestCharts(t *testing.T) {
	sol, err := rules(t, toy(nil)).Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	charts, err := sol.Charts()
	if err != nil || len(charts) != 1 || len(charts[0].Panels) != 3 {
		t.Fatalf("%d charts, error %v", len(charts), err)
	}
	if got := charts[0].Panels[1].Map.Z[0][1]; !(math.Abs(got-65.67) <= 0.005) {
		t.Errorf("3 against 1 conquer with a probability of %v %%, want 65.67", got)
	}
}
