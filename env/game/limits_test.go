package game_test

import (
	"testing"

	"marsgym/env/game"
)

// TestChanceLimit: chance has as many transitions as the move limit has decisions, at most 100,000.
func TestChanceLimit(t *testing.T) {
	for limit, want := range map[int]int{0: 100_000, 1: 1, 50: 50, 99_999: 99_999, 100_000: 100_000, 100_001: 100_000} {
		if got := (game.Spec{MoveLimit: limit}).ChanceLimit(); got != want {
			t.Errorf("move limit %d: %d; want %d", limit, got, want)
		}
	}
}

// TestTruncates: the move limit ends a game in which a seat is to move, and chance that goes on for
// ever ends any.
func TestTruncates(t *testing.T) {
	for _, tt := range []struct {
		limit, decisions int
		who              game.Player
		want             bool
	}{
		{3, 2, 0, false}, {3, 3, 0, true}, {3, 4, 1, true}, {1, 1, 0, true}, {1, 0, 0, false},
		{0, 0, 0, false}, {0, 1000, 1, false},
		{3, 0, game.Chance, true}, {0, 0, game.Chance, true},
		{3, 3, game.Terminal, false}, {3, 4, game.Terminal, false},
	} {
		if got := (&game.Spec{MoveLimit: tt.limit}).Truncates(tt.who, tt.decisions); got != tt.want {
			t.Errorf("limit %d after %d decisions, player %d to move: %v; want %v", tt.limit, tt.decisions, tt.who, got, tt.want)
		}
	}
}
