package main

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/eval"
	"marsgym/internal/cli"
)

// Sizes of the match at the end of a run. Chosen: the longest gives an interval one
// or two hundredths wide, the shortest three to six; between them the match has a
// tenth of the decisions of the training, each of which costs as much or more. Where
// games are so long that the shortest would take minutes it is shorter still.
const (
	leastGames     = 2_000
	leastDecisions = 5_000_000
	mostGames      = 20_000
	matchPart      = 10
	probeGames     = 12 // to measure how long games are
)

// reportMatch plays a match against the last of the game's bots, after a training of
// so many decisions, and prints the result.
func reportMatch(ctx context.Context, w io.Writer, g env.Game, a *agents.Agent, steps uint64, bar *cli.Progress) error {
	names := g.BotNames()
	b, err := agents.Open(ctx, names[len(names)-1], agents.Options{Game: g})
	if err != nil {
		return err
	}
	match := func(a, b *agents.Agent, games int, progress func(float64)) (eval.Match, error) {
		seats := []*agents.Agent{a}
		for len(seats) < g.Spec().Players {
			seats = append(seats, b)
		}
		return eval.PlayDuplicate(ctx, g, seats, games, 1, progress)
	}
	var decisions atomic.Uint64
	probe, err := match(counted(a, &decisions), counted(b, &decisions), probeGames, nil)
	if err != nil {
		return err
	}
	m, err := match(a, b, matchGames(steps, float64(decisions.Load())/float64(probe.Games)), func(done float64) { bar.Set(done, "playing a match") })
	if err != nil {
		return err
	}
	bar.Clear()
	fmt.Fprintf(w, "wins %.4f [%.4f, %.4f] of %d games against %s in the other seats\n\n", m.Win[0], m.Low[0], m.High[0], m.Games, b.Name)
	return nil
}

// matchGames returns the number of games of a match, each of so many decisions, after
// a training of so many steps.
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
