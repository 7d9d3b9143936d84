// Package game defines the contract between games and everything that plays them.
//
// A game is its [Rules]: pure functions over a comparable state. Chance is explicit:
// in each state a seat is to move, or chance, or the game is over. The same rules
// serve batches, search and the exact solvers. The caller brings the random
// generator, so a search that copies a state cannot foresee its dice.
//
// What a game can offer beyond that stands in abilities.go. Every game of env/catalog is a
// [Presenter]; [Sampler], [Symmetry], [TurnPlanner], [Solver] and others are optional.
//
// To add a game, implement Rules for a state type of your own, run gametest.Check on
// it, and add one line to each of env/catalog, agents/search and train/expert. Package env/pig
// is the smallest complete example.
package game
