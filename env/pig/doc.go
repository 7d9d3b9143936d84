// Package pig implements Pig, the smallest whole game of marsgym and the worked
// example for adding a game. Its published solution checks the solver of package
// tabular.
//
// # The rules in ten lines
//
//  1. Two or more players take turns; the first to 100 points wins.
//  2. A turn begins with a roll of one die.
//  3. On a 1 the turn scores nothing and the die passes on.
//  4. A 2 to 6 is added to the turn total.
//  5. After each such roll the player chooses to roll again or to hold.
//  6. A player who holds adds the turn total to the own score and passes the die
//     on.
//  7. There are no ties and no further turns for the others.
//
// Source: T. W. Neller and C. G. M. Presser, "Optimal play of the dice game
// Pig", The UMAP Journal 25(1), 2004.
//
// # Variants chosen
//
// A player must roll before holding, as in the source, where each choice
// follows a roll. A turn total that reaches the target wins at once, without a
// hold: the source counts such a position as won, since nothing is left to
// choose. The rules are the same for more players and for other targets.
//
// The page docs/games/pig.md has the rules in full, the observation field by
// field, the actions and the sizes.
//
// # A turn
//
// In the notation of this package, first seat to move:
//
//	37-52@0                    roll
//	37-52@0 rolling            a 6
//	37-52@0 turn 6             roll
//	37-52@0 turn 6 rolling     a 4
//	37-52@0 turn 10            hold
//	47-52@1                    the second seat rolls
package pig
