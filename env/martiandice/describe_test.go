package martiandice_test

import (
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martiandice"
	"marsgym/internal/figure"
)

// TestLostRolls compares the rolls that are said to leave no chance of points with a search of
// all that can follow, for all decisions of some dice, and at a position whose forced choice of a
// cow loses what the stuck rolls do not.
func TestLostRolls(t *testing.T) {
	for _, stop := range []bool{false, true} {
		cfg := martiandice.DefaultConfig()
		cfg.Dice, cfg.AllowStopBeforeSelect = 6, stop
		r, err := martiandice.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		known := map[martiandice.State]bool{}
		var scores func(s martiandice.State) bool // whether seat 0 can win points in this turn
		decisions := 0
		check := func(s martiandice.State) {
			decisions++
			rolling, err := r.Apply(s, martiandice.Roll)
			if err != nil {
				t.Fatal(err)
			}
			p := 0.0
			for _, o := range r.Outcomes(nil, rolling) {
				if !scores(o.State) {
					p += o.Prob
				}
			}
			want := "; " + figure.Chance(p) + " % of rolls make the turn worth 0"
			if got := r.DescribeAction(s, martiandice.Roll).String(); !strings.HasSuffix(got, want) {
				t.Errorf("%v: %q; want %q", s, got, want)
			}
		}
		scores = func(s martiandice.State) bool {
			if s.Seat != 0 {
				return s.Score[0] > 0
			}
			found, ok := known[s]
			if ok {
				return found
			}
			if r.CurrentPlayer(s) == game.Chance {
				for _, o := range r.Outcomes(nil, s) {
					found = scores(o.State) || found
				}
			} else {
				for _, a := range r.Legal(nil, s) {
					after, err := r.Apply(s, a)
					if err != nil {
						t.Fatal(err)
					}
					found = scores(after) || found
				}
			}
			known[s] = found
			if s.Phase == martiandice.Decide {
				check(s)
			}
			return found
		}
		start := r.Initial()
		for start.Phase != martiandice.Rolling {
			start = r.Outcomes(nil, start)[0].State
		}
		if start.Seat != 0 || !scores(start) || decisions < 100 {
			t.Fatalf("%d decisions from %v", decisions, start)
		}
	}
	r, err := martiandice.New(martiandice.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Parse("0-0@0 aside T3R3H4K1")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.DescribeAction(s, martiandice.Roll).String(), "roll 2 dice; 19 % of rolls make the turn worth 0"; got != want {
		t.Errorf("%q; want %q", got, want)
	}
}
