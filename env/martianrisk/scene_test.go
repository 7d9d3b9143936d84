package martianrisk_test

import (
	"fmt"
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
