package game

import (
	"context"
	"errors"
)

// ErrLookahead is returned by a [Solution] that does not tabulate policies that look
// ahead, since it would ask them for each decision, which takes days.
var ErrLookahead = errors.New("a look-ahead is not evaluated exactly in a game of this size; play a match")

// Lookahead is implemented by policies that choose greedily on values some plies
// ahead. A solver evaluates the states of the game once and backs the values up over
// its own table, where the policy itself would expand the same states again for each
// decision.
type Lookahead[S comparable] interface {
	ContextPolicy[S]
	// Plies returns how often Values are backed up before the choice. With
	//
	//	V₀(s) = Values of s, in a decision; the returns of s, at the end of a game
	//	Vₖ₊₁(s) = E[Vₖ(next decision or end) | s, a*],  a* = argmaxₐ E[Vₖ(...)[mover] | s, a]
	//
	// the policy plays a* of V at Plies, ties within Tie to the lowest index. Every
	// decision is a ply, one with a single legal action too. Plies is negative if the
	// choice does not follow from Values; only Probs computes it then.
	Plies() int
	// Values writes the values of decisions by seat to dst [n, P].
	Values(ctx context.Context, dst []float64, states []S) error
}

// TurnLookahead is implemented by policies that plan whole turns on values of the states in
// which turns start. A solver plans each turn once, where the policy itself is asked for
// each of its decisions.
type TurnLookahead[S comparable] interface {
	ContextPolicy[S]
	// Turns returns how often StartValues are backed up before a turn is planned. With
	//
	//	V₀(s) = StartValues of the start s of a turn
	//	Vₖ₊₁(s) = expectation of Vₖ at the ends of the turn from s, by its [Plan] for Vₖ
	//
	// the policy plays the plan for V at Turns, ties within Tie to the lowest index.
	Turns() int
	// StartValues writes the values of starts of turns by seat to dst [n, P].
	StartValues(ctx context.Context, dst []float64, starts []S) error
}
