// Package marsisours is Mars is Ours!, the board game of robots that fight for
// the ground of Mars, for two to four, and its quick game for two.
//
// # The rules in ten lines
//
//  1. Three rounds. In each, robots that lie go to the junkyard and those that
//     stand lie down; then everybody takes two robots back into the hand.
//  2. Clockwise, one action a turn: place a robot on the map or in an empty lab,
//     attack a robot, or pass. A placed or victorious robot stands.
//  3. A robot walks up to three steps from a space station to an empty cell,
//     past its own kind only, or drops beside one of its own.
//  4. An attack takes up to four robots beside the target, 2 tokens each: the
//     highest of their dice against the defender's one; ties are the attacker's.
//  5. The winner's robot comes from the junkyard, the beaten one goes back to the
//     hand, and insurance pays what the defender rolled in tokens. A failed
//     attack costs a robot from the hand. In labs one fights one.
//  6. Who passes is out, but then and in each later turn gets a token and may lay
//     down any one robot that stands.
//  7. When all have passed, who holds most of a terrain goes up its track by two,
//     the second by one; firsts that tie go up by one.
//  8. A token for each kind of ground held, 5 money for each stone; then tracks
//     are traded for money, tokens, dice and robots, or kept.
//  9. The sole leader pays a token, or money, for each robot of his that stands.
//     The starter names the next one.
//  10. At the end tokens and robots in hand are money, alchemy dice are rolled, and
//     most money wins.
//
// The labs: fair (attacks cost 1 token a robot), rocket (4 tokens, and robots
// drop anywhere), converter (tokens above ten are money), vacuum (buy alchemy
// dice), drill (roll a missed attack again), shield (+2 in defence, to 6).
//
// The quick game is one action phase on four tiles, six robots each, without
// labs, tokens and score; a failed attacker leaves the game. Most robots on the
// map win, the starter on a tie.
//
// Source: the Chinese rules of 火星是我們的!!! (Daiki Kobayashi, B2FGames 2010),
// https://bghut.pixnet.net/blog/post/32954660.
//
// # Variants chosen
//
// What the source leaves open is a field of [Config], M1 to M24. What only its
// figures show is invented: the maps, the quarters of the tiles and what the
// tracks pay are [Data], in mars.json, each with a note on where it comes from.
// Other data can be given in the config, and the rules hash covers them.
//
// Two players (M4) have four tiles, in one fixed arrangement:
// 「將圖2所示的四塊地形板塊取出放置在桌上,排列方式需一致」, "take out the four tiles
// shown in figure 2 and lay them on the table, in the same arrangement". The figure
// is not to be had, so tiles are drawn instead. A second drawing of the map fixes them:
// "terrain": ["gsgs", "tmtm", "mtgs", "gstm"], for instance, beside the "cells" of
// the layout four, in mars.json or in a copy of it that a game config has as its
// "data". The layout "nine" is an invention, and no reading of that sentence.
//
// Passing (M8, M19) lets a seat 「你可以執行2個動作」, "perform 2 actions": a token,
// and a robot laid down. "May" is read as leaving the second to choice. That both
// come again on each later turn is inferred, and contested:
//
//	for      「如果玩家在自己的階段先將自己的指揮官倒下,玩家則不會進行上述任何動作。
//	         取而代之的是,玩家會有特殊的動作可以使用。」
//	         a player whose commander already lies takes none of the actions above
//	         in his turn, but has a special one instead; so has a review,
//	         https://tgiw.info/2011/03/mars_is_ours.html
//	against  「當玩家選擇”PASS”這個動作時,將玩家自己的指揮官棋子倒下。意味著玩家結束這個階段。」
//	         who passes lays his commander down, and thereby ends this phase for himself
//
// The quick game has no tokens, and who lies makes no difference to it: lying
// robots attack and count, and no maintenance or tax follows. So these fields
// change nothing there.
//
// The first tokens (M23) of two or three seats are 7 and 6, or 7, 6 and 5,
// inferred from 「第二位玩家放在”6”,第三位玩家放在”5”,最後一位放置在”4”」, "the second
// player at 6, the third at 5, the last at 4".
//
// The ground under a station (M24) counts for nobody, inferred: 「所謂”空格”即為沒有太空站
// 和機器人在該格上」, "an empty cell has neither station nor robot". Stations are
// laid on whatever tiles were drawn, so of 12 quarters of a kind 8 to 12 are in
// play on diamond13, and of 4 on the layout four 0 to 4. It is forgotten once the
// map lies.
//
// The quick game is won by 「持有最多機器人」, "who holds most robots" (M14). By the
// exact solution only robots on the map make a game of it
// (go test -run FastReadings ./env/marsisours -full -v):
//
//	fast_count      who counts             the starter wins    by passing at once
//	map             on the map             69.2362 %           0 %
//	map_and_hand    and those in hand      100 %               100 %
//	all             and in the junkyard    100 %               100 %
//
// Chance is taken in steps: tile by tile, who starts, the two sides of an attack
// at once (what matters is the defender's die and who wins), alchemy dice one by
// one.
//
// # Sizes
//
// With P players and F cells to stand on, G of them not stone:
//
//	A = 6F + 42 + P              in the quick game 5F + 1
//	D = 4G + (F+6)(P+2) + 12P + 25    in the quick game F(P+1) + 5P + 8
//
//	table            F   G    A    D   decisions a game, at random
//	quick           12        61   54   8
//	two on four     12  12   116  169  48
//	three           48  44   333  507  65
//	four            48  44   334  573  91
//
// # Notation
//
//	0-0 laying map ????/????/????/????          a tile is drawn, row by row
//	0-0 drawing map ogso/mtmt/sgtm/otso         who starts?
//	7-2@0 start 1 tokens 5-6 hand 3-2 junk 5-9 tracks 2000-0100 passed 1
//	  map ogso/mtmt/sgtm/otso robots oA.o/a.B./..../o..o labs A..... round 2
//
// in one line: money by seat, @ and the seat to act; the seat with the marker;
// then by seat what it has, dice and tracks (gem, soda, metal, turf) where there
// are some; who has passed. The map has a letter for each cell: g gems, s soda, m
// metal, t turf, # stone, o a station. Robots are A to D by seat, in lower case
// where they lie; the labs in the order above. Cells are named by column and row,
// as c3. Behind the seat to act may stand
//
//	attack c3 x2              two robots attack c3; the dice are to be rolled
//	attack c3 x2 missed 5     the drill may roll again, against a 5
//	attack c3 x2 again 5      and does
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
