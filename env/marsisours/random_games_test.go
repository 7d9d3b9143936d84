package marsisours_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/marsisours"
	"marsgym/internal/test/golden"
)

// games is the number of random games; a million take some minutes.
var games = flag.Int("games", 300, "random games of TestInvariants for each config")

func ones(set uint64) int { return bits.OnesCount64(set) }

// TestInvariants plays random games and checks robots, tokens, money and dice after
// each step.
func TestInvariants(t *testing.T) {
	for name, cfg := range configs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRules(t, cfg)
			dice, choices := rand.NewPCG(1, 0), rand.New(rand.NewPCG(1, 1))
			var legal []game.Action
			longest, total := 0, 0
			for range *games {
				moves := 0
				for s := r.Initial(); r.CurrentPlayer(s) != game.Terminal; {
					if r.CurrentPlayer(s) == game.Chance {
						s = r.Sample(s, dice)
					} else {
						legal = r.Legal(legal[:0], s)
						s, _ = r.Apply(s, legal[choices.IntN(len(legal))])
						moves++
					}
					if fault := broken(r, &s); fault != "" {
						t.Fatalf("%s in %s", fault, r.Format(s))
					}
				}
				longest, total = max(longest, moves), total+moves
			}
			if longest >= cfg.MoveLimit {
				t.Errorf("a game has %d decisions, more than the move limit", longest)
			}
			t.Logf("%s: %d games of %.1f decisions, the longest of %d", name, *games, float64(total)/float64(*games), longest)
		})
	}
}

// TestOdds compares the probabilities of attacks with those of the rules and with
// counts over all ordered dice.
func TestOdds(t *testing.T) {
	for _, test := range []struct {
		name string
		labs string
		want [4]float64 // by robots
	}{
		{"plain", "", [4]float64{.5833, .7454, .8264, .8741}},
		{"shield", "B:shield", [4]float64{.3333, .5185, .6343, .7135}},
		{"drill", "A:drill", [4]float64{.7454, .8741, .9267, .9541}},
		{"both", "A:drill B:shield", [4]float64{.5185, .7135, .8151, .8765}},
	} {
		for _, all := range []bool{false, true} {
			r := newRules(t, config(3, func(c *marsisours.Config) { c.DrillRerollsDefender = all }))
			for k := 1; k <= 4; k++ {
				s := position(t, r, fmt.Sprintf("A:d5,f5,e4,e6 B:e5 tokens 0-5-5 %s attack e5 x%d", test.labs, k))
				slow := bruteForce(r, s)
				compareOutcomes(t, r, s, slow)
				won := 0.0
				for next, p := range slow {
					if next.Phase == marsisours.Missed {
						reroll, err := r.Apply(next, action(t, r, "reroll"))
						if err != nil {
							t.Fatal(err)
						}
						again := bruteForce(r, reroll)
						compareOutcomes(t, r, reroll, again)
						for last, q := range again {
							if r.Letter(last, "e5") == "A" {
								won += p * q
							}
						}
					} else if r.Letter(next, "e5") == "A" {
						won += p
					}
				}
				if !all && !(math.Abs(won-test.want[k-1]) <= 5e-5) {
					t.Errorf("%s, %d robots: %v, want %v", test.name, k, won, test.want[k-1])
				}
				s.Phase, s.Attackers = marsisours.Acting, 0
				if got := r.AttackOdds(s, 0, "e5", k); !(math.Abs(got-won) <= 1e-12) {
					t.Errorf("%s, %d robots: odds of %v, want %v", test.name, k, got, won)
				}
			}
		}
	}
}

// bruteForce counts the successors of an attack over all ordered dice.
func bruteForce(r *marsisours.Rules, s marsisours.State) map[marsisours.State]float64 {
	list := map[marsisours.State]float64{}
	dice := make([]int, s.Attackers)
	n := 0
	var roll func(i int)
	roll = func(i int) {
		if i < len(dice) {
			for dice[i] = 1; dice[i] <= 6; dice[i]++ {
				roll(i + 1)
			}
			return
		}
		for d := 1; d <= 6; d++ {
			if s.Die == 0 || int(s.Die) == d {
				list[r.ResolveAttack(s, dice, d)]++
				n++
			}
		}
	}
	roll(0)
	for next := range list {
		list[next] /= float64(n)
	}
	return list
}

// compareOutcomes checks the outcomes of an attack by A on e5 and their names.
func compareOutcomes(t *testing.T, r *marsisours.Rules, s marsisours.State, want map[marsisours.State]float64) {
	t.Helper()
	got := r.Outcomes(nil, s)
	for _, o := range got {
		if name := r.OutcomeName(s, o.State); strings.HasPrefix(name, "won") != (r.Letter(o.State, "e5") == "A") {
			t.Errorf("%q names %s", name, r.Format(o.State))
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d outcomes of %s, want %d", len(got), r.Format(s), len(want))
	}
	for _, o := range got {
		if !(math.Abs(o.Prob-want[o.State]) <= 1e-12) {
			t.Errorf("%s follows %s with probability %v, want %v", r.Format(o.State), r.Format(s), o.Prob, want[o.State])
		}
	}
}

// TestReach compares the cells on which robots can be placed with a step-by-step
// search on the map, in random positions.
func TestReach(t *testing.T) {
	for _, name := range []string{"quick", "two", "two on nine", "four", "tips"} {
		r := newRules(t, configs()[name])
		dice, choices := rand.NewPCG(2, 0), rand.New(rand.NewPCG(2, 1))
		for range 4 {
			for s := r.Initial(); r.CurrentPlayer(s) != game.Terminal; {
				if r.CurrentPlayer(s) == game.Chance {
					s = r.Sample(s, dice)
					continue
				}
				legal := r.Legal(nil, s)
				if s.Phase == marsisours.Acting && s.Seats[s.Mover].Hand > 0 {
					var got []string
					for _, a := range legal {
						if place, ok := bytes.CutPrefix([]byte(r.ActionName(a)), []byte("place-")); ok && len(place) <= 3 {
							got = append(got, string(place))
						}
					}
					if want := reachable(r, &s); !slices.Equal(got, want) {
						t.Fatalf("%s: robots go to %v, want %v", r.Format(s), got, want)
					}
				}
				s, _ = r.Apply(s, legal[choices.IntN(len(legal))])
			}
		}
	}
}

// reachable lists the cells on which a robot can be placed, by a search over the names
// of cells.
func reachable(r *marsisours.Rules, s *marsisours.State) []string {
	beside := func(a, b string) bool {
		dx, dy := int(a[0])-int(b[0]), number(a)-number(b)
		return dx*dx+dy*dy == 1
	}
	var cells, ok []string
	for c := 0; c < 52 && r.CellName(c) != ""; c++ {
		cells = append(cells, r.CellName(c))
	}
	own := string(rune('A' + s.Mover))
	at := func(cell string) string { return string(bytes.ToUpper([]byte(r.Letter(*s, cell)))) }
	dist := map[string]int{}
	for steps := 0; steps <= 3; steps++ {
		for _, c := range cells {
			if _, seen := dist[c]; seen || at(c) != "." && at(c) != own && at(c) != "O" {
				continue
			}
			near := steps == 0 && at(c) == "O"
			for _, d := range cells {
				n, seen := dist[d]
				near = near || steps > 0 && seen && n == steps-1 && beside(c, d)
			}
			if near {
				dist[c] = steps
			}
		}
	}
	rocket := at("rocket") == own
	for _, c := range cells {
		_, near := dist[c]
		for _, d := range cells {
			near = near || beside(c, d) && at(d) == own
		}
		if at(c) == "." && (near || rocket) {
			ok = append(ok, c)
		}
	}
	return ok
}

func number(cell string) (n int) {
	fmt.Sscan(cell[1:], &n)
	return n
}

// TestTranscript plays a seeded game of each kind, in which seat 0 is greedy and the
// others play at random. Each line is a position and the action, or the description of
// chance.
func TestTranscript(t *testing.T) {
	for file, cfg := range map[string]marsisours.Config{"quick.txt": marsisours.FastConfig(), "two.txt": config(2, nil), "three.txt": config(3, nil)} {
		r := newRules(t, cfg)
		greedy, err := r.Bot("greedy")
		if err != nil {
			t.Fatal(err)
		}
		dice, choices := rand.NewPCG(1, 0), rand.New(rand.NewPCG(1, 1))
		var b bytes.Buffer
		row := make([]float64, r.Spec().Actions)
		s := r.Initial()
		for r.CurrentPlayer(s) != game.Terminal {
			if r.CurrentPlayer(s) == game.Chance {
				next := r.Sample(s, dice)
				fmt.Fprintln(&b, strings.TrimSpace(r.Format(s)+"  "+r.OutcomeName(s, next)))
				s = next
				continue
			}
			legal := r.Legal(nil, s)
			a := legal[choices.IntN(len(legal))]
			if r.CurrentPlayer(s) == 0 {
				if err := greedy.Probs(row, []marsisours.State{s}); err != nil {
					t.Fatal(err)
				}
				a = game.Action(slices.Index(row, 1))
			}
			fmt.Fprintf(&b, "%s  %s\n", r.Format(s), r.ActionName(a))
			if s, err = r.Apply(s, a); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintf(&b, "%s %v\n\n%s\n", r.Format(s), r.Returns(nil, s), drawn(r.Scene(s)))
		golden.Check(t, file, b.Bytes())
	}
}
