package core

import (
	"math/rand/v2"

	"marsgym/env/game"
)

// Streams are the generators of a game in progress.
type Streams struct {
	Dice  *rand.PCG // of chance
	Noise *rand.PCG // of choices, one number for each
	Turns *Turns    // nil without common random numbers
}

// Turns are the turns of a game with common random numbers: the generators of turn n follow
// from Seed, Row and n alone.
type Turns struct{ Seed, Row, n uint64 }

// Seed seeds the generators for a row of a run.
func (d Streams) Seed(seed, row uint64) {
	d.Dice.Seed(seed, row)
	d.Noise.Seed(seed, 1<<62|row)
}

// Draw samples chance until a seat must act or the game is over, in at most so many
// transitions, and returns the current player. It calls visit, if not nil, with each state
// that chance leads to. This is the one order in which games draw: each transition from
// Dice, and with common random numbers from generators that are seeded where a turn starts.
func (r *Rules[S]) Draw(s *S, from Streams, most int, visit func(S)) game.Player {
	for range most {
		who := r.CurrentPlayer(*s)
		if from.Turns != nil && who != game.Terminal {
			if _, ok := r.TurnStart(*s); ok {
				from.Turns.n++
				from.Seed(from.Turns.Seed, from.Turns.n<<32|from.Turns.Row)
			}
		}
		if who != game.Chance {
			return who
		}
		*s = r.Sampler.Sample(*s, from.Dice)
		if visit != nil {
			visit(*s)
		}
	}
	return r.CurrentPlayer(*s)
}

// Settle is [Rules.Draw] up to ChanceLimit. It returns game.Chance if so many transitions
// lead neither to a decision nor to the end: such a game is truncated.
func (r *Rules[S]) Settle(s *S, dice *rand.PCG) game.Player {
	return r.Draw(s, Streams{Dice: dice}, r.ChanceLimit, nil)
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
	panic("env: " + id + " has no decision")
}
