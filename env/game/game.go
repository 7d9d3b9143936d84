package game

import "errors"

// Player is a seat, 0 to P-1, or one of the two values that are not seats.
type Player int8

const (
	Chance   Player = -1 // chance moves next
	Terminal Player = -2 // the game is over
)

// Action is the dense index of a decision, 0 to Spec.Actions-1.
type Action int32

var (
	// ErrIllegalAction is returned by Apply for an action that is illegal in that
	// state, with the reason in its text.
	ErrIllegalAction = errors.New("illegal action")
	// ErrGameOver is returned by Apply in a terminal state.
	ErrGameOver = errors.New("the game is over")
	// ErrNoSolution is returned where a game, or its config, has no exact solution.
	ErrNoSolution = errors.New("no exact solution")
)

// Outcome is one result of a chance state.
type Outcome[S any] struct {
	State S
	Prob  float64
}

// Rules are the rules of one game under one config. S is the whole state, a small
// struct of exported fields of fixed size, without pointers: assignment clones it,
// == compares it, it is a map key, and encoding/binary writes it to checkpoints.
//
// Rules do no I/O, start no goroutine, own no random generator and read no clock.
// Many goroutines may use them at once.
type Rules[S comparable] interface {
	// Spec describes the game; it never changes.
	Spec() Spec
	// Initial returns the state at the start of a game. It may be a chance state.
	Initial() S
	// CurrentPlayer returns the seat to move, Chance or Terminal.
	CurrentPlayer(s S) Player
	// Legal appends the legal actions in ascending order: at least one where a seat
	// is to move, none elsewhere.
	Legal(dst []Action, s S) []Action
	// Outcomes appends the successors of a chance state, each once, with probabilities
	// above zero that sum to 1; nothing elsewhere.
	Outcomes(dst []Outcome[S], s S) []Outcome[S]
	// Apply returns the state after the current player plays a, before any chance. Its
	// error wraps ErrIllegalAction or ErrGameOver.
	Apply(s S, a Action) (S, error)
	// Returns appends the return of each seat [P]: zeros before the end.
	Returns(dst []float64, s S) []float64
	// Encode writes the observation of seat p to dst [D], every element of it. It is
	// defined in every state, chance and terminal states included. Where p is to move,
	// equal observations have equal legal actions with equal exact values; so an
	// action that names another seat counts from the mover. Elsewhere, in afterstates
	// above all, it distinguishes states of different value to p.
	Encode(dst []float32, s S, p Player)
}
