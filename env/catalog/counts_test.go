package catalog_test

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/marsisours"
	"marsgym/env/martiandice"
	"marsgym/env/martianrisk"
	"marsgym/env/pig"
)

// counts checks that observations of a game give back the counts of its states.
type counts[S comparable] struct {
	t      *testing.T
	rules  game.Rules[S]
	spec   game.Spec
	scales []int
	obs    []float32
	read   []bool // [D], the numbers that were checked
}

func newCounts[S comparable, R game.Rules[S]](t *testing.T, rules R, err error) *counts[S] {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	spec := rules.Spec()
	return &counts[S]{t, rules, spec, spec.ObsScales(), make([]float32, spec.ObsLen()), make([]bool, spec.ObsLen())}
}

// field returns the index of the first number of the field whose name begins so.
func (c *counts[S]) field(name string) (at int) {
	for _, f := range c.spec.Observation {
		if strings.HasPrefix(f.Name, name) {
			return at
		}
		at += f.Len
	}
	c.t.Fatalf("%s has no field %q", c.spec.ID, name)
	return at
}

// see observes s as seat 0.
func (c *counts[S]) see(s S) { c.rules.Encode(c.obs, s, 0) }

// want compares numbers of the last observation, from index at on, with the counts that they
// show: each is the count over its scale, rounded once, and the product of both rounds to it.
func (c *counts[S]) want(at int, counts ...int) {
	for i, n := range counts {
		x, scale := c.obs[at+i], c.scales[at+i]
		c.read[at+i] = true
		if x != float32(float64(n)/float64(scale)) || math.RoundToEven(float64(x*float32(scale))) != float64(n) || math.RoundToEven(float64(x)*float64(scale)) != float64(n) {
			c.t.Fatalf("%s: %d over %d is observed as %v (element %d)", c.spec.FullTitle(), n, scale, x, at+i)
		}
	}
}

// all reports a number with a scale that want has not compared.
func (c *counts[S]) all() {
	for i, scale := range c.scales {
		if scale > 1 && !c.read[i] {
			c.t.Errorf("%s: element %d, over %d, was not compared", c.spec.FullTitle(), i, scale)
		}
	}
}

// TestCounts: observations give back every possible count of every field with a scale.
func TestCounts(t *testing.T) {
	t.Run("pig", func(t *testing.T) {
		for target := 2; target <= 250; target++ {
			r, err := pig.New(pig.Config{Players: 2, Target: target})
			c := newCounts[pig.State](t, r, err)
			for n := range 256 {
				c.see(pig.State{Score: [10]uint8{uint8(n), uint8(255 - n)}, Total: uint8(n)})
				c.want(c.field("score"), n, 255-n)
				c.want(c.field("turn total"), n)
			}
			c.all()
		}
	})
	t.Run("martian-dice", func(t *testing.T) {
		for dice := 1; dice <= 13; dice++ {
			cfg := martiandice.DefaultConfig()
			cfg.Dice, cfg.MaxRounds = dice, 60_000/dice
			r, err := martiandice.New(cfg)
			c := newCounts[martiandice.State](t, r, err)
			for n := range dice + 1 {
				c.see(martiandice.State{Roll: martiandice.Counts{0, uint8(n), uint8(dice - n), uint8(n), uint8(dice - n)}})
				c.want(c.field("rays and"), n, dice-n, n, dice-n)
			}
			for round := range cfg.MaxRounds + 1 {
				c.see(martiandice.State{Count: uint32(round)})
				c.want(c.field("share of rounds"), cfg.MaxRounds-round)
			}
			c.all()
		}
	})
	t.Run("mars-is-ours", func(t *testing.T) {
		cfg := marsisours.DefaultConfig()
		r, err := marsisours.New(cfg)
		full := *newCounts[marsisours.State](t, r, err).spec.Config.(marsisours.Config).Data
		most := len(full.Tracks.Gem.Levels)
		for levels := 2; levels <= most; levels++ {
			data := full
			for _, track := range []*marsisours.Track{&data.Tracks.Gem, &data.Tracks.Soda, &data.Tracks.Metal, &data.Tracks.Turf} {
				track.Levels = track.Levels[:levels]
			}
			cfg.Data = &data
			r, err := marsisours.New(cfg)
			c := newCounts[marsisours.State](t, r, err)
			money := 1 << 8
			if levels == most {
				money = 1 << 16
			}
			for n := range money {
				s := r.Initial()
				at := c.field("passed")
				for i := range s.Seats[:cfg.Players] {
					s.Seats[i] = marsisours.Seat{Money: uint16(n), Tokens: uint8(n % 11), Dice: uint8(n % 13)}
					for track := range s.Seats[i].Track {
						s.Seats[i].Track[track] = uint8((n + track) % levels)
					}
				}
				c.see(s)
				for range cfg.Players {
					c.want(at, 0, n, n%11, n%13, n%levels, (n+1)%levels, (n+2)%levels, (n+3)%levels)
					at += 8
				}
			}
			c.all()
		}
		r, err = marsisours.New(marsisours.FastConfig())
		newCounts[marsisours.State](t, r, err).all() // has none
	})
	t.Run("martian-risk", func(t *testing.T) {
		cfg := martianrisk.TinyConfig()
		cfg.SetupArmies, cfg.Unions = 2, false
		for i := range 250 { // all rounds, caps and numbers of pieces
			cfg.MaxRounds, cfg.ArmyCap, cfg.Trios = i+1, 2+i%199, i%51
			r, err := martianrisk.New(cfg)
			c := newCounts[martianrisk.State](t, r, err)
			regions, stride := len(c.spec.Config.(martianrisk.Config).Map.Regions), 2*cfg.Players+5
			for n := range max(cfg.MaxRounds+1, cfg.ArmyCap+1) {
				s := martianrisk.State{Phase: martianrisk.Attack, Points: uint8(n), Round: uint8(n % (cfg.MaxRounds + 1))}
				armies, pieces, held := n%(cfg.ArmyCap+1), n%(min(cfg.Trios, 1)+1), n%regions+1
				s.Own[0], s.Armies[held-1] = 1<<held-1, uint8(armies)
				s.Large, s.Medium, s.Small = uint64(pieces), uint64(pieces), uint64(pieces)
				c.see(s)
				for k := range regions {
					c.want(k*stride+cfg.Players, int(s.Armies[k]), 0)
				}
				at, left := c.field("seats"), cfg.Trios-pieces
				c.want(at, cfg.ArmyCap-armies, left, left, left, held, 0)
				c.want(at+6, cfg.ArmyCap, cfg.Trios, cfg.Trios, cfg.Trios, 0, 0)
				c.want(c.field("points"), n)
				c.want(c.field("round over limit"), int(s.Round))
			}
			c.all()
		}
		for _, players := range []int{3, 4, 5, 6} { // all numbers of regions held and of pieces left
			for each := 1; each <= 10 && players*each <= 42; each++ {
				cfg := martianrisk.DefaultConfig()
				cfg.Players, cfg.RegionsPerPlayer, cfg.Unions, cfg.Trios = players, each, false, 42
				r, err := martianrisk.New(cfg)
				c := newCounts[martianrisk.State](t, r, err)
				for held := range players*each + 1 {
					s := martianrisk.State{Phase: martianrisk.Attack}
					s.Own[0] = 1<<held - 1
					s.Large = s.Own[0]
					s.Medium, s.Small = s.Large, s.Large
					for set := s.Own[0]; set != 0; set &= set - 1 {
						s.Armies[bits.TrailingZeros64(set)] = 1
					}
					c.see(s)
					left := 42 - held
					c.want(c.field("seats"), c.spec.Config.(martianrisk.Config).ArmyCap-held, left, left, left, held, 0)
				}
			}
		}
	})
	var scaled []string // the games with scales, so that a new one is compared above
	for _, id := range catalog.IDs() {
		g, err := catalog.Open(id, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		if spec := g.Spec(); slices.Max(spec.ObsScales()) > 1 && !slices.Contains(scaled, spec.ID) {
			scaled = append(scaled, spec.ID)
		}
	}
	if want := []string{"martian-dice", "mars-is-ours", "martian-risk", "pig"}; !slices.Equal(scaled, want) {
		t.Errorf("%q have scales; %q are compared", scaled, want)
	}
}
