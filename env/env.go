package env

import (
	"fmt"
	"math/rand/v2"

	"marsgym/env/game"
)

// Env is one game at a time, with Reset and Step in the manner of Gymnasium. It
// rolls the same dice as row 0 of a batch of the same seed. Actions are the
// game's own. One goroutine owns it.
type Env struct {
	spec  game.Spec
	game  Game
	at    Position
	limit int // Spec.ChanceLimit
	dice  rand.PCG
	moves int
	ended bool
}

// Observation is what the player to act sees. At the end of a game it is the
// last sight of the player who moved last, and no action is legal.
type Observation struct {
	Obs    []float32   // [D]
	Mask   []bool      // [A] true where an action is legal
	Player game.Player // who must act, or game.Terminal if no seat must
}

// Step is what came of an action.
type Step struct {
	Observation
	Reward     []float64 // [P] earned by this step, by seat
	Terminated bool      // the rules ended the game
	Truncated  bool      // a limit did, of decisions or of chance transitions without one
}

// New returns an Env of a game. Reset comes first.
func New(g Game) *Env {
	return &Env{spec: g.Spec(), game: g, limit: g.Spec().ChanceLimit(), ended: true}
}

// Reset seeds the dice and starts a game.
func (e *Env) Reset(seed uint64) Observation {
	e.dice.Seed(seed, 0)
	return e.Next()
}

// Next starts another game without seeding the dice again. Games that end, or are
// truncated, before anybody can act are passed over, as a batch does.
func (e *Env) Next() Observation {
	for range 1000 {
		if e.at = e.settle(e.game.Initial()); e.at.CurrentPlayer() >= 0 {
			e.moves, e.ended = 0, false
			return e.observe(e.at.CurrentPlayer())
		}
	}
	panic("env: " + e.spec.ID + " offers no decision")
}

// Position is where the game stands.
func (e *Env) Position() Position { return e.at }

// Step takes an action for the player to act. Its error is a
// game.ErrIllegalAction, or a game.ErrGameOver when it is time for Reset or
// Next; nothing has changed then.
func (e *Env) Step(a game.Action) (Step, error) {
	if e.ended {
		return Step{}, fmt.Errorf("%w; call Reset or Next", game.ErrGameOver)
	}
	who := e.at.CurrentPlayer()
	after, err := e.at.Apply(a)
	if err != nil {
		return Step{}, err
	}
	e.at = e.settle(after)
	e.moves++
	s := Step{Reward: e.at.Returns(), Terminated: e.at.CurrentPlayer() == game.Terminal}
	s.Truncated = e.at.CurrentPlayer() == game.Chance || !s.Terminated && e.spec.MoveLimit > 0 && e.moves >= e.spec.MoveLimit
	e.ended = s.Terminated || s.Truncated
	if next := e.at.CurrentPlayer(); next >= 0 {
		who = next
	}
	s.Observation = e.observe(who)
	return s, nil
}

func (e *Env) observe(viewer game.Player) Observation {
	o := Observation{Obs: make([]float32, e.spec.ObsLen()), Mask: make([]bool, e.spec.Actions), Player: e.at.CurrentPlayer()}
	if o.Player < 0 {
		o.Player = game.Terminal
	}
	e.at.Observe(o.Obs, viewer)
	for _, a := range e.at.Legal() {
		o.Mask[a] = true
	}
	return o
}

// settle is [kit.settle] of a position.
func (e *Env) settle(p Position) Position {
	for range e.limit {
		if p.CurrentPlayer() != game.Chance {
			break
		}
		p = p.Sample(&e.dice)
	}
	return p
}
