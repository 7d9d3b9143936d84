package gametest

import (
	"math"
	"slices"

	"marsgym/env/game"
)

// checkSymmetry checks the representative of s and returns it.
func (c *checker[S]) checkSymmetry(s S, mover game.Player, legal []game.Action) S {
	rep, relabel := c.symmetry.Canonical(s)
	again, relabelAgain := c.symmetry.Canonical(s)
	if again != rep || !slices.Equal(relabel, relabelAgain) {
		c.failAt(s, "Canonical is a function of the state", "got %+v, then %+v", rep, again)
	}
	if twice, _ := c.symmetry.Canonical(rep); twice != rep {
		c.failAt(s, "Canonical of a representative is itself", "%s became %s", c.text(rep), c.text(twice))
	}
	if got := c.rules.CurrentPlayer(rep); got != mover {
		c.failAt(s, "Canonical keeps the current player", "seat %d moves in the representative, %d in the state", got, mover)
		return rep
	}
	if a, b := c.rules.Returns(nil, s), c.rules.Returns(nil, rep); !slices.Equal(a, b) {
		c.failAt(s, "Canonical preserves the returns", "%v in the representative, %v in the state", b, a)
	}
	if relabel != nil && len(relabel) != c.spec.Actions {
		c.failAt(s, "Canonical relabels every action", "relabel has length %d, want %d", len(relabel), c.spec.Actions)
		return rep
	}
	switch mover {
	case game.Terminal:
	case game.Chance:
		if rep != s {
			c.checkSymmetricOutcomes(s, rep)
		}
	default:
		c.checkSymmetricActions(s, rep, relabel, legal)
	}
	return rep
}

func (c *checker[S]) checkSymmetricActions(s, rep S, relabel, legal []game.Action) {
	repLegal := c.rules.Legal(nil, rep)
	var stands []game.Action // the actions of s that the legal actions of rep stand for
	for _, a := range repLegal {
		if relabel == nil {
			stands = append(stands, a)
		} else {
			stands = append(stands, relabel[a])
		}
	}
	sorted := slices.Clone(stands)
	slices.Sort(sorted)
	if !slices.Equal(sorted, legal) {
		c.failAt(s, "Canonical relabels legal actions one to one", "%v stand for %v, want some order of %v", repLegal, stands, legal)
		return
	}
	for i, a := range repLegal {
		next, err := c.rules.Apply(s, stands[i])
		repNext, repErr := c.rules.Apply(rep, a)
		if err != nil || repErr != nil {
			return // a breach of another clause
		}
		x, _ := c.symmetry.Canonical(next)
		y, _ := c.symmetry.Canonical(repNext)
		if x != y {
			c.failAt(s, "Canonical commutes with Apply", "%s leads to %s, and %s of the representative to %s",
				c.action(stands[i]), c.text(x), c.action(a), c.text(y))
		}
	}
}

func (c *checker[S]) checkSymmetricOutcomes(s, rep S) {
	diff := make(map[S]float64)
	var order []S
	add := func(from S, sign float64) {
		for _, o := range c.rules.Outcomes(nil, from) {
			x, _ := c.symmetry.Canonical(o.State)
			if _, ok := diff[x]; !ok {
				order = append(order, x)
			}
			diff[x] += sign * o.Prob
		}
	}
	add(s, 1)
	add(rep, -1)
	for _, x := range order {
		if !(math.Abs(diff[x]) <= tolerance) {
			c.failAt(s, "Canonical commutes with Outcomes", "%s is more likely by %v than from the representative", c.text(x), diff[x])
		}
	}
}
