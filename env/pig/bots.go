package pig

import "marsgym/env/game"

// BotNames implements [game.Bots].
func (r *Rules) BotNames() []string { return []string{"greedy"} }

// Bot implements [game.Bots].
func (r *Rules) Bot(string) (game.Policy[State], error) {
	return greedy{}, nil
}

// holdAt is the turn total at which greedy holds. A roll gains 20/6 points on average
// and loses the total with probability 1/6, so above 20 it has a negative expectation.
//
// Source: R. Knizia, "Dice Games Properly Explained", 1999, after Neller and
// Presser.
const holdAt = 20

// greedy maximises the expected score of each turn and ignores the scores.
type greedy struct{}

// Probs implements [game.Policy].
func (greedy) Probs(dst []float64, states []State) error {
	clear(dst)
	for i, s := range states {
		a := Roll
		if s.Total >= holdAt {
			a = Hold
		}
		dst[i*int(actions)+int(a)] = 1
	}
	return nil
}
