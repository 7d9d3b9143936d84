package agents

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"marsgym/agents/search"
	"marsgym/internal/input"
)

// Lookahead is the first part of the names of agents that look ahead.
const Lookahead = "lookahead"

// MaxPlies is the largest K of "lookahead:K:MODEL".
const MaxPlies = search.MaxPlies

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
	evaluator, err := OpenEvaluator(parts[2], opt)
	if err != nil {
		return nil, err
	}
	p, err := search.NewLookahead(opt.Game, plies, evaluator)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", parts[2], err)
	}
	return &Agent{Name: name, Policy: p}, nil
}

// openPlay returns the agent that plays as the file of a network says, such as
// "lookahead:2" or "search:32". The way is part of its name.
func openPlay(ctx context.Context, name, play string, opt Options) (*Agent, error) {
	way, number, _ := strings.Cut(play, ":")
	if _, err := strconv.Atoi(number); err != nil || way != Lookahead && way != Search {
		return nil, fmt.Errorf("%s: it is to play %s, which this program does not know; want %s:K with a number of plies, or %s:N with a number of simulations",
			name, input.Quote(play), Lookahead, Search)
	}
	a, err := open(ctx, play+":"+name, opt)
	if err != nil {
		return nil, err
	}
	return &Agent{Name: fmt.Sprintf("%s (%s)", name, play), Policy: a.Policy}, nil
}
