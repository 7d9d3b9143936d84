package martianrisk_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martianrisk"
)

// TestEncodeOdds checks the odds in observations of every attack by and on the viewer
// and of the attack under way, the shares of the win, and the one-hot counts.
func TestEncodeOdds(t *testing.T) {
	cfg := martianrisk.SmallConfig()
	cfg.MaxRounds = 8
	r := rules(t, cfg)
	at := map[string]int{}
	d := 0
	for _, f := range r.Spec().Observation {
		name, _, _ := strings.Cut(f.Name, ":")
		at[name] = d
		d += f.Len
	}
	m := r.Spec().Config.(martianrisk.Config).Map
	index := map[string]int{}
	for i, region := range m.Regions {
		index[region.Name] = i
	}
	var borders [][2]int // ascending, in the order of the actions
	for from, list := range m.Borders {
		for _, to := range list {
			borders = append(borders, [2]int{index[from], index[to]}, [2]int{index[to], index[from]})
		}
	}
	slices.SortFunc(borders, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	holder := func(s martianrisk.State, i int) game.Player {
		for p, own := range s.Own {
			if own>>i&1 != 0 {
				return game.Player(p)
			}
		}
		return game.Terminal
	}
	odds := func(s martianrisk.State, u, v int) float64 {
		pieces := func(i int) int { return int(s.Large>>i&1 + s.Medium>>i&1 + s.Small>>i&1) }
		return martianrisk.NewConquest(int(s.Armies[u]), int(s.Armies[v]), pieces(u)-pieces(v)).Odds
	}
	obs := make([]float32, d)
	check := func(s martianrisk.State, what string, at int, want float64) {
		t.Helper()
		if got := float64(obs[at]); !(math.Abs(got-want) <= 1e-6) {
			t.Fatalf("%s is %v, want %v, in %q", what, got, want, r.Format(s))
		}
	}
	hot := func(s martianrisk.State, what string, at, most, want int) {
		t.Helper()
		for n := range most + 1 {
			x := 0.0
			if n == min(want, most) {
				x = 1
			}
			check(s, what, at+n, x)
		}
	}
	dice, choices := rand.NewPCG(1, 0), rand.New(rand.NewPCG(1, 1))
	for range 5 {
		s := r.Initial()
		for over := false; !over; {
			over = r.CurrentPlayer(s) == game.Terminal
			for viewer := range game.Player(3) {
				r.Encode(obs, s, viewer)
				for i, b := range borders {
					from, to := holder(s, b[0]), holder(s, b[1])
					attacks, attacked := 0.0, 0.0
					if from >= 0 && to >= 0 && from != to && s.Armies[b[0]] >= 2 {
						switch viewer {
						case from:
							attacks = odds(s, b[0], b[1])
						case to:
							attacked = odds(s, b[0], b[1])
						}
					}
					check(s, "an attack", at["borders"]+2*i, attacks)
					check(s, "being attacked", at["borders"]+2*i+1, attacked)
				}
				for i := range 3 {
					seat, regions, armies := (int(viewer)+i)%3, 0, 0
					for k := range m.Regions {
						if holder(s, k) == game.Player(seat) {
							regions++
							armies += int(s.Armies[k])
						}
					}
					hot(s, "regions", at["regions, one-hot, by seat"]+13*i, 12, regions)
					hot(s, "supply", at["supply, one-hot to 7, by seat"]+8*i, 7, cfg.ArmyCap-armies)
				}
				hot(s, "points", at["points, one-hot to 7"], 7, int(s.Points))
				hot(s, "rounds left", at["rounds left, one-hot to 20"], cfg.MaxRounds, cfg.MaxRounds-int(s.Round))
				if s.Phase == martianrisk.Battle {
					check(s, "the attack under way", at["odds of the attack under way"], odds(s, int(s.From), int(s.To)))
				}
				if s == r.Initial() { // no seat counts as eliminated before it places an army
					for seat := range 3 {
						check(s, "a share of the win", at["share of the win were it over"]+seat, 1./3)
					}
				}
				if over {
					for p, ret := range r.Returns(nil, s) {
						seat := (p - int(viewer) + 3) % 3
						check(s, "a share of the win", at["share of the win were it over"]+seat, r.Spec().WinShare(ret))
					}
				}
			}
			switch r.CurrentPlayer(s) {
			case game.Terminal:
			case game.Chance:
				s = r.Sample(s, dice)
			default:
				legal := r.Legal(nil, s)
				var err error
				if s, err = r.Apply(s, legal[choices.IntN(len(legal))]); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
