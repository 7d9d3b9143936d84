// Package dice makes generators whose first number a test chooses.
package dice

import (
	"math/bits"
	"math/rand/v2"
)

// At returns a generator whose first number is u, 0 <= u < 1, as core.Uniform reads it. So a test can
// draw on either side of a limit.
//
// It inverts rand.PCG: the output function for a state whose low half is 0, and then the step that
// leads to this state.
func At(u float64) *rand.PCG {
	const (
		mulInverseHi, mulInverseLo = 0x7dda22b93979860, 0x98abc8b0716eac8d // of the multiplier of a step, modulo 2¹²⁸
		cheapInverse               = 0x8b838d0354ead59d                    // of the multiplier of the output, modulo 2⁶⁴
		incHi, incLo               = 6364136223846793005, 1442695040888963407
	)
	hi := uint64(u*(1<<53)) << 11
	hi ^= hi >> 48
	hi *= cheapInverse
	hi ^= hi >> 32
	lo, borrow := bits.Sub64(0, incLo, 0)
	hi, _ = bits.Sub64(hi, incHi, borrow)
	seed1, seed2 := bits.Mul64(lo, mulInverseLo)
	return rand.NewPCG(seed1+hi*mulInverseLo+lo*mulInverseHi, seed2)
}
