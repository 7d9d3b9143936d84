package search

import (
	"context"

	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/internal/parallel"
)

// rollout is a simulation that the bot plays from a node to the end.
type rollout[S comparable] struct {
	walk[S]
	node  int32
	begun bool
	over  bool
	prior []float64 // [A] the bot's policy at the node
	legal []game.Action
}

// rollOut readies a rollout of the current simulation from a node, and returns its number.
func (t *tree[S]) rollOut(k int32) int32 {
	if t.rolling == len(t.rollouts) {
		t.rollouts = append(t.rollouts, &rollout[S]{walk: walk[S]{share: make([]float64, t.g.spec.Players)}, prior: make([]float64, t.g.spec.Actions)})
	}
	r := t.rollouts[t.rolling]
	share := r.share
	r.walk, r.node, r.begun, r.over = t.walk, k, false, false
	r.share, r.at = share, t.nodes[k].state
	t.rolling++
	return int32(t.rolling - 1)
}

// rollOut plays the rollouts of the waiting trees.
func (g *Trees[S]) rollOut(ctx context.Context) error {
	g.rollouts = g.rollouts[:0]
	for _, t := range g.waiting {
		g.rollouts = append(g.rollouts, t.rollouts[:t.rolling]...)
	}
	n := len(g.rollouts)
	return parallel.ForContext(ctx, n, g.portion(n), func(from, to int) error { return g.playOut(g.rollouts[from:to]) })
}

// playOut plays rollouts in lockstep, until the time is up. It overwrites the list.
func (g *Trees[S]) playOut(list []*rollout[S]) error {
	n := g.spec.Actions
	at, probs := make([]S, len(list)), make([]float64, len(list)*n)
	for len(list) > 0 && !g.late() {
		for i, r := range list {
			at[i] = r.at
		}
		if err := g.bot.Probs(probs[:len(list)*n], at[:len(list)]); err != nil {
			return err
		}
		running := list[:0]
		for i, r := range list {
			if r.play(g.setup, probs[i*n:][:n]) {
				running = append(running, r)
			}
		}
		list = running
	}
	return nil
}

// play takes an action sampled from the bot's probabilities [A] and goes on to the next decision
// with several legal actions. It reports whether there is one.
func (r *rollout[S]) play(x *setup[S], probs []float64) bool {
	if !r.begun {
		copy(r.prior, probs)
		r.begun = true
	}
	r.move(x, core.SampleAction(probs, &r.dice))
	for {
		if r.settle(x, nil) < 0 {
			r.finish(x, r.at)
			r.over = true
			return false
		}
		if r.legal = x.rules.Legal(r.legal[:0], r.at); len(r.legal) > 1 {
			return true
		}
		r.move(x, r.legal[0])
	}
}

// move takes an action out of the tree.
func (r *rollout[S]) move(x *setup[S], a game.Action) {
	r.at = x.rules.After(r.at, a)
	r.moves++
}

// receiveRollouts ends the simulations whose rollouts are over. The priors of a node from which
// the bot has played are the mean of its policy and the uniform policy.
func (t *tree[S]) receiveRollouts() {
	for i, s := range t.simulations {
		r := t.rollouts[s.request]
		if !r.over {
			continue // there was no time
		}
		n := &t.nodes[r.node]
		if edges := t.edgesOf(n); !n.expanded {
			for k := range edges {
				edges[k].prior = (1/float64(len(edges)) + r.prior[edges[k].action]) / 2
			}
			n.expanded = true
		}
		t.backUp(t.pathOf(i), r.share)
		n.visits++
		n.sum += r.share[n.mover]
	}
}
