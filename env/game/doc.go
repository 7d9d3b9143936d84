// Package game is the contract that every game keeps.
//
// A game is its [Rules]: pure functions over a comparable state. Chance is
// explicit: a state is somebody's to decide, or the dice's, or nobody's. The
// same rules serve the lockstep batch, search and the exact solvers; whoever
// plays brings the generator, so a search that copies a state cannot foresee
// its dice.
//
// What only some games offer is a small interface of its own: [Sampler],
// [Notation], [Renderer], [Symmetry], [Solver], [Bots] and others.
//
// To add a game, keep Rules for a state of yours, run gametest.Check on it, and
// add one line to env/catalog. Package env/pig is the smallest whole example.
package game
