// Package martianrisk implements Martian Risk. Players conquer a map by battles, in
// which each side rolls two four-sided dice and adds its tower of Icehouse pieces.
//
// # The rules in ten lines
//
//  1. Three to six players share a map of about seven regions for each of them.
//  2. In turn each places a tower of a large, a medium and a small piece with an
//     army, then single armies until no region is free, then the rest of ten
//     armies into own regions.
//  3. A turn: reinforce, attack, fortify, each if the player likes.
//  4. To reinforce, a player rolls a die of four sides and has a point more for each
//     union (group of regions) held. An army costs a point, a large piece 3, a medium
//     2, a small 1. Towers are built from the bottom up; only a die of 3 or 4 begins one.
//  5. An attack takes two armies beside an enemy's region. In each battle both
//     roll two dice and add the pieces of their tower in that region; the lower
//     total loses an army, on a tie the attacker does.
//  6. The attacker stops at any time, or when one army is left there.
//  7. A player who conquers moves in at least one army and leaves one; a tower that
//     stood there goes back to its owner's supply. Towers never move along.
//  8. To fortify is to split one tower: all above its large piece goes to an adjacent
//     own region, and a small piece may go one region further. They may go on
//     pieces that stand there, from the bottom up.
//  9. A player without armies is out; the last one wins.
//  10. A player has 25 armies and five tower pieces of each size.
//
// Source: Nate Straight, Martian Risk 1.0, 2012, at the Looney Pyramids wiki,
// https://looneypyramids.wiki/wiki/Martian_Risk.
//
// # Variants chosen
//
// What the rules leave open, R1 to R24, is settled or is a field of [Config], which
// says where its default comes from. Five matter most:
//
//   - The cap. With 25 armies a player, the rule as written, nobody can hold the 28
//     to 42 regions of four to six players. With ArmyCap 0 each player has four
//     armies more than the map has regions, and at least 25. [Config.Warning]
//     reports a cap below the number of regions.
//   - The end. No game of careful players ends by conquest, so the rules here end
//     it after MaxRounds rounds, and the first in rank wins, since the object is
//     "to eliminate all of your opponents' armies". Ranking has two other divisions;
//     seats without armies get nothing in any.
//   - The roll. "A player must roll at least a 3, therefore, in order to begin
//     construction of any additional towers": the die has to show it, and points of
//     unions do not count towards it. StrictRoll off is the other reading.
//   - The split. The pieces go "into a region that they occupy that is adjacent".
//     The source does not say that no tower may stand there, only that towers are
//     built from the bottom up; MergeLarge and MergeSmall off demand it.
//   - The attack. A turn has any number of attacks; each battle is a decision.
//
// After the setup, what is forced happens by itself: a phase in which nothing can be
// done is passed over, and so are moves without a choice.
//
// The page docs/games/martian-risk.md has the rules in full, all readings, the
// observation field by field, the actions, the sizes, and what was measured: exact
// solutions of tiny maps, the length of games, learning, and speed.
//
// # Maps
//
// A [Map] is data: regions, borders, unions and a source. The map of the United
// States is folded as the rules have it, so that its seven westernmost states for
// each player show; SmallConfig shows four for each, and has 20 rounds, for learning
// experiments. In a config file a map stands in full, or by name:
//
//	{"map": "us", "players": 4}
//	{"regions_per_player": 0, "map": {"name": "ring", "source": "mine",
//	  "regions": [{"name": "A", "at": [0, 0]}, ...],
//	  "borders": {"A": ["B", "C"], ...}, "unions": [["A", "D"], ...]}}
//
// # A turn
//
// In the notation of this package (see Format), on the small map:
//
//	4-4-4@0 roll start 1 ; CA:1 ID:1 AZ:1 NM:3LMS ; MT:1 ... round 1
//	4-4-4@0 reinforce 2 start 1 ; ...               nm, nm     two armies to New Mexico
//	4-4-4@0 attack start 1 ; ...                    nm>co      a battle for Colorado
//	4-4-4@0 battle NM>CO start 1 ; ...              (won)
//	5-3-4@0 occupy NM>CO start 1 ; ...              move:3     three move in
//	5-3-4@0 attack start 1 ; ...                    end        no more attacks
//	5-3-4@0 fortify start 1 ; ...                   nm/az      the tower is split,
//	5-3-4@0 small AZ start 1 ; ...                  small:ca   its small piece goes on
//	5-3-4@1 roll start 1 ; ...
//
// # Exact parts
//
// A battle has one of seven probabilities. [NewConquest] gives the odds of an
// attack fought to its end and what is left of both sides, [NewStopping] the best
// rule for when to break it off; on the command line
//
//	go run ./cmd/solve -game martian-risk -odds '6 against 4 region 3 enemy 1'
//
// The whole game is solved by its table of positions only where it is tiny, as
// under [TinyConfig].
package martianrisk
