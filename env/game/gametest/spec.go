package gametest

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"

	"marsgym/env/game"
	"marsgym/internal/kernel/elementary"
)

// checkSpec checks the Spec, and reports whether its sizes allow further checks.
func (c *checker[S]) checkSpec() (sound bool) {
	defer func() {
		if r := recover(); r != nil {
			c.fail("Spec does not panic", "%v", r)
			sound = false
		}
	}()
	c.spec = c.rules.Spec()
	s := c.spec
	if s.ID == "" || strings.ToLower(s.ID) != s.ID || strings.ContainsAny(s.ID, " \t\n/") {
		c.fail("Spec.ID is one lower-case word", "got %q", s.ID)
	}
	if s.Title == "" {
		c.fail("Spec.Title is not empty", "got %q", s.Title)
	}
	if s.Version < 1 {
		c.fail("Spec.Version is at least 1", "got %d", s.Version)
	}
	if s.Players < 1 || s.Players > math.MaxInt8 {
		c.fail("Spec.Players is at least 1 and fits a Player", "got %d", s.Players)
		return false
	}
	if s.Players < s.MinPlayers || s.Players > s.MaxPlayers {
		c.fail("Spec.Players is from MinPlayers to MaxPlayers", "got %d, from %d to %d", s.Players, s.MinPlayers, s.MaxPlayers)
	}
	if s.Information != game.PerfectInformation && s.Information != game.ImperfectInformation {
		c.fail("Spec.Information is perfect or imperfect", "got %q", s.Information)
	}
	if s.Chance != game.Deterministic && s.Chance != game.ExplicitStochastic {
		c.fail("Spec.Chance is deterministic or explicit_stochastic", "got %q", s.Chance)
	}
	if s.Actions < 1 || s.Actions > math.MaxInt32 {
		c.fail("Spec.Actions is at least 1 and fits an Action", "got %d", s.Actions)
		return false
	}
	names := make(map[string]bool)
	for _, f := range s.Observation {
		if f.Len < 1 {
			c.fail("Spec.Observation has fields of length 1 or more", "%q has %d", f.Name, f.Len)
			return false
		}
		if f.Name == "" || strings.Contains(f.Name, "\n") || names[f.Name] {
			c.fail("Spec.Observation has names that differ", "got %q", f.Name)
		}
		if n := len(f.Scales); n > 0 && (f.Len%n != 0 || slices.Min(f.Scales) < 0) {
			c.fail("Spec.Observation has scales of 0 or more that divide a field evenly", "%q has %v for %d numbers", f.Name, f.Scales, f.Len)
		}
		names[f.Name] = true
	}
	if s.ObsLen() < 1 {
		c.fail("Spec.Observation is not empty", "got length %d", s.ObsLen())
		return false
	}
	c.scales = s.ObsScales()
	if s.MoveLimit < 0 {
		c.fail("Spec.MoveLimit is not negative", "got %d", s.MoveLimit)
	}
	switch {
	case !elementary.Finite(s.Win) || !elementary.Finite(s.Loss) || s.Win < s.Loss:
		c.fail("Spec.Win is not below Spec.Loss", "got win %v, loss %v", s.Win, s.Loss)
	case !s.HasWin() && s.Win != 0:
		c.fail("Spec.Win and Spec.Loss differ or are both 0", "got win %v, loss %v", s.Win, s.Loss)
	case !s.HasWin() && s.Unit == "":
		c.fail("Spec.Unit names what returns count if there is no win", "got %q", s.Unit)
	}
	if _, err := json.Marshal(s.Config); err != nil {
		c.fail("Spec.Config can be written as JSON", "%v", err)
		return true
	}
	again := c.rules.Spec()
	if !reflect.DeepEqual(s, again) || s.RulesHash() != again.RulesHash() || s.ObsHash() != again.ObsHash() {
		c.fail("Spec never changes", "%+v, then %+v", s, again)
	}
	return true
}

// checkReturns checks the returns in s.
func (c *checker[S]) checkReturns(s S, mover game.Player) {
	const mark = 12345
	got := c.rules.Returns([]float64{mark}, s)
	if len(got) != 1+c.spec.Players || got[0] != mark {
		c.failAt(s, "Returns appends one number for each seat", "to [%d] it made %v, with %d players", mark, got, c.spec.Players)
		return
	}
	got = got[1:]
	sum := 0.0
	for p, v := range got {
		sum += v
		switch {
		case !elementary.Finite(v):
			c.failAt(s, "Returns are finite", "seat %d has %v", p, v)
		case mover != game.Terminal && v != 0:
			c.failAt(s, "Returns are zeros before the end", "seat %d has %v", p, v)
		case mover == game.Terminal && c.spec.HasWin() && !(v >= c.spec.Loss-tolerance && v <= c.spec.Win+tolerance):
			c.failAt(s, "Returns lie between Loss and Win", "seat %d has %v, want %v to %v", p, v, c.spec.Loss, c.spec.Win)
		}
	}
	want := c.spec.Win + float64(c.spec.Players-1)*c.spec.Loss
	if mover == game.Terminal && c.spec.HasWin() && !(math.Abs(sum-want) <= tolerance) {
		c.failAt(s, "Returns sum to one win and P-1 losses", "%v sum to %v, want %v", got, sum, want)
	}
}
