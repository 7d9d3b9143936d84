package marsisours_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/env/marsisours"
)

// TestLyingLabs compares the two readings of a robot that lies in a lab (M9), step by step: they
// differ only where one lies there or is laid down. With -v it logs how
// often, among random and greedy players.
func TestLyingLabs(t *testing.T) {
	for players := 2; players <= 4; players++ {
		for _, bot := range []string{"random", "greedy"} {
			t.Run(fmt.Sprintf("%d %s", players, bot), func(t *testing.T) {
				t.Parallel()
				r := newRules(t, config(players, nil))
				other := newRules(t, config(players, func(c *marsisours.Config) { c.LyingLabActive = false }))
				greedy, err := r.Bot("greedy")
				if err != nil {
					t.Fatal(err)
				}
				dice, probs := rand.NewPCG(1, 0), make([]float64, r.Spec().Actions)
				n, lying, differ, laid, steps := max(1, *games/30), 0, 0, 0, 0
				for range n {
					lay, differs := false, false
					for s := r.Initial(); r.CurrentPlayer(s) != game.Terminal; {
						lies := labsOf(&s)&^s.Standing != 0
						lay = lay || lies
						switch same := sameSteps(t, r, other, s); {
						case !same && lies:
							differs = true
							steps++
						case !same && s.Phase != marsisours.LayDown:
							t.Fatalf("the readings differ in %s", r.Format(s))
						}
						if r.CurrentPlayer(s) == game.Chance {
							s = r.Sample(s, dice)
							continue
						}
						legal := r.Legal(nil, s)
						a := legal[rand.New(dice).IntN(len(legal))]
						if bot == "greedy" {
							if err := greedy.Probs(probs, []marsisours.State{s}); err != nil {
								t.Fatal(err)
							}
							a = game.Action(slices.Index(probs, 1))
						}
						before := labsOf(&s) & s.Standing
						s, _ = r.Apply(s, a)
						if before&^s.Standing&labsOf(&s) != 0 {
							laid++
						}
					}
					if lay {
						lying++
					}
					if differs {
						differ++
					}
				}
				t.Logf("%d players, %s, %d games: a robot lies in a lab in %d, and its power matters in %d, in %.2f steps a game; %.2f are laid down a game",
					players, bot, n, lying, differ, float64(steps)/float64(n), float64(laid)/float64(n))
			})
		}
	}
}

// labsOf returns the labs with a robot.
func labsOf(s *marsisours.State) uint64 {
	return (s.Robots[0] | s.Robots[1] | s.Robots[2] | s.Robots[3]) >> 52 << 52
}

// sameSteps reports whether s has the same legal actions and outcomes, with the same results, in
// two games.
func sameSteps(t *testing.T, r, other *marsisours.Rules, s marsisours.State) bool {
	legal := r.Legal(nil, s)
	if !slices.Equal(legal, other.Legal(nil, s)) || !slices.Equal(r.Outcomes(nil, s), other.Outcomes(nil, s)) {
		return false
	}
	for _, a := range legal {
		x, err := r.Apply(s, a)
		y, err2 := other.Apply(s, a)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if x != y {
			return false
		}
	}
	return true
}
