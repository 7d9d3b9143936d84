package martianrisk_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martianrisk"
	"marsgym/internal/test/golden"
)

var games = flag.Int("games", 100, "random games for each number of players in TestManyGames")

// TestManyGames plays random games and checks the invariants of every state. A hundred
// thousand games for each number of players:
//
//	go test -run ManyGames ./env/martianrisk -games 100000 -timeout 2h
func TestManyGames(t *testing.T) {
	for players := 3; players <= 6; players++ {
		t.Run(fmt.Sprint(players), func(t *testing.T) {
			r := rules(t, published(players, nil))
			cfg := r.Spec().Config.(martianrisk.Config)
			choices, dice := rand.New(rand.NewPCG(1, uint64(players))), rand.NewPCG(2, uint64(players))
			var legal []game.Action
			decisions, conquests := 0, 0
			for range *games {
				s := r.Initial()
				for r.CurrentPlayer(s) != game.Terminal {
					if r.CurrentPlayer(s) == game.Chance {
						s = r.Sample(s, dice)
					} else {
						legal = r.Legal(legal[:0], s)
						var err error
						if s, err = r.Apply(s, legal[choices.IntN(len(legal))]); err != nil {
							t.Fatal(err)
						}
						decisions++
					}
					if fault := invariants(&cfg, &s); fault != "" {
						t.Fatalf("%s in %q", fault, r.Format(s))
					}
				}
				sum := 0.0
				for _, v := range r.Returns(nil, s) {
					sum += r.Spec().WinShare(v)
				}
				if !(math.Abs(sum-1) <= 1e-12) {
					t.Fatalf("shares of the win sum to %v in %q", sum, r.Format(s))
				}
				if bits.OnesCount64(s.Own[s.Mover]) == len(cfg.Map.Regions) {
					conquests++
				}
			}
			t.Logf("%d games, %d decisions, %d conquests", *games, decisions, conquests)
		})
	}
}

// TestTranscript plays a seeded game on the small map for some rounds: seat 0 is
// greedy, the others play at random. Each line is a position, an action or a roll; the
// last lines draw the end.
func TestTranscript(t *testing.T) {
	cfg := martianrisk.SmallConfig()
	cfg.MaxRounds = 4
	r := rules(t, cfg)
	greedy, err := r.Bot("greedy")
	if err != nil {
		t.Fatal(err)
	}
	dice, choices := rand.NewPCG(1, 0), rand.New(rand.NewPCG(1, 1))
	var b bytes.Buffer
	row := make([]float64, r.Spec().Actions)
	for s := r.Initial(); ; {
		fmt.Fprintln(&b, r.Format(s))
		switch r.CurrentPlayer(s) {
		case game.Terminal:
			fmt.Fprintf(&b, "%v\n\n%s\n", r.Returns(nil, s), drawn(r.Scene(s)))
			golden.Check(t, "game.txt", b.Bytes())
			return
		case game.Chance:
			next := r.Sample(s, dice)
			fmt.Fprintf(&b, "\tdice: %s\n", r.OutcomeName(s, next))
			s = next
		default:
			legal := r.Legal(nil, s)
			a := legal[choices.IntN(len(legal))]
			if r.CurrentPlayer(s) == 0 {
				if err := greedy.Probs(row, []martianrisk.State{s}); err != nil {
					t.Fatal(err)
				}
				a = game.Action(slices.Index(row, 1))
			}
			fmt.Fprintf(&b, "\t%s: %s\n", r.ActionName(a), r.DescribeAction(s, a))
			if s, err = r.Apply(s, a); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	r, err := martianrisk.New(martianrisk.SmallConfig())
	if err != nil {
		f.Fatal(err)
	}
	dice, choices := rand.NewPCG(1, 0), rand.New(rand.NewPCG(1, 1))
	for i, s := 0, r.Initial(); r.CurrentPlayer(s) != game.Terminal; i++ {
		if i%25 == 0 {
			f.Add(r.Format(s))
		}
		if r.CurrentPlayer(s) == game.Chance {
			s = r.Sample(s, dice)
			continue
		}
		legal := r.Legal(nil, s)
		if s, err = r.Apply(s, legal[choices.IntN(len(legal))]); err != nil {
			f.Fatal(err)
		}
	}
	f.Add("")
	f.Add("0-0-0 order ; ; ;")
	cfg := r.Spec().Config.(martianrisk.Config)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := r.Parse(text)
		if err != nil {
			return
		}
		if again, err := r.Parse(r.Format(s)); err != nil || again != s {
			t.Errorf("%q is read as %+v, but its notation %q as %+v, error %v", text, s, r.Format(s), again, err)
		}
		if fault := invariants(&cfg, &s); fault != "" {
			t.Errorf("%s in %q", fault, text)
		}
		for _, a := range r.Legal(nil, s) {
			next, err := r.Apply(s, a)
			if err != nil {
				t.Errorf("in %q the legal action %d returns %v", r.Format(s), a, err)
			} else if fault := invariants(&cfg, &next); fault != "" {
				t.Errorf("%s after %s in %q", fault, r.ActionName(a), text)
			}
		}
		for _, o := range r.Outcomes(nil, s) {
			if fault := invariants(&cfg, &o.State); fault != "" {
				t.Errorf("%s after a chance event in %q", fault, text)
			}
		}
	})
}
