// Package marsisours implements Mars is Ours!, a board game for two to four players
// whose robots fight for the ground of Mars, and its quick game for two.
//
// # The rules in ten lines
//
//  1. Three rounds. In each, robots that lie go to the junkyard and those that
//     stand lie down; then each player takes two robots back into the hand.
//  2. Clockwise, one action a turn: place a robot on the map or in an empty lab,
//     attack a robot, or pass. A robot that is placed, or that wins, stands.
//  3. A robot walks up to three steps from a space station to an empty cell, not
//     through robots of others, or drops beside an own robot.
//  4. Up to four robots beside the target attack, for 2 tokens each: the highest
//     of their dice against one die of the defender; ties go to the attacker.
//  5. The winner's robot comes from the junkyard, the beaten one goes back to the
//     hand, and its owner gets what the defender rolled in tokens. A failed
//     attack costs a robot from the hand. In labs one robot attacks one.
//  6. A player who passes acts no more, but then and in each later turn gets a
//     token and may lay down any one robot that stands.
//  7. When all have passed, the player with most robots on a terrain goes up its
//     track by two, the second by one; players who tie for most go up by one.
//  8. Each player gets a token for each kind of ground held and 5 money for each
//     stone; then trades tracks for money, tokens, dice and robots, or keeps them.
//  9. A player who alone has most money pays a token, or money, for each own robot
//     that stands. The starter names the next starter.
//  10. At the end tokens and robots in hand are money, alchemy dice are rolled, and
//     most money wins.
//
// The labs: fair (attacks cost 1 token a robot), rocket (4 tokens, and robots
// drop anywhere), converter (tokens above ten are money), vacuum (buy alchemy
// dice), drill (roll a failed attack again), shield (+2 in defence, to 6).
//
// The quick game is one action phase on four tiles, with six robots each, without
// labs, tokens and score. A failed attack takes a robot out of the game. Most
// robots on the map win; on a tie the starter wins.
//
// Source: the Chinese rules of 火星是我們的!!! (Daiki Kobayashi, B2FGames 2010),
// https://bghut.pixnet.net/blog/post/32954660.
//
// # Variants chosen
//
// What the source leaves open is a field of [Config], M1 to M26. What only its
// figures show is invented: the maps, the quarters of the tiles and what the
// tracks pay are [Data], in mars.json, each with a note on where it comes from.
// Other data can be given in the config, and the rules hash covers them.
//
// The page docs/games/mars-is-ours.md has the rules in full, the sentences of the
// source behind each reading, with translations, the observation field by field,
// the actions and the sizes.
//
// Chance is taken in steps: the tiles one by one, the starter, an attack at once
// (only the defender's die and the winner matter), the alchemy dice one by one.
//
// # Sizes
//
// With P players and N robots of each, and F cells to stand on, G of them not stone:
//
//	A = 6F + 42 + P                                     in the quick game 5F + 1
//	D = 4G + (F+6)(P+2) + 8F + 3(N+1)P + 45P + 25        in the quick game F(P+9) + 3(N+1)P + 3P + 8
//
// # Notation
//
//	0-0 laying map ????/????/????/????          a tile is drawn, row by row
//	0-0 drawing map ogso/mtmt/sgtm/otso         who starts?
//	7-2@0 start 1 tokens 5-6 hand 3-2 junk 6-9 tracks 2000-0100 passed 1
//	  map ogso/mtmt/sgtm/otso robots oA.o/a.B./..../o..o labs A..... round 2
//
// in one line: money by seat, @ and the seat to act; the seat with the marker;
// then by seat what it has, with dice and tracks (gem, soda, metal, turf) where
// somebody has some; the seats that have passed. The map has a letter for each
// cell: g gems, s soda, m metal, t turf, # stone, o a station. Robots are A to D by
// seat, in lower case where they lie; the labs are in the order above. Cells are
// named by column and row, as c3. Behind the seat to act may stand
//
//	attack c3 x2              two robots attack c3; the dice are to be rolled
//	attack c3 x2 missed 5     the drill may roll again, against a 5
//	attack c3 x2 again 5      the drill rolls again
//	down, cash, buy, name     lay a robot down, trade, buy dice, name the starter
//
// and scoring (alchemy dice) or over instead of it. The quick game writes robots
// on the map for money, and has no map, labs, tokens and rounds:
//
//	2-1@1 start 0 hand 2-3 junk 2-2 robots oA.o/.AB./..../o..o
//
// Actions are place-c3, place-drill, attack-c3-x2, attack-drill, pass, down-c3,
// down-none, reroll, accept, keep, cash-gem+turf, buy-2, start-self, start-next1.
//
// # A turn
//
//	2-1@1 start 0 hand 2-3 junk 2-2 robots oA.o/.AB./..../o..o               attack-b2-x1
//	2-1@1 attack b2 x1 start 0 hand 2-3 junk 2-2 robots oA.o/.AB./..../o..o  a 4 against a 3
//	1-2@0 start 0 hand 3-3 junk 2-1 robots oA.o/.BB./..../o..o               seat 0 acts
package marsisours
