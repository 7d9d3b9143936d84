package core

import (
	"math/rand/v2"

	"marsgym/env/game"
)

// Seed seeds the generators of a row of a run: of chance, and of choices, which take one
// number each.
func Seed(dice, noise *rand.PCG, seed, row uint64) {
	dice.Seed(seed, row)
	noise.Seed(seed, 1<<62|row)
}

// Turns are the turns of a game with common random numbers: its generators in turn n follow
// from Seed, Row and n alone.
type Turns struct {
	Seed, Row, n uint64
	Noise        *rand.PCG // the generator of choices
}

// Draw samples chance until a seat must act or the game is over, in at most limit
// transitions, and returns the current player. It calls visit, if not nil, with each state
// that chance leads to. This is the one order in which games draw: each transition from
// dice and, unless turns is nil, from generators that are seeded anew where a turn starts.
func (r *Rules[S]) Draw(s *S, dice *rand.PCG, turns *Turns, limit int, visit func(S)) game.Player {
	for range limit {
		who := r.CurrentPlayer(*s)
		if turns != nil && who != game.Terminal {
			if _, ok := r.TurnStart(*s); ok {
				turns.n++
				Seed(dice, turns.Noise, turns.Seed, turns.n<<32|turns.Row)
			}
		}
		if who != game.Chance {
			return who
		}
		*s = r.Sampler.Sample(*s, dice)
		if visit != nil {
			visit(*s)
		}
	}
	return r.CurrentPlayer(*s)
}

// Settle is [Rules.Draw] up to ChanceLimit. It returns game.Chance if that many transitions
// lead neither to a decision nor to the end: such a game is truncated.
func (r *Rules[S]) Settle(s *S, dice *rand.PCG) game.Player {
	return r.Draw(s, dice, nil, r.ChanceLimit, nil)
}

// Begin calls try, which begins a game and reports whether it has a decision, until one has:
// games that end, or are truncated, before the first decision are skipped. It panics if
// 1,000 are.
func Begin(id string, try func() bool) {
	for range 1000 {
		if try() {
			return
		}
	}
	panic("marsgym: " + id + " has no decision")
}
