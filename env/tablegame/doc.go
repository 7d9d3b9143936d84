// Package tablegame plays any small game whose positions are listed in a [Table]: for each state who
// is to move, the legal actions with their successors or the outcomes of chance with their
// probabilities, and the returns of each end. [New] checks a table and returns its rules. All that
// the module does with a game it does with these: batches, training, search, exact solutions and
// best responses, mistakes, matches.
//
// A state is a number, and state 0 is the initial one. Positions are written "s" and the number, such
// as "s17", and so are outcomes of chance. The id of a game is its name with ".game" behind it.
//
// The memory of a table is 7 bytes a state, 6 an action, 12 an outcome, and the returns,
// observations and texts that it has. Batches of small tables take some more, see [Rules.NewRows].
//
// The solution is the equilibrium of backward induction in which a seat plays the first of its equal
// actions. With three seats or more, or returns without a constant sum, others can have other values.
//
// # Files
//
// [Load] reads a table from a file and [Rules.Save] writes it: a safetensors file with a tensor for
// each slice, and a SHA-256 that identifies the table wherever its file lies. docs/table-games.md
// describes the format.
package tablegame
