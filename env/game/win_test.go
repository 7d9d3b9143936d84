package game_test

import (
	"math"
	"slices"
	"testing"

	"marsgym/env/game"
)

// TestUtility: returns that are shares of a win are a zero sum if they add up to 0, up to rounding.
func TestUtility(t *testing.T) {
	for _, tt := range []struct {
		players   int
		win, loss float64
		want      game.Utility
	}{
		{2, 1, -1, game.ZeroSum}, {3, 1, -0.5, game.ZeroSum}, {3, 1, -1, game.ConstantSum}, {2, 1, 0, game.ConstantSum}, {4, 3, -1, game.ZeroSum},
		{2, 0, 0, game.GeneralSum}, {2, 1, -1 + game.Tie/2, game.ZeroSum}, {2, 1, -1 + 2*game.Tie, game.ConstantSum}, {1, 1, 1, game.GeneralSum},
	} {
		s := game.Spec{Players: tt.players, Win: tt.win, Loss: tt.loss}
		if got := s.Utility(); got != tt.want || s.HasWin() != (tt.want != game.GeneralSum) {
			t.Errorf("%d players, win %v, loss %v: %s, a win: %v; want %s", tt.players, tt.win, tt.loss, got, s.HasWin(), tt.want)
		}
	}
}

// TestWinShare: shares of the win and returns are each other's inverse.
func TestWinShare(t *testing.T) {
	s := game.Spec{Win: 3, Loss: -1}
	for share, ret := range map[float64]float64{0: -1, 1: 3, 0.25: 0, 0.5: 1} {
		if s.WinShare(ret) != share || s.Return(share) != ret {
			t.Errorf("the return %v is a share of %v, and the share %v a return of %v", ret, s.WinShare(ret), share, s.Return(share))
		}
	}
}

// TestShareWin: winners share the win equally, and without winners there are no returns yet.
func TestShareWin(t *testing.T) {
	for _, tt := range []struct {
		players   int
		win, loss float64
		winners   uint16
		want      []float64
	}{
		{3, 1, -0.5, 0, []float64{0, 0, 0}},
		{3, 1, -0.5, 0b010, []float64{-0.5, 1, -0.5}},
		{3, 1, -0.5, 0b101, []float64{0.25, -0.5, 0.25}},
		{2, 1, -1, 0b11, []float64{0, 0}},
		{4, 3, -1, 0b1111, []float64{0, 0, 0, 0}},
	} {
		s := game.Spec{Players: tt.players, Win: tt.win, Loss: tt.loss}
		if got := s.ShareWin([]float64{7}, tt.winners); got[0] != 7 || !slices.Equal(got[1:], tt.want) {
			t.Errorf("winners %b: %v; want %v appended", tt.winners, got, tt.want)
		}
	}
}

// TestCost: a regret costs its loss as often as it comes up.
func TestCost(t *testing.T) {
	if got := (game.Regret[int]{Reach: 0.5, Prob: 0.25, Loss: 0.125}).Cost(); !(math.Abs(got-1./64) <= 1e-15) {
		t.Errorf("the cost is %v", got)
	}
}
