package gametest

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"marsgym/env/game"
)

// expansionChecks is the number of chance states whose expansion is checked: each
// check looks at all moves after all outcomes. Chosen.
const expansionChecks = 300

// checkExpansion compares Expand with Outcomes, decisions with the same mover and
// afterstates being equal.
func (c *checker[S]) checkExpansion(s S) {
	s = c.core.Representative(s)
	var f game.Expansion[S]
	if !c.expander.Expand(&f, s) || !c.checkShape(s, f) {
		return
	}
	var (
		diff  = map[string]float64{} // probability by Expand less that by Outcomes
		shown = map[string]func() string{}
		keys  = decisionKeys[S]{c, map[S]uint32{}}
	)
	count := func(who game.Player, after []S, prob float64, text func() string) {
		k := keys.key(who, after)
		diff[k] += prob
		shown[k] = text
	}
	for _, o := range c.rules.Outcomes(nil, s) {
		x := c.core.Representative(o.State)
		who := c.rules.CurrentPlayer(x)
		count(who, c.afterMoves(x, who), -o.Prob, func() string { return c.text(x) })
	}
	move := f.Move
	for i, b := range f.Branch {
		var after []S
		for _, k := range move[:b.Moves] {
			after = append(after, f.Leaf[k])
		}
		move = move[b.Moves:]
		count(b.Mover, after, b.Prob, func() string { return fmt.Sprintf("branch %d", i) })
	}
	for k, d := range diff {
		if !(math.Abs(d) <= tolerance) {
			c.failAt(s, "Expand follows Outcomes", "the probability of decisions equivalent to %s is too high by %v", shown[k](), d)
		}
	}
}

// checkShape checks that the slices of an expansion fit together.
func (c *checker[S]) checkShape(s S, f game.Expansion[S]) bool {
	const whole, once = "Expand lists branches with their moves and leaves", "Expand lists each leaf once, for one seat"
	owner := make([]game.Player, len(f.Leaf))
	for k := range owner {
		owner[k] = game.Player(c.spec.Players) // none yet
	}
	if len(f.Mover) != len(f.Leaf) {
		c.failAt(s, whole, "%d leaves have %d movers", len(f.Leaf), len(f.Mover))
		return false
	}
	move := f.Move
	for i, b := range f.Branch {
		if b.Moves < 1 || int(b.Moves) > len(move) || b.Mover < 0 && b.Moves != 1 {
			c.failAt(s, whole, "branch %d has %d moves, but %d are left", i, b.Moves, len(move))
			return false
		}
		for _, k := range move[:b.Moves] {
			if k < 0 || int(k) >= len(f.Leaf) {
				c.failAt(s, whole, "branch %d leads to leaf %d of %d", i, k, len(f.Leaf))
				return false
			}
			if owner[k] = max(b.Mover, game.Chance); owner[k] != max(f.Mover[k], game.Chance) {
				c.failAt(s, once, "leaf %d of %d follows moves of %d", k, f.Mover[k], b.Mover)
			}
		}
		move = move[b.Moves:]
	}
	if len(move) > 0 {
		c.failAt(s, whole, "%d moves belong to no branch", len(move))
		return false
	}
	seen := map[S]game.Player{}
	for k, x := range f.Leaf {
		if who, ok := seen[x]; c.core.Representative(x) != x || ok && who == owner[k] || owner[k] == game.Player(c.spec.Players) {
			c.failAt(s, once, "%s is no representative, or is listed twice, or belongs to no branch", c.text(x))
		}
		seen[x] = owner[k]
	}
	return true
}

// afterMoves lists the afterstates of x, or x itself where no seat decides.
func (c *checker[S]) afterMoves(x S, who game.Player) (after []S) {
	if who < 0 {
		return []S{x}
	}
	for _, a := range c.rules.Legal(nil, x) {
		if y, err := c.rules.Apply(x, a); err == nil { // else a breach of another clause
			after = append(after, c.core.Representative(y))
		}
	}
	return after
}

// decisionKeys gives decisions with the same mover and afterstates the same key.
type decisionKeys[S comparable] struct {
	c      *checker[S]
	number map[S]uint32
}

// key returns the key of a decision: its mover and the set of its afterstates.
func (m decisionKeys[S]) key(who game.Player, after []S) string {
	var list []uint32
	for _, s := range after {
		list = append(list, m.index(s))
	}
	slices.Sort(list)
	key := []byte{byte(max(who, game.Chance))}
	for _, x := range list {
		key = binary.LittleEndian.AppendUint32(key, x)
	}
	return string(key)
}

// index numbers states.
func (m decisionKeys[S]) index(s S) uint32 {
	i, ok := m.number[s]
	if !ok {
		i = uint32(len(m.number))
		m.number[s] = i
	}
	return i
}
