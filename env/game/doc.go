// Package game is the contract between games and everything that plays them.
//
// A game is its [Rules]: pure functions over a comparable state. Chance is explicit:
// in each state a seat is to move, or chance, or the game is over. The same rules
// serve batches, search and the exact solvers. The caller brings the random
// generator, so a search that copies a state cannot foresee its dice.
//
// What only some games offer is a small optional interface: [Sampler], [Notation],
// [Renderer], [Symmetry], [Solver], [Bots] and others.
//
// To add a game, implement Rules for a state type of your own, run gametest.Check on
// it, and add one line to env/catalog. Package env/pig is the smallest complete
// example.
package game
