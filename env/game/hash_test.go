package game_test

import (
	"fmt"
	"strings"
	"testing"

	"marsgym/env/game"
)

// TestRulesHash: rules are the same if their id, version and config are, in whatever order the config
// has its keys.
func TestRulesHash(t *testing.T) {
	config := map[string]any{"b": 1, "a": []int{2}}
	base := game.Spec{ID: "x", Version: 1, Config: config, Title: "X"}
	if got := base.ConfigJSON(); got != `{"a":[2],"b":1}` {
		t.Errorf("the config is %s", got)
	}
	ordered := base
	ordered.Title = "another"
	ordered.Config = struct {
		B int   `json:"b"`
		A []int `json:"a"`
	}{1, []int{2}}
	if ordered.RulesHash() != base.RulesHash() || len(base.RulesHash()) != 64 {
		t.Errorf("the same config hashes to %s and %s", base.RulesHash(), ordered.RulesHash())
	}
	for what, other := range map[string]game.Spec{
		"id": {ID: "y", Version: 1, Config: config}, "version": {ID: "x", Version: 2, Config: config}, "config": {ID: "x", Version: 1, Config: map[string]any{"b": 2, "a": []int{2}}},
	} {
		if other.RulesHash() == base.RulesHash() {
			t.Errorf("rules of another %s have the same hash", what)
		}
	}
	large := game.Spec{Config: uint64(1<<63 + 1)} // no float64
	if got := large.ConfigJSON(); got != "9223372036854775809" {
		t.Errorf("a large number is written as %s", got)
	}
	defer func() {
		if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "game: config of x: json: unsupported type") {
			t.Errorf("a config that cannot be written: %q", got)
		}
	}()
	game.Spec{ID: "x", Config: func() {}}.ConfigJSON()
}

// TestObsHash: an observation is the same if its fields have the same names and lengths.
func TestObsHash(t *testing.T) {
	base := game.Spec{Observation: []game.Field{{Name: "a", Len: 1}, {Name: "b", Len: 12}}}
	scaled := game.Spec{Observation: []game.Field{{Name: "a", Len: 1, Scales: []int{5}}, {Name: "b", Len: 12}}}
	if base.ObsHash() != scaled.ObsHash() || base.ObsLen() != 13 {
		t.Errorf("hashes %s and %s, length %d", base.ObsHash(), scaled.ObsHash(), base.ObsLen())
	}
	for _, other := range [][]game.Field{{{Name: "a", Len: 2}, {Name: "b", Len: 12}}, {{Name: "b", Len: 12}, {Name: "a", Len: 1}}, {{Name: "a", Len: 1}}, {{Name: "a", Len: 1}, {Name: "c", Len: 12}}} {
		if (game.Spec{Observation: other}).ObsHash() == base.ObsHash() {
			t.Errorf("%v has the same hash", other)
		}
	}
}

// TestFullTitle names one player and several.
func TestFullTitle(t *testing.T) {
	for players, want := range map[int]string{1: "Pig for 1 player", 2: "Pig for 2 players", 11: "Pig for 11 players"} {
		if got := (game.Spec{Title: "Pig", Players: players}).FullTitle(); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}
