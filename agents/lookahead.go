package agents

import (
	"fmt"
	"strconv"
	"strings"

	"marsgym/env"
	"marsgym/internal/input"
	"marsgym/models"
)

// Lookahead is the first part of the names of agents that look ahead.
const Lookahead = "lookahead"

// lookaheadPattern is the form of their names: with a number of plies and a network.
const lookaheadPattern = Lookahead + ":3:MODEL"

// openLookahead opens "lookahead:K:MODEL".
func openLookahead(name string, opt Options) (*Agent, error) {
	parts := strings.SplitN(name, ":", 3)
	plies, err := 0, error(nil)
	if len(parts) == 3 {
		plies, err = strconv.Atoi(parts[1])
	}
	if len(parts) < 3 || err != nil || parts[2] == "" {
		return nil, fmt.Errorf("%w %q: want %s, with a number of plies of 0 or more", ErrUnknown, name, lookaheadPattern)
	}
	f, err := openModel(parts[2], opt)
	if err != nil {
		return nil, err
	}
	p, err := newLookahead(f, plies, opt.Game)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", parts[2], err)
	}
	return &Agent{Name: name, Policy: p}, nil
}

// newLookahead returns a look-ahead by the network of a model file.
func newLookahead(f *models.File, plies int, g env.Game) (env.Policy, error) {
	evaluator, err := NewEvaluator(g.Spec(), f)
	if err != nil {
		return nil, err
	}
	return g.NewLookahead(plies, evaluator)
}

// openPlay returns the agent that plays as a model file says. The way is part of its
// name.
func openPlay(name string, f *models.File, g env.Game) (*Agent, error) {
	plies, found := strings.CutPrefix(f.Meta.Play, Lookahead+":")
	k, err := strconv.Atoi(plies)
	if !found || err != nil {
		return nil, fmt.Errorf("%s: it is to play %s, which this program does not know; want %s:K with a number of plies", name, input.Quote(f.Meta.Play), Lookahead)
	}
	p, err := newLookahead(f, k, g)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Agent{Name: fmt.Sprintf("%s (%s)", name, f.Meta.Play), Policy: p}, nil
}
