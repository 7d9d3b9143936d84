package marsisours_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/gametest"
	"marsgym/env/marsisours"
	"marsgym/internal/test/fulltest"
)

// otherReadings sets every reading that the default does not follow.
func otherReadings(c *marsisours.Config) {
	c.PassBonusOnPass, c.MaintenanceLabs, c.LyingLabActive, c.RocketBonusOnCapture = false, true, false, false
	c.IncomeCountsStone, c.DrillRerollsDefender, c.TaxFirst, c.SupplyFirst = false, true, true, true
	c.StartBy, c.ThroughStations, c.MinMove, c.LyingCounts = marsisours.ByLeader, false, 2, false
	c.LaydownOptional, c.CaptureFromHand, c.AutoPass, c.LastHasFour = false, true, true, true
}

// configs are games with every number of players, layout and reading.
func configs() map[string]marsisours.Config {
	fast := marsisours.FastConfig()
	fastOther := fast
	otherReadings(&fastOther)
	fastOther.FastCount, fastOther.Layout = marsisours.CountAll, marsisours.Nine
	fastHeld := fast
	fastHeld.FastCount = marsisours.CountMapAndHand
	return map[string]marsisours.Config{
		"two": config(2, nil), "three": config(3, nil), "four": config(4, nil), "quick": fast, "quick, other readings": fastOther, "quick, map and hand": fastHeld,
		"two on nine":  config(2, func(c *marsisours.Config) { c.Layout, c.Terrain = marsisours.Nine, marsisours.Random48 }),
		"tips":         config(3, func(c *marsisours.Config) { c.Stations, c.Terrain = marsisours.TipsInner, marsisours.Mono }),
		"other":        config(4, otherReadings),
		"other, small": config(4, func(c *marsisours.Config) { otherReadings(c); c.Layout, c.PassBonusRepeats = marsisours.Four, false }),
	}
}

func TestContract(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector, for which env/catalog plays the game in many goroutines")
	}
	games := 1
	if fulltest.On() {
		games = 4
	}
	for name, cfg := range configs() {
		t.Run(name, func(t *testing.T) {
			if name != "quick" && name != "two" {
				fulltest.Gate(t)
			}
			if err := gametest.Check(newRules(t, cfg), gametest.Games(games)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSizes checks the numbers of actions and observations.
func TestSizes(t *testing.T) {
	for name, want := range map[string]struct{ actions, obs int }{
		"quick": {61, 188}, "two": {116, 409}, "three": {333, 1107}, "four": {334, 1245}, "two on nine": {236, 713},
	} {
		spec := newRules(t, configs()[name]).Spec()
		if spec.Actions != want.actions || spec.ObsLen() != want.obs {
			t.Errorf("%s: %d actions and observations of length %d, want %d and %d", name, spec.Actions, spec.ObsLen(), want.actions, want.obs)
		}
	}
}

func TestAllocations(t *testing.T) {
	for _, name := range []string{"quick", "four"} {
		batch := env.NewVec(newRules(t, configs()[name]), 64, 0)
		batch.Reset(1)
		buf, actions := batch.Buffers(), batch.Spec().Actions
		if n := testing.AllocsPerRun(300, func() {
			for i := range buf.Action {
				a := int(buf.Noise[i].Uint64() % uint64(actions))
				for !buf.Mask[i*actions+a] {
					a = (a + 1) % actions
				}
				buf.Action[i] = game.Action(a)
			}
			if err := batch.Step(); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations in a step, want 0", name, n)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		change func(*marsisours.Config)
		want   string
	}{
		{func(c *marsisours.Config) { c.Players = 5 }, "players is 5; want 2 to 4"},
		{func(c *marsisours.Config) { c.Variant = marsisours.Fast2 }, "players is 3; want 2"},
		{func(c *marsisours.Config) { c.Variant = "slow" }, `variant is "slow"`},
		{func(c *marsisours.Config) { c.Layout = "round" }, `layout is "round"; want auto or one of: diamond13, four, nine`},
		{func(c *marsisours.Config) { c.Layout, c.Stations = marsisours.Four, marsisours.TipsInner }, "the layout four has: corners"},
		{func(c *marsisours.Config) { c.Terrain = "flat" }, `terrain is "flat"`},
		{func(c *marsisours.Config) { c.StartHand, c.StartJunk = 12, 1 }, "start_junk is 1; want 0"},
		{func(c *marsisours.Config) { c.MinMove = 4 }, "min_move is 4"},
		{func(c *marsisours.Config) { c.FastCount = "none" }, `fast_count is "none"; want "map", "map_and_hand" or "all"`},
		{func(c *marsisours.Config) { c.StartBy = "lot" }, "start_by"},
		{func(c *marsisours.Config) { c.MoveLimit = 12 }, "move_limit is 12; want 0, or at least 13 to lay the map"},
	} {
		if _, err := marsisours.New(config(3, test.change)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got error %v, want one with %q", err, test.want)
		}
	}
}

// TestData checks that a map with fixed terrain changes the rules hash, that another
// Source does not, and that faults in the data are found.
func TestData(t *testing.T) {
	hash := func(change func(map[string]any)) (*marsisours.Rules, string, error) {
		text, _ := json.Marshal(newRules(t, config(2, nil)).Spec().Config)
		var m map[string]any
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		change(m["data"].(map[string]any)["layouts"].(map[string]any)["four"].(map[string]any))
		text, _ = json.Marshal(m)
		var c marsisours.Config
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		r, err := marsisours.New(c)
		if err != nil {
			return nil, "", err
		}
		return r, r.Spec().RulesHash(), nil
	}
	plain := newRules(t, config(2, nil)).Spec().RulesHash()
	if _, got, err := hash(func(m map[string]any) { m["source"] = "a scan" }); err != nil || got != plain {
		t.Errorf("with another source: %v, hash %s, want %s", err, got, plain)
	}
	fixed := []string{"gsgs", "tmtm", "mtgs", "gstm"}
	r, got, err := hash(func(m map[string]any) { m["terrain"] = fixed })
	if err != nil || got == plain {
		t.Fatalf("with fixed terrain: %v, hash %s", err, got)
	}
	if got, want := r.Format(r.Initial()), "0-0 drawing map osgo/tmtm/mtgs/osto"; got != want {
		t.Errorf("it starts with %s, want %s", got, want)
	}
	if err := gametest.Check(r, gametest.Games(2)); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(map[string]any){
		`tile "b" is no square`: func(m map[string]any) { m["cells"] = []string{"aabc", "aabb", "ccdd", "ccdd"} },
		`station "e9" is no cell`: func(m map[string]any) {
			m["stations"] = map[string]any{"corners": map[string]any{"cells": []string{"e9"}}}
		},
		"there is no station":       func(m map[string]any) { m["stations"] = map[string]any{"corners": map[string]any{"cells": []string{}}} },
		"want a letter of gsmt":     func(m map[string]any) { m["terrain"] = []string{"gsgx"} },
		`tile "a" is drawn in part`: func(m map[string]any) { m["terrain"] = []string{"g"} },
	} {
		if _, _, err := hash(change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}

// TestUnusualData plays on a station that lies on stone beside the middle, which few turns of the
// map leave in place, and with all tiles that there can be.
func TestUnusualData(t *testing.T) {
	fulltest.Gate(t)
	for name, change := range map[string]func(data map[string]any){
		"a station on stone": func(data map[string]any) {
			stations := data["layouts"].(map[string]any)["diamond13"].(map[string]any)["stations"].(map[string]any)
			stations["corners"] = map[string]any{"cells": []string{"e5"}}
		},
		"all tiles": func(data map[string]any) {
			const letters = "gsmt"
			seen := map[string]bool{}
			tiles := []map[string]any{}
			for i := range 256 {
				tile := string([]byte{letters[i&3], letters[i>>2&3], letters[i>>4&3], letters[i>>6&3]})
				if seen[tile] {
					continue
				}
				for k := range tile {
					seen[tile[k:]+tile[:k]] = true
				}
				tiles = append(tiles, map[string]any{"tile": tile, "copies": 1})
			}
			data["tiles"] = map[string]any{"quarters": map[string]any{"tiles": tiles}}
		},
	} {
		text, _ := json.Marshal(newRules(t, config(3, nil)).Spec().Config)
		var m map[string]any
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		change(m["data"].(map[string]any))
		text, _ = json.Marshal(m)
		var c marsisours.Config
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		r, err := marsisours.New(c)
		if err == nil {
			err = gametest.Check(r, gametest.Games(2))
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLongNames checks that errors about long or large maps stay short.
func TestLongNames(t *testing.T) {
	long := marsisours.Layout(strings.Repeat("x", 10_000))
	try := func(change func(*marsisours.Map)) error {
		c := newRules(t, config(2, nil)).Spec().Config.(marsisours.Config)
		data, m := *c.Data, c.Data.Layouts[marsisours.Four]
		m.Stations = map[marsisours.Stations]marsisours.Station{}
		for i := range 1000 {
			m.Stations[marsisours.Stations(fmt.Sprint(i))] = marsisours.Station{Cells: []string{"z9"}}
		}
		change(&m)
		data.Layouts = map[marsisours.Layout]marsisours.Map{long: m}
		c.Data, c.Layout = &data, long
		return c.Validate()
	}
	for want, change := range map[string]func(*marsisours.Map){
		`"z9" is no cell`: func(*marsisours.Map) {},
		"larger than":     func(m *marsisours.Map) { m.Cells = append(m.Cells, strings.Repeat(" ", 10_000)) },
		"10 to a side":    func(m *marsisours.Map) { m.Terrain = slices.Repeat([]string{""}, 11) },
	} {
		if err := try(change); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 200_000 {
			t.Errorf("an error of %d bytes; want a short one with %q", len(fmt.Sprint(err)), want)
		}
	}
}

func FuzzParse(f *testing.F) {
	var rules []*marsisours.Rules
	for i, name := range []string{"quick", "two", "three"} {
		r := newRules(f, configs()[name])
		rules = append(rules, r)
		f.Add(i, r.Format(r.Initial()))
	}
	for _, seed := range []struct {
		which int
		text  string
	}{
		{0, "3-2@1 start 0 hand 3-4 junk 0-0 robots oABo/AAB./..../o..o"},
		{0, "1-1@0 attack c1 x1 start 0 hand 3-3 junk 2-2 robots oABo/..../..../o..o"},
		{1, "0-4@1 attack vacuum x1 missed 5 round 2 start 0 tokens 5-3 hand 3-3 junk 8-8 passed 0 map osgo/tmtm/gsgs/omto robots o..o/..../..../o..o labs ...Ab."},
	} {
		if _, err := rules[seed.which].Parse(seed.text); err != nil {
			f.Error(err)
		}
		f.Add(seed.which, seed.text)
	}
	f.Add(2, "")
	f.Fuzz(func(t *testing.T, which int, text string) {
		r := rules[uint(which)%uint(len(rules))]
		s, err := r.Parse(text)
		if err != nil {
			return
		}
		if again, err := r.Parse(r.Format(s)); err != nil || again != s {
			t.Errorf("%q is read as %+v, but its notation %q as %+v, error %v", text, s, r.Format(s), again, err)
		}
		for _, a := range r.Legal(nil, s) {
			if _, err := r.Apply(s, a); err != nil {
				t.Errorf("in %q the legal action %s returns %v", r.Format(s), r.ActionName(a), err)
			}
		}
	})
}

// FuzzApply plays a game by up to 512 bytes and checks the invariants of every position.
func FuzzApply(f *testing.F) {
	f.Add(0, []byte{1, 2, 3, 4, 5})
	f.Add(2, []byte(strings.Repeat("Mars is ours! ", 20)))
	var rules []*marsisours.Rules
	for _, name := range []string{"quick", "two", "four", "other"} {
		rules = append(rules, newRules(f, configs()[name]))
	}
	f.Fuzz(func(t *testing.T, which int, moves []byte) {
		r := rules[uint(which)%uint(len(rules))]
		s := r.Initial()
		for _, m := range moves[:min(len(moves), 512)] {
			switch r.CurrentPlayer(s) {
			case game.Terminal:
				return
			case game.Chance:
				list := r.Outcomes(nil, s)
				s = list[int(m)%len(list)].State
			default:
				legal := r.Legal(nil, s)
				var err error
				if s, err = r.Apply(s, legal[int(m)%len(legal)]); err != nil {
					t.Fatal(err)
				}
			}
			if fault := broken(r, &s); fault != "" {
				t.Fatalf("%s in %s", fault, r.Format(s))
			}
		}
	})
}

// broken returns the invariant that a position violates, or "".
func broken(r *marsisours.Rules, s *marsisours.State) string {
	cfg := r.Spec().Config.(marsisours.Config)
	if s.Phase <= marsisours.Drawing {
		return ""
	}
	var all uint64
	for p := range cfg.Players {
		seat := &s.Seats[p]
		if s.Robots[p]&all != 0 {
			return "two robots are in one place"
		}
		all |= s.Robots[p]
		n := int(seat.Hand) + int(seat.Junk) + ones(s.Robots[p])
		if total := cfg.StartHand + cfg.StartJunk; n > total || n < total && cfg.Variant == marsisours.Standard {
			return fmt.Sprintf("seat %d has %d robots", p, n)
		}
		if seat.Tokens > 10 || seat.Hand > 12 || seat.Junk > 12 || seat.Money > 1<<15 {
			return fmt.Sprintf("seat %d has %+v", p, *seat)
		}
		for _, level := range seat.Track {
			if level > 6 {
				return "a track has more than 6 levels"
			}
		}
	}
	switch {
	case s.Standing&^all != 0:
		return "a place without a robot is marked as standing"
	case all&r.Stations() != 0:
		return "a robot is on a station"
	case r.DiceLeft(*s) < 0:
		return "there are more than 12 alchemy dice"
	}
	return ""
}
