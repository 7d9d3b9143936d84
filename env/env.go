package env

import (
	"fmt"
	"math/rand/v2"

	"marsgym/env/game"
)

// Env plays one game at a time, with Reset and Step as in Gymnasium. Chance is that of
// row 0 of a batch with the same seed. Actions are those of the game, never of a
// representative. One goroutine owns an Env.
type Env struct {
	spec  game.Spec
	game  Game
	at    Position
	limit int // Spec.ChanceLimit
	dice  rand.PCG
	moves int
	ended bool
}

// Observation is what the current player observes. At the end of a game it is the
// observation of the player who moved last, and no action is legal.
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
func New(g Game) *Env {
	return &Env{spec: g.Spec(), game: g, limit: g.Spec().ChanceLimit(), ended: true}
}

// Reset seeds chance and starts a game.
func (e *Env) Reset(seed uint64) Observation {
	e.dice.Seed(seed, 0)
	return e.Next()
}

// Next starts another game without seeding again. Like a batch it skips games that
// end, or are truncated, before the first decision.
func (e *Env) Next() Observation {
	for range 1000 {
		if e.at = e.settle(e.game.Initial()); e.at.CurrentPlayer() >= 0 {
			e.moves, e.ended = 0, false
			return e.observe(e.at.CurrentPlayer())
		}
	}
	panic("env: " + e.spec.ID + " has no decision")
}

// Position returns the current position.
func (e *Env) Position() Position { return e.at }

// Step plays an action of the current player. The error wraps game.ErrIllegalAction,
// or game.ErrGameOver when Reset or Next must be called; nothing has changed then.
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

// settle is core.Rules.Settle of a position.
func (e *Env) settle(p Position) Position {
	for range e.limit {
		if p.CurrentPlayer() != game.Chance {
			break
		}
		p = p.Sample(&e.dice)
	}
	return p
}
