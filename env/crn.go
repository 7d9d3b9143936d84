package env

import "marsgym/env/game"

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
	v.crn[i] = crnStream{seed: seed, row: row, byTurn: v.rules.Starter != nil}
	v.seed(i, seed, row)
	v.start(i)
	v.show(i)
}

// settle is [core.Rules.Settle] with the generator of row i.
func (v *Vec[S]) settle(i int, s *S) game.Player {
	if v.crn == nil || !v.crn[i].byTurn {
		return v.rules.Settle(s, &v.dice[i])
	}
	for range v.rules.ChanceLimit {
		who := v.rules.CurrentPlayer(*s)
		if _, ok := v.rules.Starter.TurnStart(*s); ok && who != game.Terminal {
			c := &v.crn[i]
			c.turn++
			v.seed(i, c.seed, c.turn<<32|c.row)
		}
		if who != game.Chance {
			return who
		}
		*s = v.rules.Sampler.Sample(*s, &v.dice[i])
	}
	return v.rules.CurrentPlayer(*s)
}

// seed seeds the generators of row i.
func (v *Vec[S]) seed(i int, seed, stream uint64) {
	v.dice[i].Seed(seed, stream)
	v.buf.Noise[i].Seed(seed, 1<<62|stream)
}
