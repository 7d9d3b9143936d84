// Package martianrisk is Martian Risk: conquest of a map by battles of two
// four-sided dice a side, with towers of Icehouse pieces.
//
// # The rules in ten lines
//
//  1. Three to six players share a map of about seven regions each.
//  2. In turn each places a tower of a large, a medium and a small piece with an
//     army, then single armies until no region is free, then the rest of ten
//     armies into own regions.
//  3. A turn: reinforce, attack, fortify, each if the player likes.
//  4. To reinforce, a die of four sides and a point for every union (group of
//     regions) held: an army costs a point, a large piece 3, a medium 2, a small
//     1, and towers are built from the bottom up.
//  5. To attack takes two armies beside an enemy's region. In each battle both
//     roll two dice and add the pieces of their tower in that region; the lower
//     total loses an army, a tie the attacker.
//  6. The attacker stops when he likes, or with one army left.
//  7. Who conquers moves in at least one army and leaves one; a tower that
//     stood there goes back to its owner's supply, towers never move along.
//  8. To fortify is to split one tower: all above its large piece goes to an own
//     region beside it, and a small piece may go one further.
//  9. Who has no armies left is out; the last wins.
//  10. Armies are 25 a player, tower pieces five of each size.
//
// Source: Nate Straight, Martian Risk 1.0, 2012, at the Looney Pyramids wiki.
//
// # Variants chosen
//
// What the rules leave open is a field of [Config], marked by where its default
// comes from. Three matter most:
//
//   - The cap. With 25 armies a player nobody can hold the 28 to 42 regions of
//     four to six players. ArmyCap 0 gives four more than there are regions, as
//     25 are for three; 25 is the rule as written, of which [Config.Warning] warns.
//   - The end. No game of careful players ends by conquest (see below), so after
//     MaxRounds rounds the rules here end it, and divide the win by rank: for three
//     players two thirds, a third, nothing.
//   - The attack. A turn has any number of attacks; each battle is a decision.
//
// What is forced happens by itself: a phase in which nothing can be done is
// passed over, and so are moves without a choice.
//
// # Maps
//
// A [Map] is data: regions, borders, unions and a source. The map of the United
// States is folded as the rules have it, so that its seven westernmost states for
// each player show; SmallConfig shows four for each, and 20 rounds, for learning
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
// The whole game is solved by its table of positions only where it is tiny. Values,
// sizes and times, on two cores with other work beside, are printed by
//
//	go run ./cmd/solve -game martian-risk-tiny -cache none -game-config FILE
//
//	FILE                                                 positions   time  memory  who begins wins
//	{}, which is TinyConfig                              2,083,970  3.9 s  1.4 GB      49.948604 %
//	{"max_rounds": 4}                                    4,105,650   10 s  2.8 GB      49.938644 %
//	{"setup_armies": 2, "army_cap": 4, "max_rounds": 5}  2,025,170  4.0 s  1.4 GB      47.580299 %
//	{"trios": 0, "army_cap": 7, "max_rounds": 20}        1,156,587  2.2 s  0.9 GB      63.407166 %
//	a ring of five regions, without towers               1,757,671  3.5 s  1.3 GB      56.635814 %
//
// The ring:
//
//	{"map": {"name": "ring", "source": "mine", "regions": [
//	    {"name": "A", "at": [0, 0]}, {"name": "B", "at": [1, 0]}, {"name": "C", "at": [2, 0]},
//	    {"name": "D", "at": [1, 1]}, {"name": "E", "at": [0, 1]}],
//	  "borders": {"A": ["B", "E"], "C": ["B", "D"], "E": ["D"]}, "unions": [["A", "C"], ["B", "D"]]},
//	 "trios": 0, "army_cap": 7, "max_rounds": 8}
//
// # Long games
//
// What a limit of rounds leaves of the game for three: the games in a hundred that
// end by conquest before it, and how many decisions a game has, when all attack
// wherever conquest is at least so likely, or play at random. "greedy" attacks
// from 0.9 on. Of a thousand games each, by
//
//	go test -run '^$' -bench Length -benchtime 1000x ./env/martianrisk
//
//	                    conquests at rounds       decisions at rounds
//	                    20    50   100   250      20    50   100   250
//	12 regions, 0.0    1.0   7.2  21.4  46.7     409   998  1847  3745
//	            0.3      0     0     0     0     428  1091  2198  5513
//	            0.5      0     0     0     0     444  1129  2275  5714
//	            0.9      0     0     0     0     397   963  1825  3903
//	            random 0.2   0.2   0.2   0.2     240   490   765  1208
//	21 regions, 0.0    0.1   1.4   5.1  21.8     429  1026  1995  4557
//	            0.3      0     0   1.2   7.6     436  1087  2202  5337
//	            0.5      0   0.1   0.1   0.2     475  1163  2276  5507
//	            0.9      0     0     0     0     424  1026  2028  5104
//	            random   0     0     0     0     270   598   997  1366
//
// So a limit is what ends the game, rank is what is played for, and rank rewards
// care: against two that attack from 0.5 on, one that does so from 0.8 on gets
// 0.41 of the win on twelve regions and 0.47 on 21.
//
// # Learning
//
// On the published map the default training wins 58.1 % [57.0, 59.1] with seed 1
// and 43.9 % [42.8, 45.2] with seed 2 of 2,001 games against two greedy players,
// where a third is level; 12 million decisions, 320 to 340 s of a core:
//
//	go run ./cmd/train -game martian-risk -seed 1
//
// Without the odds and ranks in the observation, four million decisions with seed
// 2 win 33.9 %, and with them 47.8 %.
//
// What the limit and the ranking do to learning, on the small map: networks of
// 800,000 decisions of ppo under each, five seeds, all played against two greedy
// ones under the small preset's own config, 20 rounds and linear, where 33.3 is
// level. Mean share of the win in per cent, its standard deviation over the
// seeds, and the least and the most; 20 s of a core each, by
//
//	go test -run '^$' -bench Limits -benchtime 5x -timeout 2h ./cmd/train
//
//	rounds      10                       20                       50
//	linear      43.7 ±  3.8 (39 to 47)   43.5 ± 11.8 (25 to 55)   36.4 ± 8.0 (26 to 45)
//	leader      44.7 ±  8.9 (36 to 58)   46.4 ±  2.7 (44 to 50)   44.9 ± 4.9 (37 to 49)
//
// One seed differs from the next by more than one column or row from another,
// and a mean of five is good to 2 to 5. So neither the limit nor the ranking is
// seen to decide what is learned in that time, though by far fewer games of 50
// rounds than of 10 are played; at most, "leader" is no harder to learn from. The
// "even" ranking pays for conquest alone, which does not happen.
//
// # Cost
//
// Decisions a second of one core, of the game at random with its observations,
// and of training by the default settings over its first 131,072 decisions: it
// scores what each legal action leads to, and plays the fewer games at once the
// larger their observations. A whole run is faster, 36,000 for three on 21 regions.
//
//	go test -run '^$' -bench MartianRisk -cpu 1 ./env
//	go test -run '^$' -bench Sizes -benchtime 1x -cpu 1 ./cmd/train
//
//	players  regions  game       training
//	3        12       2,430,000  41,000
//	3        21       2,040,000  26,000
//	4        28       1,690,000  25,000
//	5        35       1,460,000  19,000
//	6        24       1,440,000  26,000
//	6        42       1,220,000  16,000
package martianrisk
