package search_test

import (
	"math"
	"testing"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/test/testgames"
)

// TestMoveLimit: a simulation sees the end of a game that takes as many decisions as the move limit
// allows, and the chance after the last one. One decision more is truncated, where both seats have
// half of the win.
func TestMoveLimit(t *testing.T) {
	const limit = 7
	for length, want := range map[int]float64{limit - 1: 0, limit: 1, limit + 1: 0.5} {
		for _, simulations := range []int{-16, -1, 1, 16} { // the first enters new nodes, later ones known nodes
			g := search.NewGame(testgames.March{Length: length, Moves: limit, Chance: simulations < 0})
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

// detour is a game in which seat 0 loses after three decisions or, by the detour, after four.
type detour struct{ moves int }

// bend is a state of detour.
type bend struct{ At uint8 } // 0 the start, 1 the detour, 2 and 3 both ways, 4 the end

func (d detour) Spec() game.Spec {
	return game.Spec{ID: "detour", Title: "Detour", Version: 1, Players: 2, Actions: 2, MoveLimit: d.moves,
		Observation: []game.Field{{Name: "at", Len: 1}}, Win: 1, Loss: -1}
}
func (detour) Initial() bend { return bend{} }
func (detour) CurrentPlayer(s bend) game.Player {
	if s.At == 4 {
		return game.Terminal
	}
	return 0
}
func (detour) Legal(dst []game.Action, s bend) []game.Action {
	if s.At == 0 {
		dst = append(dst, 0)
	}
	return append(dst, 1)
}
func (detour) Outcomes(dst []game.Outcome[bend], _ bend) []game.Outcome[bend] { return dst }
func (detour) Apply(s bend, a game.Action) (bend, error) {
	if a == 0 {
		return bend{2}, nil
	}
	return bend{s.At + 1}, nil
}
func (detour) Returns(dst []float64, s bend) []float64 {
	if s.At < 4 {
		return append(dst, 0, 0)
	}
	return append(dst, -1, 1)
}
func (detour) Encode(dst []float32, s bend, _ game.Player) { dst[0] = float32(s.At) }

// TestMoveLimitOfKnownNodes: simulations of a tree reach the same nodes after as many decisions as the
// limit allows, and after fewer.
func TestMoveLimitOfKnownNodes(t *testing.T) {
	for limit, want := range map[int][2]float64{2: {0.5, 0.5}, 3: {0.25, 0.5}, 4: {0, 0}} { // bounds
		g := search.NewGame(detour{limit})
		s, err := search.New(g, search.Config{Simulations: 64}, nil)
		if err != nil {
			t.Fatal(err)
		}
		share := make([]float64, search.Sizes*2)
		if err := s.Values(t.Context(), share, []env.Position{g.Initial()}); err != nil {
			t.Fatal(err)
		}
		if !(share[0] >= want[0] && share[0] <= want[1]) {
			t.Errorf("with a limit of %d seat 0 wins %v; want %v to %v", limit, share[0], want[0], want[1])
		}
	}
}
