package main

import (
	"context"
	"errors"
	"fmt"

	"marsgym/agents"
	"marsgym/env/game"
	"marsgym/internal/figure"
	"marsgym/train"
)

// reportLookahead prints the exact strength of the network where it looks ahead: by turns, if
// the game plans them and its values are of their starts; by decisions, if its values are of
// those and that takes less time than the training, of steps decisions. It returns the
// name of the agent that is hardest to exploit: of the run, whose exploitability is given, or
// of one that looks ahead.
func (s *session) reportLookahead(ctx context.Context, dir string, exploitability float64, steps uint64) (best string, err error) {
	best = dir
	f, err := agents.LoadModel(dir)
	if err != nil {
		return best, err
	}
	var ahead []int
	switch f.Meta.ValueTarget {
	case "decision":
		if uint64(s.exact.Rows(false)) <= steps {
			ahead = []int{0, 3} // chosen: the values alone, and what still takes seconds in the quick game of Mars
		}
	default:
		c, err := train.DefaultFor(s.game)
		if err != nil {
			return best, err
		}
		if c.Algorithm == train.TurnExact { // the game plans turns
			ahead = []int{0, 1} // chosen: more turns take long to play
		}
	}
	for _, plies := range ahead {
		name := fmt.Sprintf("%s:%d", agents.Lookahead, plies)
		a, err := agents.Open(ctx, name+":"+dir, agents.Options{Game: s.game})
		if err != nil {
			return best, err
		}
		s.bar.Wait("evaluating " + name)
		p, err := s.exact.Strength(ctx, a)
		if errors.Is(err, game.ErrLookahead) {
			return best, nil
		}
		if err != nil {
			return best, err
		}
		if p.Exploitability < exploitability {
			best, exploitability = name+":"+dir, p.Exploitability
		}
		s.bar.Clear()
		fmt.Fprintf(s.stdout, "\tas %s       wins %s   exploitability %s\n", name, figure.Digits(p.Win, 6), figure.Digits(p.Exploitability, 6))
	}
	return best, nil
}
