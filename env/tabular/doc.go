// Package tabular solves any small game exactly. [Solve] enumerates every position that
// the rules can reach.
//
// The strongly connected components of the positions are solved by backward induction
// from the ends of the game. A component without a cycle takes one look ahead. In a
// component with a cycle, such as two players who both score nothing, the values under
// given choices are the solution of a linear system, and policy iteration from equal
// values improves the choices until they no longer change. Where few positions cut all
// cycles of the component, only their values are unknown, and Newton's method finds them in
// a few passes over the component.
//
// With one seat, or two whose returns have a constant sum, the result is the value of
// the game. With more seats it is one equilibrium, selected by the tie rule of package
// game.
//
// Rules for two seats that can number their positions in an order of solution (see
// [Numbering]) need no list: [SolveNumbered] sweeps over one value for each number.
//
// Only these values are computed in two ways. All else that a [Solution] does is there once, over
// a [Node] for each number: which positions come up, the table of a policy, look-ahead, visits and
// regrets.
//
// Sources: Dai and Goldsmith, "Topological value iteration algorithm for Markov
// decision processes", IJCAI 2007; Howard, "Dynamic programming and Markov
// processes", 1960, for the improvement of choices.
package tabular
