package game

import "math/rand/v2"

// Rows play the rows of one batch, and show observations as numbers or as codes.
type Rows[S comparable, T DType] interface {
	Stepper[S]
	// Show writes what Canonical, Encode and Legal give for the current players [N] of
	// states [N]: representatives [N] with their relabelling [N] if the rules have a
	// [Symmetry], observations [N, D], or their [Codes] [N, C], and masks of legal actions
	// [N, A]. It finds in obs and mask what the last Show wrote, or only zeros.
	Show(states []S, players []Player, shown []S, relabel [][]Action, obs []T, mask []bool)
}

// Stepper steps the rows of one batch.
type Stepper[S comparable] interface {
	// Step follows a Show of the same states [N]. It plays actions [N] of their
	// representatives, then samples chance until a seat is to move or the game is over,
	// as Apply and Sample do, and writes the current players [N]. If ChanceLimit
	// transitions do not lead there, the player is Chance. If an action is illegal, Step
	// returns the index of the first such row and changes nothing; else it returns -1.
	//
	// dice has N+1 generators: those of the rows, and a last one that is free for use.
	Step(states []S, actions []Action, dice []rand.PCG, players []Player) int
}
