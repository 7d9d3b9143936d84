// Package agents provides the agents that can sit in any seat of a game: random play,
// the bots of a game, exact play, networks and searches.
//
//	a, err := agents.Open(ctx, "runs/martian-dice-2", agents.Options{Game: g})
//	probs, err := env.ActionProbabilities(ctx, a, position, g.Spec().Actions)
package agents
