package env

import (
	"fmt"

	"marsgym/env/game"
)

// Env plays one game at a time, with Reset and Step as in Gymnasium: a [Session] in which
// chance is drawn to the next decision. Actions are those of the game, never of a
// representative. One goroutine owns an Env.
type Env struct {
	session *Session
	ended   bool
}

// Observation is what the current player observes, also where a limit truncated the game.
// Where the rules ended it, it is the observation of the player who moved last, and no
// action is legal.
type Observation struct {
	Obs    []float32   // [D]
	Mask   []bool      // [A] true where an action is legal
	Player game.Player // the current player, or game.Terminal if no seat is to move
}

// Step is the result of an action.
type Step struct {
	Observation
	Reward     []float64 // [P] of this step, by seat
	Terminated bool      // the rules ended the game
	Truncated  bool      // a limit did: of decisions, or of successive chance transitions
}

// New returns an Env of a game. Call Reset first.
func New(g Game) *Env { return &Env{NewSession(g), true} }

// Reset seeds chance and starts a game.
func (e *Env) Reset(seed uint64) Observation {
	e.session.Undo(0)
	e.session.Seed(seed)
	return e.Next()
}

// Next starts another game without seeding again. Like a batch it skips games that
// end, or are truncated, before the first decision.
func (e *Env) Next() Observation {
	e.session.Next()
	e.ended = false
	return e.observe(e.Position().CurrentPlayer())
}

// Position returns the current position.
func (e *Env) Position() Position { return e.session.at }

// Step plays an action of the current player. The error wraps game.ErrIllegalAction,
// or game.ErrGameOver when Reset or Next must be called; nothing has changed then.
func (e *Env) Step(a game.Action) (Step, error) {
	if e.ended {
		return Step{}, fmt.Errorf("%w; call Reset or Next", game.ErrGameOver)
	}
	who := e.Position().CurrentPlayer()
	if err := e.session.Apply(a); err != nil {
		return Step{}, err
	}
	e.session.Settle()
	next := e.Position().CurrentPlayer()
	s := Step{Reward: e.Position().Returns(), Terminated: next == game.Terminal, Truncated: e.session.AtLimit()}
	e.ended = s.Terminated || s.Truncated
	if next >= 0 {
		who = next
	}
	s.Observation = e.observe(who)
	return s, nil
}

func (e *Env) observe(viewer game.Player) Observation {
	at, spec := e.session.at, &e.session.spec
	o := Observation{Obs: make([]float32, spec.ObsLen()), Mask: make([]bool, spec.Actions), Player: at.CurrentPlayer()}
	if o.Player < 0 {
		o.Player = game.Terminal
	}
	at.Observe(o.Obs, viewer)
	for _, a := range at.Legal() {
		o.Mask[a] = true
	}
	return o
}
