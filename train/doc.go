// Package train fits a network to a game by self-play.
//
// [Run] plays many games at once with the network in every seat and moves the
// network towards better play. The [Algorithm] says how better play is found:
//
//   - ppo measures how much better each move turned out than the network had
//     expected: proximal policy optimisation (Schulman et al., arXiv:1707.06347)
//     with a vector of values, one for each seat, so that it holds for any number
//     of players and for players who move several times running. It knows nothing
//     of a game but its batch.
//   - one-ply knows the rules and the chances of the dice: a move is worth the
//     expectation, over one roll, of the best next move by the network's values.
//   - turn-exact asks the game to plan the mover's whole turn against the
//     network's values of where it may end (package game, Planner).
//
// The latter two are expert iteration (Anthony et al., arXiv:1705.08439): the
// network learns to play at a glance what a search upon its values finds. With
// turns searched exactly that is close to dynamic programming, in which a network
// takes the place of the table of values. None of them ever sees a solution.
//
// A run with an unchanged [Config] ends in the same bits whether or not it was
// interrupted and resumed, and whatever GOMAXPROCS is.
package train
