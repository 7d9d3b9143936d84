// Package train fits a network to a game by self-play.
//
// [Run] plays many games at once with the network in every seat, measures how
// much better each move turned out than the network had expected, and moves the
// network towards the better ones: proximal policy optimisation (Schulman et
// al., arXiv:1707.06347) with a vector of values, one for each seat, so that it
// holds for any number of players and for players who move several times
// running. It knows nothing of a game but its batch.
//
// A run with an unchanged [Config] ends in the same bits whether or not it was
// interrupted and resumed, and whatever GOMAXPROCS is.
package train
