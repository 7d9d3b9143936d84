package main

import (
	"context"
	"errors"
	"fmt"

	"marsgym/agents"
	"marsgym/env/game"
)

// reportLookahead prints the exact strength of the network where it looks ahead: by turns, if
// its values are of their starts; by decisions, if its values are of those and that takes less
// time than the training, of so many decisions.
func (s *session) reportLookahead(ctx context.Context, dir string, steps uint64) error {
	f, err := agents.LoadModel(dir)
	if err != nil {
		return err
	}
	var ahead []int
	switch target := f.Meta.ValueTarget; {
	case target == "turn_start":
		ahead = []int{0, 1} // chosen: more turns take long to play
	case target == "decision" && uint64(s.exact.Rows(false)) <= steps:
		ahead = []int{0, 3} // chosen: the values alone, and what still takes seconds in the quick game of Mars
	default:
		return nil
	}
	for _, plies := range ahead {
		name := fmt.Sprintf("%s:%d", agents.Lookahead, plies)
		a, err := agents.Open(ctx, name+":"+dir, agents.Options{Game: s.game})
		if err != nil {
			return err
		}
		s.bar.Set(1, "evaluating "+name)
		p, err := s.exact.Strength(ctx, a)
		if errors.Is(err, game.ErrLookahead) {
			return nil
		}
		if err != nil {
			return err
		}
		s.bar.Clear()
		fmt.Fprintf(s.stdout, "\tas %s       wins %.6f   exploitability %.6f\n", name, p.Win, p.Exploitability)
	}
	return nil
}
