// Package agents provides the agents that can sit in any seat of a game: random play,
// the bots of a game, exact play, networks, searches, and a person at a terminal.
//
//	a, err := agents.Open(ctx, "runs/martian-dice-2", agents.Options{Game: g})
//	probs, err := env.ActionProbabilities(ctx, a, position, g.Spec().Actions)
package agents
