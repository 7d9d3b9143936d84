package search_test

import (
	"math"
	"testing"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/internal/test/testgames"
)

// TestMoveLimit: a simulation sees the end of a game that takes as many decisions as the move limit
// allows, and the chance after the last one. One decision more is truncated, where both seats have
// half of the win.
func TestMoveLimit(t *testing.T) {
	const limit = 7
	for length, want := range map[int]float64{limit - 1: 0, limit: 1, limit + 1: 0.5} {
		for _, simulations := range []int{-16, -1, 1, 16} { // the first enters new nodes, later ones known nodes
			g := catalog.NewGame(testgames.March{Length: length, Moves: limit, Chance: simulations < 0})
			simulations = max(simulations, -simulations)
			s, err := search.New(g, search.Config{Simulations: simulations}, nil)
			if err != nil {
				t.Fatal(err)
			}
			share := make([]float64, search.Sizes*2)
			if err := s.Values(t.Context(), share, []env.Position{g.Initial()}); err != nil {
				t.Fatal(err)
			}
			if !(math.Abs(share[0]-want) <= 1e-12) {
				t.Errorf("%d simulations, %d decisions to the end and a limit of %d: seat 0 wins %v; want %v", simulations, length, limit, share[0], want)
			}
		}
	}
}
