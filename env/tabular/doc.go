// Package tabular solves any small game exactly, by writing down every position
// that its rules can reach.
//
// The positions fall into strongly connected components, which are solved from
// the ends of the game backwards. A component without a cycle takes one look
// ahead. In one with a cycle (two players who both score nothing are back where
// they were) the values under given choices are the solution of a linear
// system; the choices are improved until they no longer change, starting from
// equal shares for all.
//
// With one seat, or two whose returns sum to a constant, that is the value of
// the game. With more it is an equilibrium, the one that the tie rule of
// package game leads to.
//
// Sources: Dai and Goldsmith, "Topological value iteration algorithm for Markov
// decision processes", IJCAI 2007; Howard, "Dynamic programming and Markov
// processes", 1960, for the improvement of choices.
package tabular
