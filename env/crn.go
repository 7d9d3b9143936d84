package env

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"marsgym/env/game"
	"marsgym/env/internal/core"
)

// crnStream identifies the common random numbers of a restarted row.
type crnStream struct {
	seed, row, turn uint64
	byTurn          bool // false if the row was not restarted, or the rules have no turns
}

// Restart implements [Batch].
func (v *Vec[S]) Restart(i int, seed, row uint64) {
	if v.crn == nil {
		v.crn = make([]crnStream, len(v.state))
	}
	v.crn[i] = crnStream{seed: seed, row: row, byTurn: v.rules.Planner != nil}
	v.seed(i, seed, row)
	v.start(i)
	v.show(i)
}

// settle is [core.Rules.Settle] with the generator of row i.
func (v *Vec[S]) settle(i int, s *S) game.Player {
	if v.crn == nil || !v.crn[i].byTurn {
		return v.rules.Settle(s, &v.dice[i])
	}
	return settleByTurn(&v.rules, s, &v.crn[i], &v.dice[i], &v.buf.Noise[i], nil)
}

// settleByTurn is [core.Rules.Settle] with common random numbers. It calls visit, if
// not nil, with each state that chance leads to.
func settleByTurn[S comparable](rules *core.Rules[S], s *S, c *crnStream, dice, noise *rand.PCG, visit func(S)) game.Player {
	for range rules.ChanceLimit {
		who := rules.CurrentPlayer(*s)
		if _, ok := rules.TurnStart(*s); ok && who != game.Terminal {
			c.turn++
			seedRow(dice, noise, c.seed, c.turn<<32|c.row)
		}
		if who != game.Chance {
			return who
		}
		*s = rules.Sampler.Sample(*s, dice)
		if visit != nil {
			visit(*s)
		}
	}
	return rules.CurrentPlayer(*s)
}

// seed seeds the generators of row i.
func (v *Vec[S]) seed(i int, seed, stream uint64) {
	seedRow(&v.dice[i], &v.buf.Noise[i], seed, stream)
}

func seedRow(dice, noise *rand.PCG, seed, stream uint64) {
	dice.Seed(seed, stream)
	noise.Seed(seed, 1<<62|stream)
}

// Replay implements [Game].
func (h *handle[S]) Replay(seed, row uint64, actions []game.Action, visit func(Position)) error {
	var dice, noise rand.PCG
	seedRow(&dice, &noise, seed, row)
	c := crnStream{seed: seed, row: row, byTurn: true}
	var seen []S
	add := func(s S) { seen = append(seen, s) }
	var s S
	who := game.Terminal
	for skipped := 0; who < 0; skipped++ { // as Vec.start
		if skipped == 1000 {
			return errors.New("env: " + h.spec.ID + " has no decision")
		}
		s, seen = h.rules.Initial(), seen[:0]
		who = settleByTurn(&h.rules, &s, &c, &dice, &noise, add)
	}
	for _, a := range actions {
		next, err := h.rules.Apply(s, a)
		if err != nil {
			return fmt.Errorf("env: a replay: %w", err)
		}
		s = next
		add(s)
		settleByTurn(&h.rules, &s, &c, &dice, &noise, add)
	}
	for _, s := range seen {
		visit(position[S]{&h.rules, s})
	}
	return nil
}
