package game_test

import (
	"slices"
	"testing"

	"marsgym/env/game"
)

func TestSeatOrder(t *testing.T) {
	for players := 1; players <= 6; players++ {
		bySeat := make([]float64, players)
		for i := range bySeat {
			bySeat[i] = float64(10 + i)
		}
		for mover := range players {
			fromMover := make([]float32, players)
			game.MoverOrder(fromMover, bySeat, game.Player(mover))
			if want := float32(10 + mover); fromMover[0] != want {
				t.Errorf("%d players: mover %d has %v, want %v", players, mover, fromMover[0], want)
			}
			if next := (mover + 1) % players; players > 1 && fromMover[1] != float32(10+next) {
				t.Errorf("%d players: seat %d follows %d, want seat %d", players, int(fromMover[1])-10, mover, next)
			}
			back := make([]float64, players)
			game.SeatOrder(back, fromMover, game.Player(mover))
			if !slices.Equal(back, bySeat) {
				t.Errorf("%d players, mover %d: %v became %v", players, mover, bySeat, back)
			}
		}
	}
}
