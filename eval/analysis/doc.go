// Package analysis prices recorded games: what each decision lost, and what was luck.
//
// Let V be the value of best play by seat: the expected share of the win or, in a game
// without a win, the expected return. For each seat of each game
//
//	result = start + luck − losses + others + correction
//
// where start is V at the start of the game; luck is the change of V over chance, which
// has the mean 0; losses are the regrets of the seat's own decisions; and others is the
// change of V over the decisions of the other seats. In a game of two seats for one win
// others are the regrets of the other seat. With more seats a decision without regret can
// move value between the other seats.
//
// Where the game is solved, V is exact and correction is 0. Elsewhere [Searches] or [Rollouts]
// estimate V, and correction is the difference between its estimates for the best option
// of a decision and for the position of the decision, which differ since an agent's play
// is not best play, and by chance.
//
// result − luck is the luck-adjusted result. Its mean is that of the result, also where V
// is estimated, and its variance is lower.
//
// Source: Zinkevich et al., "Optimal unbiased estimators for evaluating agent
// performance", AAAI 2006.
package analysis
