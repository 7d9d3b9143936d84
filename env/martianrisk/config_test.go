package martianrisk_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"marsgym/env/martianrisk"
)

func TestValidate(t *testing.T) {
	bad := martianrisk.Config{
		Players: 2, RegionsPerPlayer: 22, SetupArmies: 0, ArmyCap: 250, Trios: -1, MaxRounds: 251,
		LostArmies: "gone", FirstPlayer: "1", Ranking: "none",
		Map: martianrisk.Map{
			Regions: []martianrisk.Region{{Name: "A"}, {Name: "a", At: [2]int{30, 0}}, {Name: "end", At: [2]int{1, 0}}, {Name: "B", At: [2]int{2, 0}}},
			Borders: map[string][]string{"A": {"A", "X", "B"}, "B": {"A"}, "Y": {"B"}},
			Unions:  [][]string{{"A", "Z"}, {"A"}, {}},
		},
	}
	_, err := martianrisk.New(bad)
	for _, want := range []string{
		"players is 2; want 3 to 6", "regions_per_player is 22; want 0 to 21", "setup_armies is 0; want 1 to 40",
		"army_cap is 250; want 2 to 200", "trios is -1; want 0 to 50", "max_rounds is 251; want 0 to 250",
		`lost_armies is "gone"`, `first_player is "1"`, `ranking is "none"`,
		"source is empty", `region "a" is listed twice`, `region "a" is drawn at [30 0]`, `region "end"`,
		`"A" borders itself`, `borders name "X"`, `borders name "Y"`, `the border of "B" and "A" is listed twice`,
		`unions name "Z"`, `"A" is in two unions`, "a union is empty",
		"the map has 4 regions; want 44", "setup_armies is 0; want enough armies to fill the 4 regions",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}

func TestValidateMap(t *testing.T) {
	for _, test := range []struct {
		edit func(*martianrisk.Config)
		want string
	}{
		{func(c *martianrisk.Config) { c.Map = martianrisk.Map{Name: "mars"} }, `map "mars" is not known; want one of strip, us`},
		{func(c *martianrisk.Config) { c.RegionsPerPlayer = 5 }, `map "us" has no unions for 15 regions, only for [12 16 20 21 24 28 35 42]; want another regions_per_player, or set unions to false`},
		{func(c *martianrisk.Config) { c.RegionsPerPlayer, c.Players, c.Unions = 10, 5, false }, `map "us" has 48 regions; want a regions_per_player with which 50 are enough`},
		{func(c *martianrisk.Config) { c.RegionsPerPlayer, c.Unions = -1, false }, "regions_per_player is -1; want"},
		{func(c *martianrisk.Config) { c.MaxRounds, c.ArmyCap = 0, 20 }, "unwinnable: 21 > 20"},
		{func(c *martianrisk.Config) {
			c.Map.Borders = map[string][]string{"A": {"B"}}
			c.Map.Regions = []martianrisk.Region{{Name: "A"}, {Name: "B", At: [2]int{1, 0}}, {Name: "C", At: [2]int{2, 0}}}
			c.Map.Source, c.RegionsPerPlayer = "a test", 0
		}, `no borders lead from "A" to "C"`},
		{func(c *martianrisk.Config) { c.Players = 7 }, "players is 7; want 3 to 6"},
	} {
		_, err := martianrisk.New(published(3, test.edit))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got error %v, want one with %q", err, test.want)
		}
	}
	for _, regions := range []int{6, 8} {
		cfg := published(3, func(c *martianrisk.Config) { c.RegionsPerPlayer, c.Unions = regions, false })
		r, err := martianrisk.New(cfg)
		if err != nil {
			t.Errorf("%d regions a player without unions: %v", regions, err)
			continue
		}
		if m := r.Scene(r.Initial()).Map; len(m.Cells) != 3*regions || m.Groups != nil {
			t.Errorf("the map has %d regions and the unions %v", len(m.Cells), m.Groups)
		}
	}
	for players := 3; players <= 6; players++ {
		if err := published(players, nil).Validate(); err != nil {
			t.Errorf("the default for %d players is refused: %v", players, err)
		}
		small := martianrisk.SmallConfig()
		small.Players = players
		if err := small.Validate(); players <= 4 && err != nil {
			t.Errorf("the small preset for %d players is refused: %v", players, err)
		}
	}
}

// TestLongNames checks that errors about long names stay short.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	cfg := martianrisk.TinyConfig()
	cfg.Map = martianrisk.Map{
		Name: "long", Source: "a test", Regions: []martianrisk.Region{{Name: long}, {Name: "a"}},
		Borders: map[string][]string{long: slices.Repeat([]string{"a"}, 1000)},
		Unions:  [][]string{slices.Repeat([]string{long}, 2)},
	}
	err := cfg.Validate()
	for _, want := range []string{"map: region \"xxx", "want one to nine letters and digits", "and \"a\" is listed twice"} {
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 200_000 {
			t.Errorf("an error of %d bytes: %.100v; want a short one with %q", len(fmt.Sprint(err)), err, want)
		}
	}
}

// TestConfigJSON checks that the JSON of a config gives the same rules, and that the
// rules hash depends on the map.
func TestConfigJSON(t *testing.T) {
	for _, cfg := range []martianrisk.Config{martianrisk.DefaultConfig(), martianrisk.SmallConfig(), martianrisk.TinyConfig()} {
		spec := rules(t, cfg).Spec()
		again := martianrisk.DefaultConfig()
		if err := json.Unmarshal([]byte(spec.ConfigJSON()), &again); err != nil {
			t.Fatal(err)
		}
		if got := rules(t, again).Spec(); got.RulesHash() != spec.RulesHash() || got.ConfigJSON() != spec.ConfigJSON() {
			t.Errorf("%s is read as %s", spec.ConfigJSON(), got.ConfigJSON())
		}
		again.Map.Unions = again.Map.Unions[1:]
		if got := rules(t, again).Spec(); got.RulesHash() == spec.RulesHash() {
			t.Error("the hash does not depend on the map")
		}
	}
	var m martianrisk.Map
	if err := json.Unmarshal([]byte(`"us"`), &m); err != nil || m.Name != "us" {
		t.Errorf("the name of a map is read as %+v, %v", m, err)
	}
	if err := json.Unmarshal([]byte(`{"name": "x", "seas": []}`), &m); err == nil || !strings.Contains(err.Error(), `seas`) {
		t.Errorf("an unknown field of a map: %v", err)
	}
}
