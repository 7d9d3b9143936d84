package agents

import (
	"fmt"
	"strconv"
	"strings"

	"marsgym/env"
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
	p, err := newLookahead(parts[2], plies, opt.Game)
	if err != nil {
		return nil, err
	}
	return &Agent{name, p}, nil
}

// newLookahead returns a look-ahead by the network of that name.
func newLookahead(model string, plies int, g env.Game) (env.Policy, error) {
	f, err := openModel(model, g)
	if err != nil {
		return nil, err
	}
	evaluator, err := NewEvaluator(g.Spec(), f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", model, err)
	}
	p, err := g.NewLookahead(plies, evaluator)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", model, err)
	}
	return p, nil
}
