// Package train fits a network to a game by self-play.
//
// [DefaultFor] returns the settings of a game, and [Run] trains with them. Each
// iteration plays many games at once with the network in every seat and then fits
// the network to better play. The [Algorithm] determines how better play is found:
//
//   - ppo compares how each move turned out with what the network had expected:
//     proximal policy optimisation (Schulman et al., arXiv:1707.06347) with a vector
//     of values, one for each seat, so that it holds for any number of players and
//     for players who move several times in a row. Of a game it uses only the batch.
//   - one-move also uses the rules and the probabilities of chance: the value of a move
//     is the expectation of the network's value of the next decision. In a game that
//     merges its chance ([marsgym/env/game.ChanceExpander]) the network values afterstates,
//     and the value of a decision is that of the best move by the network.
//   - search also uses the rules: it searches trees in which the network's policy and
//     values lead to better play (Danihelka et al., ICLR 2022).
//   - turn-exact searches the mover's whole turn, with the network's values of the
//     states in which it may end ([marsgym/env/game.TurnPlanner]).
//
// All but ppo are expert iteration (Anthony et al., arXiv:1705.08439): the
// network is trained on the results of a search that uses the network's values. With
// turns searched exactly that is close to dynamic programming, in which a network
// takes the place of the table of values. No algorithm uses an exact solution.
//
// A run with an unchanged [Config] ends in the same bits whether or not it was
// interrupted and resumed, and whatever GOMAXPROCS is.
//
// Package sweep compares settings.
package train
