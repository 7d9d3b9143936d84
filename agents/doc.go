// Package agents are those who play: at random, by a game's own rules of thumb,
// exactly, by a network, by searching ahead, or by hand. Any of them can sit in
// any seat.
//
//	a, err := agents.Open(ctx, "runs/martian-dice-2", agents.Options{Game: g})
//	probs, err := env.Ask(ctx, a, position, g.Spec().Actions)
package agents
