package main

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/eval"
)

// Sizes of the match that ends a run. Chosen: the longest gives an interval one or
// two hundredths wide, the shortest three to six; between them it comes to a tenth
// of the decisions of the training, of which each costs as much or more.
const (
	leastGames = 2_000
	mostGames  = 20_000
	matchPart  = 10
	probeGames = 60 // tell how long games are
)

// sampled plays a match against the game's last-named player, after a training
// of so many decisions.
func sampled(ctx context.Context, w io.Writer, g env.Game, a *agents.Agent, steps uint64) error {
	names := g.PlayerNames()
	b, err := agents.Open(ctx, names[len(names)-1], agents.Options{Game: g})
	if err != nil {
		return err
	}
	match := func(a, b *agents.Agent, games int) (eval.Match, error) {
		who := []*agents.Agent{a}
		for len(who) < g.Spec().Players {
			who = append(who, b)
		}
		return eval.Rotate(ctx, g, who, games, 1, nil)
	}
	var asked atomic.Uint64
	probe, err := match(counted(a, &asked), counted(b, &asked), probeGames)
	if err != nil {
		return err
	}
	m, err := match(a, b, matchGames(steps, float64(asked.Load())/float64(probe.Games)))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "wins %.4f [%.4f, %.4f] of %d games against %s in the other seats\n\n", m.Win[0], m.Low[0], m.High[0], m.Games, b.Name)
	return nil
}

// matchGames is how many games of so many decisions each a match has after a
// training of so many decisions.
func matchGames(steps uint64, decisions float64) int {
	return int(min(mostGames, max(leastGames, float64(steps)/matchPart/decisions)))
}

// counted is an agent that adds to n how many decisions it is asked for.
func counted(a *agents.Agent, n *atomic.Uint64) *agents.Agent {
	return &agents.Agent{Name: a.Name, Policy: counter{a.Policy, n}}
}

type counter struct {
	env.Policy
	n *atomic.Uint64
}

// Probs keeps [env.Policy].
func (c counter) Probs(dst []float64, d env.Decisions) error {
	c.n.Add(uint64(d.Len()))
	return c.Policy.Probs(dst, d)
}
