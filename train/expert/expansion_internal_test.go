// In package expert for the choice among the leaves of an expansion.
package expert

import (
	"math"
	"math/rand/v2"
	"testing"

	"marsgym/env/game"
)

// TestBestMove compares the choice among listed leaves with that of [game.BestOption].
func TestBestMove(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	some := []float64{-1, 0, math.Copysign(0, -1), game.Tie / 2, 1, 1 + game.Tie/2, 1 + 3*game.Tie, math.Inf(1), math.Inf(-1), math.NaN()}
	score := make([]float64, 12)
	for range 20_000 {
		for k := range score {
			score[k] = some[r.IntN(len(some)-1)]
		}
		if r.IntN(3) == 0 {
			score[0] = math.NaN()
		}
		var moves []int32
		var options []float64
		for range 1 + r.IntN(5) {
			k := r.IntN(len(score))
			moves, options = append(moves, int32(k)), append(options, score[k])
		}
		if got, want := bestMove(score, moves), moves[max(0, game.BestOption(options))]; got != want {
			t.Fatalf("of the scores %v leaf %d of %v is the best; want %d", options, got, moves, want)
		}
	}
}
