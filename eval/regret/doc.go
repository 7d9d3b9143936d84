// Package regret estimates the strength of a policy in a solved game from a few hundred games: for
// policies that are too slow for exact evaluation, such as deep searches and language models.
//
// Let V be the value of best play by seat, a share of the win, and let seat k have the measured
// policy in a game that visits the positions s(0), …, s(T). Each step from one position to the next
// is chance or a decision, so the result of the game is a sum of changes of V:
//
//	result = V[k](s(0)) + luck + own + others
//
// where luck is the change of V[k] over chance, own that over decisions of seat k, and others that
// over decisions of the other seats. Since V of a chance position is the mean of V over its outcomes,
// luck has the mean 0 whatever the policies are, given the course of the game so far. So
//
//	X = result − luck = V[k](s(0)) − regrets + others
//
// has the same mean as the result: the sum of regrets of seat k is −own, since V[k] before its
// decision is that of its best option. X is an unbiased estimate of the win, for any number of seats
// and any opponents, with luck as a control variate of coefficient 1.
//
// With two seats others is the sum of regrets of the other seat, which is 0 if it plays optimally.
// The mean of V[k](s(0)) over the seats is 1/P. So against optimal play of one opponent, with both
// seats played equally often,
//
//	win = 1/2 − E(regrets)
//
// With more seats a decision without regret can move value between the other seats; others counts
// that too.
//
// The variance is small because X has no luck in it: it is the variance of what the policies give
// away. A result is 0 or 1, with a variance of about 1/4. A policy that always loses is the
// exception: its results do not vary, but what it gives away in a game does.
//
// P games, one in each seat, are a set, and the mean of X over a set is one sample. The interval of
// their mean is in interval.go.
//
// Source: Zinkevich et al., "Optimal unbiased estimators for evaluating agent performance", AAAI
// 2006. Package [marsgym/eval/analysis] prices recorded games in the same way, and computes luck and
// regrets here.
package regret
