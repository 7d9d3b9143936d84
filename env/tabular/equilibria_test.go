package tabular_test

import (
	"maps"
	"math/big"
	"testing"

	"marsgym/env/game"
)

// TestSeveralEquilibria: in a cycle of two seats whose returns have no constant sum, best play has
// several values. The solution is that of policy iteration from equal values, here with an oracle in
// rationals.
func TestSeveralEquilibria(t *testing.T) {
	g := graphGame{players: 2, positions: []position{
		decide(1, 5, 4, 7), decide(1, 7, 6), decide(1, 4, 7, 5), decide(0, 7, 6, 6),
		roll(2, 8, 2, 3, 8, 0), roll(2, 10, 2, 2, 2, 0), roll(1, 9, 5, 0, 6, 2), roll(1, 10, 8, 0, 3, 0),
		end(0, 1), end(4, 2), end(3, 1),
	}}
	values := make([][]float64, g.players) // by seat and position
	for choice, last := map[int]int{}, map[int]int{-1: 0}; !maps.Equal(choice, last); {
		for seat := range values {
			exact, ok := g.value(seat, func(s, k int) *big.Rat {
				if k == choice[s] {
					return big.NewRat(1, 1)
				}
				return new(big.Rat)
			})
			if !ok {
				t.Fatal("the game may never end")
			}
			values[seat] = nil
			for _, x := range exact {
				v, _ := x.Float64()
				values[seat] = append(values[seat], v)
			}
		}
		last, choice = choice, map[int]int{}
		for s, x := range g.positions {
			if x.mover < 0 {
				continue
			}
			var options []float64
			for _, to := range x.to {
				options = append(options, values[x.mover][to])
			}
			if best := game.BestOption(options); best > 0 {
				choice[s] = best
			}
		}
	}
	got, err := solve(t, g).Value(nil, 0)
	if err != nil || !near(got, []float64{values[0][0], values[1][0]}, 1e-12) {
		t.Errorf("values %v, %v; want %v and %v", got, err, values[0][0], values[1][0])
	}
}
