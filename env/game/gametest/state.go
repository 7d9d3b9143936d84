package gametest

import (
	"errors"
	"math"
	"slices"

	"marsgym/env/game"
)

// tolerance is the rounding error allowed to sums that the contract fixes.
// Chosen: some thousand times that of a sum of a few hundred terms near 1.
const tolerance = 1e-12

// checkState checks one state, and reports whether the game can continue from it.
func (c *checker[S]) checkState(s S) (sound bool) {
	if s != s {
		c.failAt(s, "a state equals itself", "it does not")
		return false
	}
	mover := c.rules.CurrentPlayer(s)
	if mover < game.Terminal || int(mover) >= c.spec.Players {
		c.failAt(s, "CurrentPlayer is a seat, Chance or Terminal", "got %d with %d players", mover, c.spec.Players)
		return false
	}
	if again := c.rules.CurrentPlayer(s); again != mover {
		c.failAt(s, "CurrentPlayer is a function of the state", "got %d, then %d", mover, again)
	}
	if mover == game.Chance && c.spec.Chance == game.Deterministic {
		c.failAt(s, "a deterministic game has no chance states", "chance moves")
	}
	legal, sound := c.checkLegal(s, mover)
	if !sound {
		return false
	}
	c.checkApply(s, mover, legal)
	if sound = c.checkOutcomes(s, mover); sound && mover == game.Chance {
		if c.expander != nil && len(c.chances) < expansionChecks {
			c.try(s, "Expand", func() { c.checkExpansion(s) })
		}
		c.chances = append(c.chances, s)
	}
	c.try(s, "Returns", func() { c.checkReturns(s, mover) })
	for p := range c.spec.Players {
		c.try(s, "Encode", func() { c.checkEncode(s, game.Player(p)) })
	}
	rep := s
	if c.symmetry != nil && sound {
		c.try(s, "Canonical", func() { rep = c.checkSymmetry(s, mover, legal) })
	}
	if rep == s && mover >= 0 {
		c.decisions = append(c.decisions, s)
		c.try(s, "Encode", func() { c.checkObservation(s, mover, legal) })
	}
	if c.presenter != nil {
		c.try(s, "Format", func() { c.checkText(s) })
		if c.told++; c.told <= statesTold {
			c.checkTold(s, mover, legal)
		}
		if len(c.seen) <= scenesChecked {
			c.try(s, "Scene", func() { c.checkScene(s, mover, legal) })
		}
		c.try(s, "OutcomeName", func() { c.checkOutcomeNames(s) })
		c.try(s, "DescribeAction", func() { c.checkDescriptions(s, legal) })
	}
	c.check(rep) // play may never reach it
	return sound
}

func (c *checker[S]) checkLegal(s S, mover game.Player) (legal []game.Action, sound bool) {
	const mark = -77
	got := c.rules.Legal([]game.Action{mark}, s)
	if len(got) < 1 || got[0] != mark {
		c.failAt(s, "Legal appends", "to [%d] it made %v", mark, got)
		return nil, false
	}
	legal = got[1:]
	if again := c.rules.Legal(nil, s); !slices.Equal(legal, again) {
		c.failAt(s, "Legal is a function of the state", "got %v, then %v", legal, again)
	}
	if mover < 0 {
		if len(legal) > 0 {
			c.failAt(s, "Legal is empty where no seat moves", "got %v", legal)
		}
		return nil, true
	}
	if len(legal) == 0 {
		c.failAt(s, "Legal is never empty for a mover", "seat %d has none", mover)
		return nil, false
	}
	for i, a := range legal {
		if a < 0 || int(a) >= c.spec.Actions {
			c.failAt(s, "Legal is within range", "got %d of %d actions", a, c.spec.Actions)
			return nil, false
		}
		if i > 0 && a <= legal[i-1] {
			c.failAt(s, "Legal is ascending, without duplicates", "got %v", legal)
		}
	}
	return legal, true
}

// checkApply applies all actions, and some that do not exist.
func (c *checker[S]) checkApply(s S, mover game.Player, legal []game.Action) {
	before := s
	for a := game.Action(-1); int(a) <= c.spec.Actions; a++ {
		c.try(s, "Apply", func() { c.checkAction(s, mover, a, slices.Contains(legal, a)) })
	}
	for _, a := range []game.Action{math.MinInt32, math.MaxInt32} {
		c.try(s, "Apply", func() { c.checkAction(s, mover, a, false) })
	}
	if s != before {
		c.failAt(before, "Apply leaves the state unchanged", "it is now %+v", s)
	}
}

func (c *checker[S]) checkAction(s S, mover game.Player, a game.Action, legal bool) {
	next, err := c.rules.Apply(s, a)
	switch {
	case mover == game.Terminal:
		if !errors.Is(err, game.ErrGameOver) {
			c.failAt(s, "Apply after the end gives ErrGameOver", "%s gave error %v", c.action(a), err)
		}
	case legal && err != nil:
		c.failAt(s, "Apply accepts what is legal", "%s gave error %v", c.action(a), err)
	case legal:
		if again, err := c.rules.Apply(s, a); err != nil || again != next {
			c.failAt(s, "Apply is a function of the state", "%s led to %+v, then to %+v, error %v", c.action(a), next, again, err)
		}
	case err == nil:
		c.failAt(s, "Apply refuses what is not legal", "%s led to %+v", c.action(a), next)
	case !errors.Is(err, game.ErrIllegalAction):
		c.failAt(s, "Apply gives ErrIllegalAction", "%s gave error %v", c.action(a), err)
	}
}

func (c *checker[S]) checkOutcomes(s S, mover game.Player) (sound bool) {
	mark := game.Outcome[S]{State: s, Prob: -77}
	got := c.rules.Outcomes([]game.Outcome[S]{mark}, s)
	if len(got) < 1 || got[0] != mark {
		c.failAt(s, "Outcomes appends", "it overwrote the slice that it was given")
		return false
	}
	outcomes := got[1:]
	if again := c.rules.Outcomes(nil, s); !slices.Equal(outcomes, again) {
		c.failAt(s, "Outcomes is a function of the state", "got %+v, then %+v", outcomes, again)
	}
	if mover != game.Chance {
		if len(outcomes) > 0 {
			c.failAt(s, "Outcomes is empty where chance does not move", "got %+v", outcomes)
		}
		return true
	}
	if len(outcomes) == 0 {
		c.failAt(s, "Outcomes is never empty at a chance state", "it is")
		return false
	}
	distinct := make(map[S]bool, len(outcomes))
	sum := 0.0
	for _, o := range outcomes {
		if !(o.Prob > 0) {
			c.failAt(s, "Outcomes have probabilities above 0", "%s has %v", c.text(o.State), o.Prob)
		}
		if distinct[o.State] {
			c.failAt(s, "Outcomes are distinct", "%s is listed twice", c.text(o.State))
		}
		distinct[o.State] = true
		sum += o.Prob
	}
	if !(math.Abs(sum-1) <= tolerance) {
		c.failAt(s, "Outcomes have probabilities that sum to 1", "they sum to %v", sum)
		return false
	}
	return true
}
