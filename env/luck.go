package env

import "marsgym/env/game"

// luck says where a restarted row draws from.
type luck struct {
	seed, row, turn uint64
	byTurn          bool
}

// Restart implements [Batch].
func (v *Vec[S]) Restart(i int, seed, row uint64) {
	if v.planner, _ = v.k.rules.(game.Planner[S]); v.planner != nil {
		if v.luck == nil {
			v.luck = make([]luck, len(v.state))
		}
		v.luck[i] = luck{seed: seed, row: row, byTurn: true}
	}
	v.begin(i, seed, row)
}

// settle is [kit.settle] with the chance of row i.
func (v *Vec[S]) settle(i int, s *S) game.Player {
	if v.luck == nil || !v.luck[i].byTurn {
		return v.k.settle(s, &v.dice[i])
	}
	for range v.k.limit {
		who := v.k.rules.CurrentPlayer(*s)
		if who != game.Terminal && v.planner.Mover(*s) >= 0 {
			l := &v.luck[i]
			l.turn++
			v.seed(i, l.seed, l.turn<<32|l.row)
		}
		if who != game.Chance {
			return who
		}
		*s = v.k.sampler.Sample(*s, &v.dice[i])
	}
	return v.k.rules.CurrentPlayer(*s)
}

// seed seeds the generators of row i.
func (v *Vec[S]) seed(i int, seed, stream uint64) {
	v.dice[i].Seed(seed, stream)
	v.buf.Noise[i].Seed(seed, 1<<62|stream)
}
