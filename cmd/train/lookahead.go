package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"marsgym/agents"
	"marsgym/env/game"
	"marsgym/internal/figure"
	"marsgym/train"
)

// The budget of look-ahead figures that nobody asked for: a part of the training time, but at least
// lookaheadSeconds of CPU time. Chosen.
const (
	lookaheadPart    = 0.1
	lookaheadSeconds = 5
)

// reportLookahead prints the exact strength of the network where it looks ahead: by turns, if
// the game plans them and its values are of their starts; by decisions, if its values are of
// those and that takes less time than the training, of steps decisions in these seconds. Figures
// beyond the budget are left out, with the command for them. It returns the
// name of the agent that is hardest to exploit: of the run, whose exploitability is given, or
// of one that looks ahead.
func (s *session) reportLookahead(ctx context.Context, dir string, exploitability float64, steps uint64, seconds float64) (best string, err error) {
	best = dir
	if s.mode == evaluateHead {
		return best, nil
	}
	limited := ctx
	if s.mode != evaluateFull {
		budget := max(lookaheadPart*seconds, lookaheadSeconds/float64(runtime.GOMAXPROCS(0)))
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, time.Duration(budget*float64(time.Second)))
		defer cancel()
	}
	f, err := agents.LoadModel(dir)
	if err != nil {
		return best, err
	}
	var ahead []int
	switch f.Meta.ValueTarget {
	case "decision":
		if uint64(s.exact.Rows(false)) <= steps || s.mode == evaluateFull {
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
		p, err := s.exact.Strength(limited, a)
		if limited.Err() != nil && ctx.Err() == nil {
			s.bar.Clear()
			fmt.Fprintf(s.stdout, "\tas %s       left out, since it takes longer than a tenth of the training: %s\n", name, s.command("eval", "-model", name+":"+dir))
			return best, nil
		}
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
		s.lookahead = append(s.lookahead, lookaheadResult{name + ":" + dir, p.Win, p.Exploitability})
		fmt.Fprintf(s.stdout, "\tas %s       wins %s   exploitability %s\n", name, figure.Digits(p.Win, 6), figure.Digits(p.Exploitability, 6))
	}
	return best, nil
}
