//go:build amd64 && !purego

package pig

import (
	"math/rand/v2"

	"marsgym/env/game"
	"marsgym/internal/kernel/simd"
)

//go:generate go -C ../../tools run ./amd64/pig -out ../env/pig/rows_amd64.s -pkg pig

// lanes returns how many of the first n rows the kernels play: a multiple of four.
func lanes(n int) int {
	if simd.Active() < simd.AVX2 {
		return 0
	}
	return n &^ 3
}

// stepLanes is Step for rows that lanes counts, of 2 to 8 players. It reports whether all actions
// are legal, and changes nothing if one is not.
func stepLanes(states []State, actions []game.Action, dice []rand.PCG, players []game.Player, seats int, target uint32) bool {
	return len(states) == 0 || stepAVX2(len(states)/4, &states[0], &actions[0], &dice[0], &players[0], uint64(seats), uint64(target)-1)
}

// showLanes is Show for rows that lanes counts, of two players.
func showLanes(states []State, obs []float32, mask []bool, target uint32) {
	if len(states) > 0 {
		showAVX2(len(states)/4, &states[0], &obs[0], &mask[0], uint64(target))
	}
}

//go:noescape
func stepAVX2(blocks int, states *State, actions *game.Action, dice *rand.PCG, players *game.Player, seats, last uint64) bool

//go:noescape
func showAVX2(blocks int, states *State, obs *float32, mask *bool, target uint64)
