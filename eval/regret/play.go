package regret

import (
	"context"
	"fmt"
	"slices"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
)

// Choice is an answer of a policy.
type Choice struct {
	Action game.Action // a legal action, or -1 if the answer names none
	Cost   float64     // in a unit of the caller
}

// Policy chooses an action in the current position of a game in progress, which it does not change.
// Several goroutines may call it at once, each with a game of its own.
type Policy func(ctx context.Context, s *env.Session) (Choice, error)

// Agent returns an agent as a [Policy]. Actions are drawn by the generator of the game.
func Agent(a *agents.Agent) Policy {
	return func(ctx context.Context, s *env.Session) (Choice, error) {
		action, err := draw(ctx, a, s)
		return Choice{Action: action}, err
	}
}

// draw draws an action of an agent in the current position of a game.
func draw(ctx context.Context, a *agents.Agent, s *env.Session) (game.Action, error) {
	probs, err := env.ActionProbabilities(ctx, a, s.Position(), s.Rules.Spec().Actions)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", a.Name, err)
	}
	return s.Sample(probs), nil
}

// anybody returns an action of a game in progress, each legal one with the same probability.
func anybody(s *env.Session) game.Action {
	legal := s.Position().Legal()
	probs := make([]float64, s.Rules.Spec().Actions)
	for _, a := range legal {
		probs[a] = 1 / float64(len(legal))
	}
	return s.Sample(probs)
}

// PlayOn continues a game until a seat has a decision, or the game is over. It draws chance, and
// the actions of the agents in the other seats: the first of others sits after the seat, and one agent
// sits in all. If forced is set, it also plays decisions of the seat that have only one legal action.
func PlayOn(ctx context.Context, s *env.Session, seat game.Player, others []*agents.Agent, forced bool) error {
	players := s.Rules.Spec().Players
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.Settle()
		if s.Over() {
			return nil
		}
		mover, legal := s.Position().CurrentPlayer(), s.Position().Legal()
		if mover == seat && !(forced && len(legal) == 1) {
			return nil
		}
		a := legal[0]
		if len(legal) > 1 {
			var err error
			if a, err = draw(ctx, others[((int(mover-seat)+players)%players-1)%len(others)], s); err != nil {
				return err
			}
		}
		if err := s.Apply(a); err != nil {
			return err
		}
	}
}

// SinceDecision returns the steps of a game since the last decision of the seat to move that had more
// than one legal action, with that decision; all steps if there was none.
func SinceDecision(s *env.Session) []env.Transition {
	seat := s.Position().CurrentPlayer()
	for i, t := range slices.Backward(s.Steps) {
		if t.Before.CurrentPlayer() == seat && len(t.Before.Legal()) > 1 {
			return s.Steps[i:]
		}
	}
	return s.Steps
}

// tally counts what a policy did in a game.
type tally struct {
	calls, illegal, drawn int
	cost                  float64
}

// play plays game i of a measurement, and returns it with what the policy did there.
func (m *measurement) play(ctx context.Context, i int) (s *env.Session, did tally, err error) {
	s = env.NewSession(m.game)
	s.Restart(m.Seed, uint64(i))
	seat := game.Player(i % m.game.Spec().Players)
	for {
		if err := PlayOn(ctx, s, seat, m.Others, true); err != nil || s.Over() {
			return s, did, err
		}
		a, err := m.decide(ctx, s, &did)
		if err != nil {
			return nil, did, err
		}
		if !slices.Contains(s.Position().Legal(), a) {
			return nil, did, fmt.Errorf("%s chose action %d in %s, which is illegal", m.name, a, s.Position())
		}
		if err := s.Apply(a); err != nil {
			return nil, did, err
		}
	}
}

// decide asks the policy until an answer names an action. After the last retry it draws one, each legal
// action with the same probability.
func (m *measurement) decide(ctx context.Context, s *env.Session, did *tally) (game.Action, error) {
	for range m.Retries + 1 {
		if err := m.spend(); err != nil {
			return 0, err
		}
		c, err := m.policy(ctx, s)
		if err != nil {
			return 0, err
		}
		m.pay(c.Cost)
		did.calls, did.cost = did.calls+1, did.cost+c.Cost
		if c.Action >= 0 {
			return c.Action, nil
		}
		did.illegal++
	}
	did.drawn++
	return anybody(s), nil
}
