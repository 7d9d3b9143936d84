// Package core holds what batches, tree search and expert iteration share: rules
// with their optional interfaces looked up, and sampling.
package core

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"marsgym/env/game"
)

// Rules are the rules of a game with their optional interfaces looked up.
type Rules[S comparable] struct {
	game.Rules[S]
	Sampler     game.Sampler[S]       // never nil
	Symmetry    game.Symmetry[S]      // or nil
	Planner     game.TurnPlanner[S]   // or nil
	Presenter   game.Presenter[S]     // or nil
	Bots        game.Bots[S]          // or nil
	Sparse      game.SparseEncoder[S] // or nil
	ChanceLimit int                   // Spec.ChanceLimit
}

// New looks up the optional interfaces of rules.
func New[S comparable](rules game.Rules[S]) Rules[S] {
	r := Rules[S]{Rules: rules, Sampler: outcomeSampler[S]{rules}, ChanceLimit: rules.Spec().ChanceLimit()}
	if s, ok := rules.(game.Sampler[S]); ok {
		r.Sampler = s
	}
	r.Symmetry, _ = rules.(game.Symmetry[S])
	r.Planner, _ = rules.(game.TurnPlanner[S])
	r.Presenter, _ = rules.(game.Presenter[S])
	r.Bots, _ = rules.(game.Bots[S])
	r.Sparse, _ = rules.(game.SparseEncoder[S])
	return r
}

// Canonical returns the representative of s and the actions of s that the actions
// of the representative stand for; nil is the identity.
func (r *Rules[S]) Canonical(s S) (S, []game.Action) {
	if r.Symmetry == nil {
		return s, nil
	}
	return r.Symmetry.Canonical(s)
}

// Representative returns the representative of s.
func (r *Rules[S]) Representative(s S) S {
	if r.Symmetry != nil {
		s, _ = r.Symmetry.Canonical(s)
	}
	return s
}

// TurnStart returns the seat whose turn starts in s and reports whether one does. It
// returns false if the rules are no [game.TurnPlanner].
func (r *Rules[S]) TurnStart(s S) (mover game.Player, ok bool) {
	if r.Planner == nil {
		return 0, false
	}
	return r.Planner.TurnStart(s)
}

// After returns the representative of the state just after a legal action.
func (r *Rules[S]) After(s S, a game.Action) S {
	after, err := r.Apply(s, a)
	if err != nil {
		panic("env: " + r.Spec().ID + ": Apply refused a legal action: " + err.Error())
	}
	return r.Representative(after)
}

// ActionName names an action, by its number where the rules are no [game.Presenter].
func (r *Rules[S]) ActionName(a game.Action) string {
	if r.Presenter == nil {
		return fmt.Sprint(a)
	}
	return r.Presenter.ActionName(a)
}

// random is the name of the bot that every game has.
const random = "random"

// BotNames lists the bots: "random", then the game's own.
func (r *Rules[S]) BotNames() []string {
	if r.Bots == nil {
		return []string{random}
	}
	return append([]string{random}, r.Bots.BotNames()...)
}

// Bot returns the bot of that name.
func (r *Rules[S]) Bot(name string) (game.Policy[S], error) {
	if name == random {
		return game.Uniform[S]{Rules: r.Rules}, nil
	}
	if slices.Contains(r.BotNames(), name) {
		return r.Bots.Bot(name)
	}
	return nil, fmt.Errorf("%s has no bot %q; it has %s", r.Spec().ID, name, strings.Join(r.BotNames(), ", "))
}

// Validate returns an error if a state that was read from bytes is not a state of
// the game. It checks that the notation reproduces s; without one it accepts
// every s.
func (r *Rules[S]) Validate(s S) (err error) {
	if r.Presenter == nil {
		return nil
	}
	defer func() {
		if p := recover(); p != nil { // Format indexes by values that no state has
			err = fmt.Errorf("not a state of the game: %v", p)
		}
	}()
	same, err := r.Presenter.Parse(r.Presenter.Format(s))
	if err == nil && same != s {
		err = errors.New("not a state of the game")
	}
	return err
}

// outcomeSampler samples from the list of all outcomes, for rules without a
// Sampler.
type outcomeSampler[S comparable] struct{ rules game.Rules[S] }

// NewRows implements [game.Sampler].
func (outcomeSampler[S]) NewRows(int) game.Rows[S, float32] { return nil }

// Sample implements [game.Sampler].
func (o outcomeSampler[S]) Sample(s S, dice *rand.PCG) S {
	outcomes := o.rules.Outcomes(nil, s)
	return outcomes[DrawOutcome(outcomes, dice)].State
}
