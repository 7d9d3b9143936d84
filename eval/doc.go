// Package eval measures the strength of agents: exactly in games that are solved,
// and by matches with confidence intervals in all others.
//
// Exact evaluation does not sample. An [ExactEvaluator] tabulates the decisions of
// an agent in every position that can matter and computes win probabilities and
// exploitability from them.
//
// Matches are duplicate matches: each set of games uses the same dice for every
// rotation of the agents over the seats. [PlayDuplicate] plays a fixed number of
// games, [PlaySequential] plays until the difference is significant, and
// [PlayTournament] rates agents by a round robin.
package eval
