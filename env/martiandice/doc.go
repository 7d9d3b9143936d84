// Package martiandice implements Martian Dice, a push-your-luck dice game for any
// number of players. It is the main game of marsgym and is solved exactly.
//
// # The rules in ten lines
//
//  1. Each of 13 dice shows a tank, two death rays, a human, a cow and a chicken.
//  2. A turn begins with all 13 dice. Roll all dice that are not set aside.
//  3. All tanks rolled are set aside.
//  4. Then one other type must be chosen and all dice of it set aside: rays in
//     any roll, each of the three earthling types once per turn.
//  5. Where nothing can be chosen the turn ends, and scores.
//  6. After a choice the player stops or rolls on. With no dice left the turn ends.
//  7. If there are more tanks than rays, the turn scores 0. Else it scores 1 for
//     each human, cow and chicken, and 3 more if there is at least one of each.
//  8. Once somebody has 25 or more the round is played to its end, so that all
//     have had the same number of turns. The most points win.
//  9. Tied players roll six dice each, and most rays win.
//  10. Players who tie again roll again.
//
// Sources: the rules help of Board Game Arena (2020); "Martian Dice - Rules
// Summary (v1)"; the German rules, "Marswürfel", Pegasus 2013, which alone name
// the faces of a die. Where they disagree or are silent, [Config] has a field.
//
// The page docs/games/martian-dice.md has the rules in full, what the sources
// leave open, the observation field by field, the actions and the sizes.
//
// # A turn
//
// From the German rules, in the notation of this package, first seat to move:
//
//	0-0@0                               roll 13 dice
//	0-0@0 aside T2 roll R3H4C3K1        humans
//	0-0@0 aside T2H4                    roll
//	0-0@0 aside T3H4 roll R2C3K1        rays
//	0-0@0 aside T3R2H4                  roll
//	0-0@0 aside T3R2H4 roll H2C1K1      chickens
//	0-0@0 aside T3R2H4K1                roll
//	0-0@0 aside T3R2H4K1 roll R1H1C1    rays
//	0-0@0 aside T3R3H4K1                stop: 3 tanks against 3 rays, 5 points
package martiandice
