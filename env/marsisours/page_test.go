package marsisours_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/marsisours"
)

// TestPageWalks: how far robots walk from the stations, as docs/games/mars-is-ours.md says.
func TestPageWalks(t *testing.T) {
	stone := []string{"place-e5", "place-f5", "place-e6", "place-f6"}
	for _, test := range []struct {
		stations marsisours.Stations
		min      int
		cells    int
		stone    bool
	}{
		{marsisours.Corners, 1, 36, false},
		{marsisours.Corners, 2, 36, false},
		{marsisours.Corners, 3, 32, false},
		{marsisours.TipsInner, 1, 48, true},
	} {
		r := newRules(t, config(3, func(c *marsisours.Config) { c.Stations, c.MinMove = test.stations, test.min }))
		s := r.Initial()
		for dice := rand.NewPCG(1, 0); r.CurrentPlayer(s) == game.Chance; {
			s = r.Sample(s, dice)
		}
		var cells []string
		for _, a := range r.Legal(nil, s) {
			if name := r.ActionName(a); strings.HasPrefix(name, "place-") && len(name) <= len("place-j10") && name[len(name)-1] <= '9' {
				cells = append(cells, name)
			}
		}
		if reached := slices.ContainsFunc(cells, func(name string) bool { return slices.Contains(stone, name) }); len(cells) != test.cells || reached != test.stone {
			t.Errorf("%s from %d steps on: %d cells, stone %v; want %d, %v", test.stations, test.min, len(cells), reached, test.cells, test.stone)
		}
		if beside := slices.Contains(cells, "place-d3"); test.min == 3 && !beside { // beside the station in c3
			t.Errorf("from three steps on, %q lack a cell beside a station", cells)
		}
	}
}

// TestPageActions: without laydown_optional, the numbers after down-none are one lower.
func TestPageActions(t *testing.T) {
	with, without := newRules(t, config(3, nil)), newRules(t, config(3, func(c *marsisours.Config) { c.LaydownOptional = false }))
	shift := game.Action(0)
	for a := range game.Action(with.Spec().Actions) {
		name := with.ActionName(a)
		if name == "down-none" {
			shift = 1
		} else if got := without.ActionName(a - shift); got != name {
			t.Errorf("without laydown_optional, action %d is %s, want %s", a-shift, got, name)
		}
	}
	if without.Spec().Actions != with.Spec().Actions-1 || shift == 0 {
		t.Errorf("%d and %d actions", with.Spec().Actions, without.Spec().Actions)
	}
}

// TestPageNotation: the starter of scored games is 0, and a die that does not stay is 0.
func TestPageNotation(t *testing.T) {
	zeros := map[string]bool{}
	for _, rerolls := range []bool{false, true} {
		r := newRules(t, config(2, func(c *marsisours.Config) { c.DrillRerollsDefender = rerolls }))
		dice, choices := rand.NewPCG(1, 0), rand.New(rand.NewPCG(1, 1))
		for range 60 {
			for s := r.Initial(); ; {
				text := r.Format(s)
				if strings.Contains(text, " scoring ") || strings.Contains(text, " over ") {
					if zeros["start"] = true; !strings.Contains(text, " start 0 ") {
						t.Fatalf("the starter at the end: %s", text)
					}
				}
				for _, word := range []string{" missed ", " again "} {
					if _, value, ok := strings.Cut(text, word); ok {
						if zeros[word] = zeros[word] || rerolls; (value[0] == '0') != rerolls {
							t.Fatalf("with drill_rerolls_defender %v: %s", rerolls, text)
						}
					}
				}
				if r.CurrentPlayer(s) == game.Terminal {
					break
				} else if r.CurrentPlayer(s) == game.Chance {
					s = r.Sample(s, dice)
					continue
				}
				legal := r.Legal(nil, s)
				s, _ = r.Apply(s, legal[choices.IntN(len(legal))])
			}
		}
	}
	if len(zeros) != 3 {
		t.Errorf("the games show only %v", zeros)
	}
}
