//go:build purego || !amd64

package pig

import (
	"math/rand/v2"

	"marsgym/env/game"
)

func lanes(int) int { return 0 }

func stepLanes([]State, []game.Action, []rand.PCG, []game.Player, int, uint32) bool { return true }

func showLanes([]State, []float32, []bool, uint32) {}
