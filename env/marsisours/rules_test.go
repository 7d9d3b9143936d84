package marsisours_test

import (
	"math"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/env/marsisours"
)

// TestRules tests the sentences of the Chinese rules one by one. Some lines change the
// config to a reading that the default does not follow.
func TestRules(t *testing.T) {
	for _, test := range []struct {
		rule     string
		players  int
		change   func(*marsisours.Config)
		from, do string
		want     string
	}{
		{`3 "移動最多三格", "不能走斜角" (at most three cells, no diagonal): from c3 round a corner`, 3, nil,
			"", "legal place-d3 place-e4 place-d4 place-d5 place-c6; illegal place-e5 place-e6 (the cell is not within three steps); place-e4", "A:e4 hand 2-3-3 @1"},
		{`3 the next cell of a diagonal is two steps away: with the way barred it is out of reach`, 3, nil,
			"B:d3,c4", "illegal place-d4 (the cell is not within three steps)", ""},
		{`4 "穿過自己的機器人" (through one's own robots)`, 3, nil,
			"A:d3,c4 B:e3,e4,c5,d5", "legal place-d4", ""},
		{`4 "不能穿過其他玩家的機器人" (not through those of others)`, 3, nil,
			"B:d3,c4,g3,h4 C:d8,c7,g8,h7", "illegal place-e3 place-d4 place-e4 place-c5 (the cell is not within three steps)", ""},
		{`5 "停在太空站", "停在任何有機器人的格子上(包括自己的)" (not on a station, nor any robot)`, 3, nil,
			"A:d3 B:c4", "illegal place-d3 place-c4 (a robot is there)", ""},
		{`6 "站著或躺著的機器人皆可" (a robot that stands or lies), "斜角不算" (no diagonal)`, 3, nil,
			"a:e5", "legal place-e6 place-f5; illegal place-f6 (the cell is not within three steps); place-e6", "A:e6 a:e5"},
		{`7 "”空的”即為沒有任何機器人" (empty is without any robot), and attacks are on those of others`, 3, nil,
			"A:drill B:fair", "illegal place-drill place-fair (a robot is there); illegal attack-drill (no robot of another seat is there); legal attack-fair place-rocket", ""},
		{`8 "玩家將機器人部署或空降亦或者是進實驗室,則不能在這個階段進行攻擊" (who places does not attack)`, 3, nil,
			"A:d3 B:e3", "legal attack-e3-x1; place-d4", "@1"},
		{`9 "必需至少有一架機器人在手上" (at least one robot in hand)`, 3, nil,
			"A:d3 B:e3,fair hand 0-3-3", "illegal attack-e3-x1 attack-fair place-d4 place-drill (there is no robot in hand); legal pass", ""},
		{`10 "三架…支付6枚" (three pay 6)`, 3, nil,
			"A:e3,d4,e5 B:e4 tokens 7-5-5", "attack-e4-x3", "@0 tokens 1-5-5 attack e4"},
		{`10 with the fair lab "攻擊方有三架…只需支付3枚" (three pay 3)`, 3, nil,
			"A:e3,d4,e5,fair B:e4", "attack-e4-x3", "tokens 2-5-5"},
		{`10 "必須要有足夠的火星標記" (enough tokens)`, 3, nil,
			"A:e3,d4,e5 B:e4,fair tokens 1-5-5", "illegal attack-e4-x1 attack-fair (there are too few tokens)", ""},
		{`10 "玩家不一定要用所有機器人進行攻擊" (not all need to attack)`, 3, nil,
			"A:e3,d4,e5 B:e4", "legal attack-e4-x1 attack-e4-x2; illegal attack-e4-x3 attack-e4-x4 (there are too few tokens)", ""},
		{`"你不能對斜角一格處進行攻擊" (no diagonal attack), nor one's own robot`, 3, nil,
			"A:d3,d4 B:e5", "illegal attack-e5-x1 (there are too few own robots beside it); illegal attack-d4-x1 (no robot of another seat is there)", ""},
		{`11 "只會保留骰數最高的骰子" (only the highest die is kept)`, 3, nil,
			"@0 A:e3,d4,e5 B:e4 attack e4 x3", "rolls 1,2,6/5", "A:e4"},
		{`12 "大於等於…攻擊方…得勝利" (the attacker wins when greater or equal)`, 3, nil,
			"A:e3 B:e4 attack e4 x1", "rolls 4/4", "A:e4"},
		{`13 "攻擊方4 Vs 防禦方2": the robot goes back to the hand, 2 tokens, a robot from the junkyard stands`, 3, nil,
			"A:e3 b:e4 attack e4 x1", "rolls 4/2", "A:e4 hand 3-4-3 junk 7-8-9 tokens 5-7-5 @1"},
		{`14 "將手上的一架機器人放進廢棄物存放場(不是火星版圖上的…)" (from the hand to the junkyard)`, 3, nil,
			"A:e3 B:e4", "attack-e4-x1; rolls 1/5", "A:e3 B:e4 hand 2-3-3 junk 9-8-9 tokens 3-5-5 @1"},
		{`15 "如果廢棄物存放場沒有…則改從手上放置" (else from the hand)`, 3, nil,
			"A:e3,d3,d4,d5,d6,d7,e7,fair,drill B:e4 hand 3-3-3 attack e4 x1", "rolls 6/1", "A:e4 hand 2-4-3 junk 0-8-9"},
		{`15 the other reading: from the hand first`, 3, func(c *marsisours.Config) { c.CaptureFromHand = true },
			"A:e3 B:e4 attack e4 x1", "rolls 6/1", "A:e4 hand 2-4-3 junk 8-8-9"},
		{`16 "經+2調整值之後為5…補助防禦方3枚" (5 after the +2; pays 3)`, 3, nil,
			"A:e3 B:e4,shield attack e4 x1", "rolls 6/3", "A:e4 tokens 5-8-5"},
		{`16 the shield holds against less`, 3, nil,
			"A:e3 B:e4,shield attack e4 x1", "rolls 4/3", "B:e4 tokens 5-5-5"},
		{`17 "最高防禦數也只會在6" (the highest defence is 6): a 5`, 3, nil,
			"A:e3 B:e4,shield attack e4 x1", "rolls 6/5", "A:e4 tokens 5-10-5"},
		{`17 "當你擲骰到6時,你一定不會輸" (with a 6 you never lose)`, 3, nil,
			"A:e3 B:e4,shield attack e4 x1", "rolls 6/6", "A:e4"},
		{`18 "任何多餘的數量將會失去" (what is above is lost)`, 3, nil,
			"A:e3 B:e4 tokens 5-9-5 attack e4 x1", "rolls 6/4", "tokens 5-10-5 money 0-0-0"},
		{`18 with the converter "每多出1枚則換1枚太空貨幣" (each is one money)`, 3, nil,
			"A:e3 B:e4,converter tokens 5-9-5 attack e4 x1", "rolls 6/4", "tokens 5-10-5 money 0-3-0"},
		{`19 "防禦方會被踢出來失去實驗[室]能力之後才會進行補助" (kicked out of the lab before being paid)`, 3, nil,
			"B:converter tokens 5-9-5 attack converter x1", "rolls 6/5", "A:converter tokens 5-10-5 money 0-0-0"},
		{`20 "在實驗室裡戰鬥也只會1對1" (in labs one fights one)`, 3, nil,
			"A:e3,d4,e5 B:drill", "attack-drill; rolls 3/3", "A:drill tokens 3-8-5"},
		{`20 "不用擔心位置的問題" (no matter where): with no robot on the map`, 3, nil,
			"B:drill", "legal attack-drill", ""},
		{`21 "躺下的機器人也可以像站著的機器人一樣…攻擊" (lying robots attack)`, 3, nil,
			"a:e3,d4 B:e4", "legal attack-e4-x2", ""},
		{`22 pass: "得到1枚火星標記" and lay one robot down, anybody's`, 3, nil,
			"A:e3 B:e4,drill", "pass; legal down-e3 down-e4 down-drill; illegal down-e5 (no robot stands there); illegal pass (it is time to lay a robot down); down-drill", "b:drill tokens 6-5-5 passed 0 @1"},
		{`22 "玩家會有特殊的動作可以使用" (a seat that has passed has a special action), again and again`, 3, nil,
			"A:e3 B:e4,drill passed 0,1 @2", "place-d3; down-d3; down-e4; place-d4", "tokens 7-6-5 c:d3 b:e4 A:e3 passed 0,1 @0 down"},
		{`22 the other reading: no bonus on the pass, or none later`, 3, func(c *marsisours.Config) { c.PassBonusOnPass, c.PassBonusRepeats = false, false },
			"B:e4", "pass; place-d3; place-d4", "tokens 5-5-5 passed 0 @1"},
		{`22 "你可以執行2個動作" (you may perform 2 actions): the token only`, 3, nil,
			"B:e4", "pass; down-none", "B:e4 tokens 6-5-5 passed 0 @1"},
		{`22 "你可以執行2個動作", on later turns too`, 3, nil,
			"B:e4 passed 0,1 @2", "place-d3; down-none; down-e4; place-d4", "b:e4 C:d3,d4 tokens 7-6-5 passed 0,1 @0 down"},
		{`22 the other reading: a robot that stands must be laid down`, 3, func(c *marsisours.Config) { c.LaydownOptional = false },
			"B:e4", "pass; legal down-e4; down-e4", "b:e4 tokens 6-5-5 @1"},
		{`23 "如果…沒有站立著的機器人則跳過此步驟" (skipped where none stands)`, 3, nil,
			"a:e3", "pass", "tokens 6-5-5 @1 no down"},
		{`24 "你也不能在這階段做任何動作了" (nothing more in this phase): a robot comes back to who has passed`, 3, nil,
			"A:e3 B:e4 passed 1 hand 3-0-3 attack e4 x1", "rolls 6/1; down-e3", "hand 3-1-3 passed 1 @2"},
		{`24 "剩下在手上的機器人可以在之後的回合使用" (what is in hand is for later rounds)`, 2, nil,
			"hand 3-1 round 1", "pass; pass; start-self", "hand 5-3 junk 7-9 round 2"},
		{`25 "躺著的機器人丟到廢棄物存放場…站著的機器人需改為躺著" (lying to the junkyard, standing ones lie)`, 2, nil,
			"A:b2 a:c2 B:b3 round 1 hand 0-0 passed 0 @1", "pass; down-b3; keep; keep; start-self", "a:b2 .:c2 .:b3 round 2 hand 2-2 junk 9-10"},
		{`25 the labs are no part of "火星版圖" (the map)`, 2, nil,
			"A:drill b:fair round 1 passed 0 @1", "pass; down-drill; start-self", "a:drill b:fair"},
		{`25 the other reading: the labs too`, 2, func(c *marsisours.Config) { c.MaintenanceLabs = true },
			"A:drill,rocket b:fair round 1 passed 0 @1", "pass; down-drill; start-self", ".:drill .:fair a:rocket"},
		{`26 "拾取剩下的機器人,或者不拾取" (the rest, or none)`, 2, nil,
			"hand 11-12 round 1", "pass; pass; start-self", "hand 12-12 junk 0-0 round 2"},
		{`34 "空降在火星版圖中任何空格上" (dropped on any empty cell of the map): no station`, 3, nil,
			"A:rocket B:d3,c4", "legal place-e5 place-d4 place-a5 place-f10; illegal place-d3 (a robot is there)", ""},
		{`34 "立即獲得4枚火星標記" (4 tokens at once)`, 3, nil,
			"tokens 8-5-5", "place-rocket", "tokens 10-5-5 A:rocket"},
		{`34 a conqueror enters too`, 3, nil,
			"B:rocket attack rocket x1", "rolls 6/1", "tokens 9-6-5"},
		{`34 the other reading: he does not`, 3, func(c *marsisours.Config) { c.RocketBonusOnCapture = false },
			"B:rocket attack rocket x1", "rolls 6/1", "tokens 5-6-5"},
		{`"可以重擲一次骰" (may roll once again), the attacker's dice`, 3, nil,
			"A:e3,drill B:e4 attack e4 x1", "rolls 1/4; reroll; rolls 4/4", "A:e4 tokens 5-9-5"},
		{`"可以重擲一次骰": once`, 3, nil,
			"A:e3,drill B:e4 attack e4 x1", "rolls 1/4; reroll; rolls 3/4", "B:e4 hand 2-3-3 @1"},
		{`"可以" (may): or leave it`, 3, nil,
			"A:e3,drill B:e4 attack e4 x1", "rolls 1/4; accept", "B:e4 hand 2-3-3 @1"},
		{`the other reading of "(全部的骰子)" (all dice): the defender's too`, 3, func(c *marsisours.Config) { c.DrillRerollsDefender = true },
			"A:e3,drill B:e4 attack e4 x1", "rolls 1/4; reroll; rolls 2/2", "A:e4 tokens 5-7-5"},
		{`the other reading: lying robots in labs have no power`, 3, func(c *marsisours.Config) { c.LyingLabActive = false },
			"A:e3 b:e4,shield attack e4 x1", "rolls 4/3", "A:e4"},
		{`"各實驗室的特殊能力依然會發動" (the labs work in fights for labs)`, 3, nil,
			"A:fair B:shield", "attack-shield; rolls 5/3", "A:shield tokens 4-8-5"},
		{`the other reading: stations bar the way`, 3, func(c *marsisours.Config) { c.ThroughStations = false },
			"B:e3,d4,c5", "legal place-d3 place-c4", ""},
		{`the other reading: at least three steps`, 3, func(c *marsisours.Config) { c.MinMove = 3 },
			"", "legal place-d3 place-e4 place-e3; illegal place-d4 (the cell is not within three steps)", ""},
		{`the other reading: who has no robot passes`, 3, func(c *marsisours.Config) { c.AutoPass = true },
			"hand 3-0-3", "place-d3", "A:d3 passed 1 tokens 5-6-5 @1 down"},

		// Production, in round 2 as all have passed and no robot stands.
		{`27 counts 3, 2, 1, 0: "提升…2格…提升該種類1格" (two up, one up)`, 4, nil,
			"a:e1,e3,g3 b:a5,c5 c:g5 passed 1,2,3", "pass", "tracks 2000-1000-0000-0000"},
		{`27 counts 3, 3, 2: "一樣最多…提升1格…第2多的玩家則忽略" (equal firsts, one up; the second is passed over)`, 3, nil,
			"a:e1,e3,g3 b:a5,c5,g5 c:c7,e7 passed 1,2", "pass", "tracks 1000-1000-0000"},
		{`27 counts 3, 2, 2: "佔領最多的那位玩家提升…2格,其餘…忽略不計" (the first two up, the others nothing)`, 3, nil,
			"a:e1,e3,g3 b:a5,c5 c:g5,c7 passed 1,2", "pass", "tracks 2000-0000-0000"},
		{`27 counts 2, 0, 0`, 3, nil,
			"a:f1,d3 passed 1,2", "pass", "tracks 0200-0000-0000"},
		{`27 lying robots in labs hold no ground; a track ends at its last level`, 3, nil,
			"a:fair b:e2 tracks 0000-0005-0000 passed 1,2", "pass", "tracks 0000-0006-0000"},
		{`27 "關於火星石在這階段忽略不計" (the stone is nothing here)`, 3, nil,
			"a:e5 passed 1,2", "pass", "no tracks money 5-0-0"},
		{`27 the other reading: lying robots do not count`, 3, func(c *marsisours.Config) { c.LyingCounts = false },
			"a:e1,e5 tokens 1-1-1 passed 1,2", "pass", "tokens 2-1-1 money 0-0-0"},
		{`28 "佔領區域的種類數量" (the number of kinds): soda, soda, gem, stone make 3, and 1 for the pass`, 3, nil,
			"a:f1,d3,e1,e5 tokens 1-1-1 passed 1,2", "pass", "tokens 5-1-1"},
		{`28 the other reading: the stone is no kind`, 3, func(c *marsisours.Config) { c.IncomeCountsStone = false },
			"a:f1,d3,e1,e5 tokens 1-1-1 passed 1,2", "pass", "tokens 4-1-1"},
		{`29 "每佔領一塊火星石會得到5枚太空貨幣" (5 for each stone): two`, 3, nil,
			"a:e5,f6 passed 1,2", "pass", "money 10-0-0"},

		// Income, from the trade on.
		{`30 "不需計算躺著的機器人", "則用太空貨幣支付" (lying ones do not count; money when tokens run out)`, 3, nil,
			"cash A:e1,e3,g3,fair a:a5,c5 tracks 1000-0000-0000 tokens 3-5-5 money 9-0-0", "keep", "tokens 0-5-5 money 8-0-0 name"},
		{`30 "最低太空貨幣量只會停在0" (money stops at 0)`, 3, nil,
			"cash A:e1,e3,g3,fair,drill,rocket tracks 1000-0000-0000 tokens 3-5-5 money 1-0-0", "keep", "tokens 0-5-5 money 0-0-0"},
		{`30 "如果平手,則沒有玩家需支付" (nobody pays on a tie)`, 3, nil,
			"cash A:e1 B:e3 tracks 1000-0000-0000 money 7-7-0", "keep", "tokens 5-5-5 money 7-7-0"},
		{`30 the other reading: the tax comes first`, 3, func(c *marsisours.Config) { c.TaxFirst = true },
			"A:e1,d3 b:fair passed 1,2 tokens 0-5-5 money 4-0-0", "pass; down-d3", "money 4-0-0 tokens 2-5-5"},
		{`"可以自由選擇是否要全部種類換取或部分種類換取" (all or some)`, 3, nil,
			"cash tracks 2301-0000-0000 tokens 5-5-5", "legal keep cash-gem cash-gem+soda+turf; illegal cash-metal cash-gem+metal (the seat has none of that product); cash-gem+soda", "tracks 0001-0000-0000 money 10-0-0"},
		{`"由起始玩家開始順時針依序執行" (from the starter clockwise), who has something`, 4, nil,
			"@2 cash start 2 tracks 1000-1000-1000-0000", "keep; keep", "@1 cash"},
		{`31 "拿取剩下的火星煉金骰。不足的部份不會補上" (the dice that are left)`, 3, nil,
			"cash tracks 0040-0000-0000 dice 0-11-0", "cash-metal", "dice 1-11-0 tokens 8-5-5"},
		{`"如果沒有足夠的機器人在廢棄物存放場,則拿取全部" (all robots of the junkyard)`, 3, nil,
			"cash tracks 0006-0000-0000 hand 10-3-3", "cash-turf", "hand 12-3-3 junk 0-9-9 money 6-0-0"},
		{`32 "玩家如果不想換取也是可以的" (one may keep)`, 3, nil,
			"cash round 1 tracks 3000-0000-0000", "keep; start-self", "round 2 tracks 3000-0000-0000"},
		{`32 "放回到最下面" (back to the bottom)`, 3, nil,
			"cash tracks 6000-0000-0000", "cash-gem", "no tracks money 21-0-0"},
		{`33 "購買一枚火星煉金骰需花費3枚火星標記" (3 tokens a die): 7 tokens, 5 dice left`, 3, nil,
			"@0 buy A:vacuum tokens 7-5-5 dice 0-7-0", "legal buy-0 buy-1; illegal buy-3 (there are too few tokens or dice); buy-2", "tokens 1-5-5 dice 2-7-0 name"},
		{`33 "售完為止" (while there are some)`, 3, nil,
			"@0 buy A:vacuum tokens 9-5-5 dice 0-11-0", "illegal buy-2 (there are too few tokens or dice); buy-1", "dice 1-11-0"},
		{`33 who cannot buy is not asked`, 3, nil,
			"@0 cash A:vacuum tracks 1000-0000-0000 tokens 2-5-5 money 1-2-0", "keep", "name no buy"},
		{`"必需決定下一回合的起始玩家(你也可以選擇自己)" (names the next starter, or oneself)`, 3, nil,
			"@1 name start 1 hand 0-0-0", "start-next2", "@0 start 0 round 3"},
		{`"並將起始玩家標示物交給那位玩家": clockwise from the starter`, 3, nil,
			"@1 name start 1 hand 0-0-0", "start-self", "@1 start 1 round 3"},
		{`the other reading: the leader names the starter`, 3, func(c *marsisours.Config) { c.StartBy = marsisours.ByLeader },
			"@0 cash tracks 1000-0000-0000 money 1-2-0", "keep", "@1 name start 0"},
		{`the other reading: of several leaders none, so the starter`, 3, func(c *marsisours.Config) { c.StartBy = marsisours.ByLeader },
			"@0 cash tracks 1000-0000-0000 money 1-2-2", "keep", "@0 name start 0"},
		{`the other reading: supply before maintenance`, 3, func(c *marsisours.Config) { c.SupplyFirst = true },
			"@0 name a:e1 hand 11-0-0", "start-self", "hand 11-2-2 junk 1-10-10"},
		{`35 "最後一回合的時候會跳過此步驟" (no naming in the last round); "每一枚火星標記得1枚…手上每有一架機器人可得1枚" and the dice`, 3, nil,
			"@0 cash round 3 tracks 1000-0000-0000 tokens 4-0-0 hand 3-0-0 dice 2-0-0 money 0-5-0", "keep; die 2; die 6", "over money 15-5-0 no name"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			r := newRules(t, config(test.players, test.change))
			s := do(t, r, position(t, r, test.from), test.do)
			expect(t, r, s, test.want)
		})
	}
}

// TestFast tests the sentences of the quick game one by one.
func TestFast(t *testing.T) {
	for _, test := range []struct {
		rule           string
		change         func(*marsisours.Config)
		from, do, want string
	}{
		{`"雙方玩家各將2架機器人放置在廢棄物存放場…以及4架機器人放置在手邊" (2 in the junkyard, 4 in hand)`, nil,
			"hand 4-4", "place-b1", "hand 3-4 junk 2-2 @1 A:b1"},
		{`"不能去實驗室": no labs; "攻擊不需花費火星標記" (attacks are free)`, nil,
			"A:b1 B:c1 hand 3-3", "legal attack-c1-x1; attack-c1-x1; rolls 3/3", "A:c1 hand 3-4 junk 1-2 @1"},
		{`"1架機器人以上一起進行攻擊仍然有效" (several may attack)`, nil,
			"A:b1,b2,c3 B:c2 hand 1-3", "legal attack-c2-x1 attack-c2-x2; illegal attack-c2-x3 (there are too few own robots beside it); attack-c2-x2; rolls 1,5/5", "A:c2"},
		{`"機器人將會從攻擊者手上移出遊戲" (a robot of the attacker's hand leaves the game)`, nil,
			"A:b1 B:c1 hand 3-3", "attack-c1-x1; rolls 3/4", "A:b1 B:c1 hand 2-3 junk 2-2 @1"},
		{`a win from the hand when the junkyard is empty`, nil,
			"A:b1 B:c1 hand 3-3 junk 0-2", "attack-c1-x1; rolls 4/4", "A:c1 hand 2-4 junk 0-2"},
		{`a pass gives nothing and lays nobody down; who has passed is passed over`, nil,
			"A:b1 B:c1 hand 3-3", "pass; place-c2; place-d2", "passed 0 @1 A:b1 B:d2"},
		{`the other reading of "你可以執行2個動作": there is still nobody to lay down`, func(c *marsisours.Config) { c.LaydownOptional = false },
			"A:b1 B:c1 hand 3-3", "pass; place-c2", "passed 0 @1 A:b1 B:c2"},
		{`"當雙方玩家的指揮官呈現躺著的狀態遊戲立即結束" (ends when both have passed)`, nil,
			"A:b1 B:c1 hand 3-3", "pass; pass", "over"},
		{`"無法再派出機器人或者無法再攻擊" (ends when nobody can place or attack)`, nil,
			"A:b1 B:c1 hand 1-0 junk 2-2", "place-b2", "over"},
		{`but not while one can`, nil,
			"A:b1 B:c1 hand 1-1 junk 2-2", "place-b2", "@1"},
		{`who cannot act while the other can must pass`, nil,
			"A:b1 B:c1 hand 2-0 junk 2-2", "place-b2; illegal place-c2 (there is no robot in hand); pass", "@0 passed 1"},
		{`the other reading: who cannot act passes by itself`, func(c *marsisours.Config) { c.AutoPass = true },
			"A:b1 B:c1 hand 2-0 junk 2-2", "place-b2", "@0 passed 1"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			c := marsisours.FastConfig()
			if test.change != nil {
				test.change(&c)
			}
			r := newRules(t, c)
			expect(t, r, do(t, r, position(t, r, test.from), test.do), test.want)
		})
	}
}

func lastHasFour(c *marsisours.Config) { c.LastHasFour = true }

// TestStart tests the tokens and robots at the start, and the first mover.
func TestStart(t *testing.T) {
	for _, test := range []struct {
		rule    string
		players int
		change  func(*marsisours.Config)
		want    string
	}{
		{`1 "起始玩家放在”7”的位置,第二位玩家放在”6”…" (the starter 7, the second 6, 5 and 4), money 0`, 4, nil, "tokens 5-4-7-6 money 0-0-0-0 no tracks @2 start 2"},
		{`2 "取走…3架機器人", "拾取自己顏色的兩架機器人" (3 robots, and 2 of the supply)`, 4, nil, "hand 5-5-5-5 junk 7-7-7-7 round 1"},
		{`1 for three "第三位玩家放在”5”" (the third 5)`, 3, nil, "tokens 6-5-7 @2"},
		{`1 for two "第二位玩家放在”6”" (the second 6)`, 2, nil, "tokens 6-7 @1"},
		{`1 the other reading of "最後一位放置在”4”" (the last 4), for three`, 3, lastHasFour, "tokens 6-4-7 @2"},
		{`1 the other reading, for two`, 2, lastHasFour, "tokens 4-7 @1"},
		{`1 the other reading, for four`, 4, lastHasFour, "tokens 5-4-7-6 @2"},
	} {
		r := newRules(t, config(test.players, test.change))
		ground, starter := ground13, 2
		if test.players == 2 {
			ground, starter = ground4, 1
		}
		drawing := parse(t, r, "0-0-0-0"[:2*test.players-1]+" drawing map "+ground)
		expect(t, r, r.StartGame(drawing, starter), test.want)
	}
}

// TestGround tests the terrain of the map for two players: drawn, or fixed by the
// config.
func TestGround(t *testing.T) {
	for _, test := range []struct {
		rule    string
		terrain []string
		want    string
	}{
		{`1' "將圖2所示的四塊地形板塊取出放置在桌上" (take out the four tiles of figure 2, lay them on the table): four, drawn without the figure`,
			nil, "0-0 laying map ????/????/????/????"},
		{`1' "排列方式需一致" (in the same arrangement): fixed`,
			[]string{"gsgs", "tmtm", "mtgs", "gstm"}, "0-0 drawing map osgo/tmtm/mtgs/osto"},
		{`"所謂”空格”即為沒有太空站和機器人在該格上" (an empty cell has neither station nor robot): what lies under stations is nothing`,
			[]string{"msgt", "tmtm", "mtgs", "ssts"}, "0-0 drawing map osgo/tmtm/mtgs/osto"},
	} {
		c := newRules(t, config(2, nil)).Spec().Config.(marsisours.Config)
		data := *c.Data
		four := data.Layouts[marsisours.Four]
		four.Terrain = test.terrain
		data.Layouts = map[marsisours.Layout]marsisours.Map{marsisours.Four: four}
		c.Data = &data
		r := newRules(t, c)
		if got := r.Initial(); got != parse(t, r, test.want) {
			t.Errorf("%s: it starts with %s, %+v; want %s", test.rule, r.Format(got), got, test.want)
		}
	}
}

// TestStationGround: "將4個黑色太空站圓片放在指定位置" (the stations are laid on the
// cells appointed) after the tiles, so that they may hide more of one kind.
func TestStationGround(t *testing.T) {
	for players, want := range map[int][2]int{2: {0, 4}, 3: {8, 12}} {
		r := newRules(t, config(players, nil))
		for most, want := range want {
			s := r.Initial()
			sodas := func(s marsisours.State) int { return ones(s.Terrain[0] &^ s.Terrain[1] & r.Standable()) }
			for s.Phase == marsisours.Laying {
				s = slices.MaxFunc(r.Outcomes(nil, s), func(a, b game.Outcome[marsisours.State]) int {
					return (sodas(a.State) - sodas(b.State)) * (2*most - 1)
				}).State
			}
			if got := sodas(s); got != want {
				t.Errorf("for %d players %d cells of soda are in play, want %d", players, got, want)
			}
		}
	}
}

// TestReturns tests the winners and the returns of a shared win.
func TestReturns(t *testing.T) {
	fast := marsisours.FastConfig()
	all, hand := fast, fast
	all.FastCount, hand.FastCount = marsisours.CountAll, marsisours.CountMapAndHand
	third := -1. / 3
	for _, test := range []struct {
		rule string
		cfg  marsisours.Config
		from string
		want []float64
	}{
		{`"持有最多太空貨幣的玩家贏得" (most money wins)`, config(3, nil), "over round 3 money 4-9-2", []float64{-0.5, 1, -0.5}},
		{`36 "分數相同時…可以一起平手獲勝" (equal scores win together)`, config(4, nil), "over round 3 money 9-9-2-0", []float64{-third, -third, third, third}},
		{`36 all equal`, config(2, nil), "over round 3 money 9-9", []float64{0, 0}},
		{`37 "持有最多機器人的玩家獲勝" (most robots win)`, fast, "over A:b1 B:c1,c2 hand 3-0 start 0 junk 2-2", []float64{-1, 1}},
		{`37 "如果雙方平手,起始玩家則為獲勝者" (the starter wins a tie)`, fast, "over A:b1 B:c1 start 1", []float64{-1, 1}},
		{`37 the other reading of "持有" (holds): robots in hand count too, those in the junkyard do not`, hand, "over A:b1 B:c1,c2 hand 1-1 junk 2-0", []float64{-1, 1}},
		{`37 the same reading`, hand, "over A:b1 B:c1,c2 hand 2-0 junk 0-2", []float64{1, -1}},
		{`the other reading: all robots count`, all, "over A:b1 B:c1,c2 hand 4-0 junk 0-0", []float64{1, -1}},
		{`nothing before the end`, config(2, nil), "@0 money 9-1", []float64{0, 0}},
	} {
		r := newRules(t, test.cfg)
		got := r.Returns(nil, position(t, r, test.from))
		for p, want := range test.want {
			if !(math.Abs(got[p]-want) <= 1e-12) {
				t.Errorf("%s: got %v, want %v", test.rule, got, test.want)
				break
			}
		}
	}
}
