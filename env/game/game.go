package game

import "errors"

// Player names a seat, 0 to P-1, or one of the two that are not seats.
type Player int8

const (
	Chance   Player = -1 // the dice move next
	Terminal Player = -2 // the game is over
)

// Action is the dense index of a decision, 0 to Spec.Actions-1.
type Action int32

// Tie is the difference below which two options are worth the same. Among
// options that tie, the lowest index is chosen: by solvers, by greedy players
// and by the argmax of a network. Chosen: a thousand times the rounding error
// of a sum of a hundred products.
const Tie = 1e-12

var (
	// ErrIllegalAction is returned by Apply for an action that the rules forbid
	// in that state, with the reason in its text.
	ErrIllegalAction = errors.New("illegal action")
	// ErrGameOver is returned by Apply once nobody is to move.
	ErrGameOver = errors.New("the game is over")
	// ErrNoSolution is returned where a game, or its config, has no exact solution.
	ErrNoSolution = errors.New("no exact solution")
)

// Outcome is one result of a chance state.
type Outcome[S any] struct {
	State S
	Prob  float64
}

// Rules are the rules of one game for one config. S is the whole position, a
// small struct of exported fields of fixed size, without pointers: assignment is
// its clone, == its identity, it serves as a map key, and encoding/binary writes
// it to checkpoints.
//
// Rules do no I/O, start no goroutine, own no generator and read no clock.
// They may be used by many goroutines at once.
type Rules[S comparable] interface {
	// Spec describes the game; it never changes.
	Spec() Spec
	// Initial is the state before anything has happened. It may be a chance state.
	Initial() S
	// Turn tells who moves next: a seat, Chance or Nobody.
	CurrentPlayer(s S) Player
	// Legal appends the legal actions in ascending order: at least one where a
	// seat moves, none elsewhere.
	Legal(dst []Action, s S) []Action
	// Outcomes appends what may follow a chance state, with probabilities above
	// zero that sum to 1, no two states equal; nothing elsewhere.
	Outcomes(dst []Outcome[S], s S) []Outcome[S]
	// Apply returns the state just after the seat to move takes a, with s
	// unchanged. Its error is an ErrIllegalAction or an ErrGameOver.
	Apply(s S, a Action) (S, error)
	// Returns appends what the game has paid each seat [P]: zeros before the end.
	Returns(dst []float64, s S) []float64
	// Encode writes what seat p sees of s to dst [D], every element of it. It is
	// defined at every state, chance and end included. Where p is to move, equal
	// observations have equal legal actions and equal exact values of each; so an
	// action that names a seat counts from the mover. Elsewhere it tells apart
	// what differs in value to p.
	Encode(dst []float32, s S, p Player)
}
