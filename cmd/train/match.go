package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/eval"
	"marsgym/internal/figure"
	"marsgym/models"
	"marsgym/train"
)

// Sizes of the match at the end of a run. Chosen: the longest gives an interval one
// or two hundredths wide, the shortest three to six; between them the match has a
// tenth of the decisions of the training, each of which costs as much or more. Where
// games are so long that the shortest would take more than seconds it is shorter still.
const (
	leastGames     = 2_000
	leastDecisions = 500_000
	mostGames      = 20_000
	matchPart      = 10
	probeGames     = 12 // to measure how long games are
)

// reportMatch plays a match against the last of the game's bots, after a training of
// steps decisions, and prints the result.
func (s *session) reportMatch(ctx context.Context, a *agents.Agent, steps uint64) error {
	b, err := s.agents.Open(ctx, agents.BestBot(s.game))
	if err != nil {
		return err
	}
	var decisions atomic.Uint64
	probe, err := s.match(ctx, counted(a, &decisions), counted(b, &decisions), probeGames, 1, "")
	if err != nil {
		return err
	}
	m, err := s.match(ctx, a, b, matchGames(steps, float64(decisions.Load())/float64(probe.Games)), 1, "playing a match")
	if err != nil {
		return err
	}
	s.bar.Clear()
	s.last = &m
	fmt.Fprintf(s.stdout, "wins %s of %d games against %s in the other seats, %.0f %% interval %s to %s; the fair share is %s\n\n",
		figure.Digits(m.Win[0], 4), m.Games, b.Name, 100*m.Confidence, figure.Digits(m.Low[0], 4), figure.Digits(m.High[0], 4), figure.Digits(1/float64(s.spec.Players), 4))
	return nil
}

// matches returns what evaluates the networks of a run by matches, nil if their strength is exact or
// the game has no win.
func (s *session) matches() train.Matcher {
	if s.exact != nil || !s.spec.HasWin() || s.spec.Players == 1 {
		return nil
	}
	return func(ctx context.Context, network *models.MLP, others map[string]*models.MLP, games int, seed uint64) (map[string]train.Share, error) {
		s.bar.Wait("playing matches")
		open := func(name string, mlp *models.MLP) *agents.Agent {
			return &agents.Agent{Name: name, Policy: agents.NewNet(s.spec, mlp, false)}
		}
		bot, err := s.agents.Open(ctx, agents.BestBot(s.game))
		if err != nil {
			return nil, err
		}
		against := []*agents.Agent{bot}
		for _, name := range slices.Sorted(maps.Keys(others)) {
			against = append(against, open(name, others[name]))
		}
		shares := map[string]train.Share{}
		for _, b := range against {
			m, err := s.match(ctx, open("network", network), b, games, seed, "")
			if err != nil {
				return nil, err
			}
			shares[b.Name] = train.Share{Win: m.Win[0], Low: m.Low[0], High: m.High[0], Games: m.Games}
		}
		return shares, nil
	}
}

// match plays a match of an agent against another in all other seats. The bar shows the note, if
// there is one.
func (s *session) match(ctx context.Context, a, b *agents.Agent, games int, seed uint64, note string) (eval.Match, error) {
	seats := append([]*agents.Agent{a}, slices.Repeat([]*agents.Agent{b}, s.spec.Players-1)...)
	return eval.PlayDuplicate(ctx, s.game, seats, games, seed, func(done float64) {
		if note != "" {
			s.bar.Set(done, note)
		}
	})
}

// matchGames returns the number of games of a match after a training of steps decisions.
// decisions is the mean length of its games.
func matchGames(steps uint64, decisions float64) int {
	least := min(leastGames, max(probeGames, leastDecisions/decisions))
	return int(min(mostGames, max(least, float64(steps)/matchPart/decisions)))
}

// counted returns an agent that adds the number of its decisions to n.
func counted(a *agents.Agent, n *atomic.Uint64) *agents.Agent {
	return &agents.Agent{Name: a.Name, Policy: counter{a.Policy, n}}
}

type counter struct {
	env.Policy
	n *atomic.Uint64
}

// Probs implements [env.Policy].
func (c counter) Probs(dst []float64, d env.Decisions) error {
	c.n.Add(uint64(d.Len()))
	return c.Policy.Probs(dst, d)
}
