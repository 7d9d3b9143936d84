package martianrisk_test

import (
	"fmt"
	"strings"
	"testing"

	"marsgym/env/martianrisk"
)

// The states are drawn by their outlines, which touch exactly where the map has borders;
// other maps, and states with other borders, are drawn on a grid with lines.
func TestLayout(t *testing.T) {
	lines := func(cfg martianrisk.Config) bool {
		r := rules(t, cfg)
		return r.Scene(r.Initial()).Map.Lines
	}
	for players := 3; players <= 6; players++ {
		for _, each := range []int{4, 7} {
			t.Run(fmt.Sprintf("%d regions", each*players), func(t *testing.T) {
				cfg := published(players, func(c *martianrisk.Config) { c.RegionsPerPlayer = each })
				if lines(cfg) {
					t.Error("the outlines do not touch where the map has borders")
				}
				cfg = rules(t, cfg).Spec().Config.(martianrisk.Config)
				cfg.Map.Borders["WA"] = append(cfg.Map.Borders["WA"], "NM")
				if !lines(cfg) {
					t.Error("another border is not drawn by a line")
				}
			})
		}
	}
	if !lines(martianrisk.TinyConfig()) {
		t.Error("the strip has no lines")
	}
}

// TestSceneSmall: the small piece that a seat is about to place is in its hand, not in its supply.
func TestSceneSmall(t *testing.T) {
	r := rules(t, martianrisk.TinyConfig())
	s, err := r.Parse("3-1@0 fortify start 0 ; A:1LMS B:1 C:1 ; D:1 round 1")
	if err != nil {
		t.Fatal(err)
	}
	seat := func() (text string) {
		view := r.Scene(s).Seats[0]
		for _, n := range view.Counts {
			if n.Name == "small pieces" {
				text = fmt.Sprint(n.Value)
			}
		}
		return text + fmt.Sprint(view.Notes)
	}
	if got, want := seat(), "0[starter]"; got != want {
		t.Errorf("before: %s; want %s", got, want)
	}
	if s, err = r.Apply(s, action(t, r, "a/b")); err != nil || s.Phase != martianrisk.Small {
		t.Fatalf("%s, %v", r.Format(s), err)
	}
	if got, want := seat(), "0[the small piece in hand starter]"; got != want {
		t.Errorf("in hand: %s; want %s", got, want)
	}
}

// TestSceneEnd: at the limit of rounds a scene says why a seat has won.
func TestSceneEnd(t *testing.T) {
	r := rules(t, toy(nil))
	for text, want := range map[string]string{
		"1-2@0 over start 0 ; A:3 ; B:1 C:1 round 2": "over: seat 1 wins; after round 2 most regions win, then armies and tower points",
		"0-3@1 over start 0 ; ; A:1 B:1 C:1 round 2": "over: seat 1 wins",
	} {
		s, err := r.Parse(text)
		if err != nil {
			t.Error(err)
		} else if got := r.Scene(s).Text.String(); got != want {
			t.Errorf("%s: %s; want %s", text, got, want)
		}
	}
}

// TestSceneLastTurn: a scene says which turn is the last, also where the seats after it are out.
func TestSceneLastTurn(t *testing.T) {
	r := rules(t, toy(func(c *martianrisk.Config) { c.Players = 3 }))
	for text, want := range map[string]bool{
		"1-1-1@0 roll start 0 ; A:1 ; B:1 ; C:1 round 2": false,
		"1-1-1@2 roll start 0 ; A:1 ; B:1 ; C:1 round 1": false,
		"1-1-1@2 roll start 0 ; A:1 ; B:1 ; C:1 round 2": true,
		"1-2-0@1 roll start 0 ; A:1 ; B:1 C:1 ; round 2": true,
		"0-3-0@1 over start 0 ; ; A:1 B:1 C:1 ; round 2": false,
	} {
		s, err := r.Parse(text)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := r.Scene(s).Goal.String(); strings.HasSuffix(got, "; this turn is the last") != want {
			t.Errorf("%s: %s; want the last turn: %t", text, got, want)
		}
	}
}

// TestSceneTexts: a scene has texts in whole words of what a terminal abbreviates.
func TestSceneTexts(t *testing.T) {
	r := rules(t, toy(nil))
	for text, want := range map[string]string{
		"1-2@0 attack start 0 ; A:4 ; B:2 C:1 round 2": `
a>b: attack seat 1's B from A, 4 armies against 2; chance to win this battle 41 %, to take B if you go on 55 %
end: attack no more`,
		"2-1@0 occupy A>B start 0 ; A:4 B:0 ; C:1 round 2": `
move:1: move 1 army from A into B; 3 stay
move:2: move 2 armies from A into B; 2 stay
move:3: move 3 armies from A into B; 1 stay`,
	} {
		s, err := r.Parse(text)
		if err != nil {
			t.Error(err)
			continue
		}
		var got string
		for _, a := range r.Legal(nil, s) {
			got += "\n" + r.ActionName(a) + ": " + r.DescribeAction(s, a).String()
		}
		if got != want {
			t.Errorf("%s:%s\nwant%s", text, got, want)
		}
	}
}
