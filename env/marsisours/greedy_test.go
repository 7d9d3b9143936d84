package marsisours_test

import (
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/env/marsisours"
)

// greedyAction returns the action of greedy.
func greedyAction(t *testing.T, r *marsisours.Rules, s marsisours.State) string {
	t.Helper()
	greedy, err := r.Bot("greedy")
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, r.Spec().Actions)
	if err := greedy.Probs(row, []marsisours.State{s}); err != nil {
		t.Fatal(err)
	}
	return r.ActionName(game.Action(slices.Index(row, 1)))
}

// TestGreedyEnds checks greedy at the end of a round or of the game, where what it
// does not use is lost.
func TestGreedyEnds(t *testing.T) {
	for _, test := range []struct {
		rule, from, want string
	}{
		{`"最後一回合" (the last round): no trade follows. The 4 tokens are lost, "超過可以存放的數量時將會立即失去" (what cannot be kept is lost), the 2 dice are not`,
			"@0 cash start 2 round 3 B:converter,vacuum tracks 2050-0102-0000 tokens 10-10-7 money 27-30-36 dice 0-0-6", "cash-gem+metal"},
		{`the same before the last round: they can be traded later`,
			"@0 cash start 2 round 2 B:converter tracks 2050-0102-0000 tokens 10-10-7 money 27-30-36 dice 0-0-6", "cash-gem"},
		{`"如果火星煉金骰沒有多餘的庫存,則拿取剩下的" (the dice that are left): a track cannot pay more of them`,
			"@0 cash round 2 tracks 0050-1000-0000 tokens 5-5-5 dice 0-12-0", "cash-metal"},
		{`"最多太空貨幣的玩家需支付" (who has most money pays): 2 money would cost 5 tokens`,
			"@0 cash round 3 A:e1,e3,g3,d3,h4 tracks 0100-1000-0000 money 7-7-0", "keep"},
		{`the same before the last round`,
			"@0 cash round 2 A:e1,e3,g3,d3,h4 tracks 0100-1000-0000 money 7-7-0", "keep"},
		{`"玩家如果不想換取也是可以的" (one may keep): so the tax is no reason not to hold ground`,
			"@0 round 2 A:fair,vacuum,drill,shield tokens 10-5-5 hand 1-0-0 money 7-7-0 passed 1,2", "place-d3"},
		{`"不需計算躺著的機器人" (lying robots are not taxed): the leader lays its own down`,
			"@0 down round 3 A:e5 B:e1 b:fair c:drill tracks 1000-0000-0000 money 20-0-0 passed 0,1,2", "down-e5"},
		{`"你可以執行2個動作" (may): none where all that stand are one's own, and stay for another round`,
			"@0 down round 1 A:e1,g3 b:e3,d3 money 0-5-0 passed 0", "down-none"},
		{`"購買一枚火星煉金骰需花費3枚火星標記" (3 tokens a die): 3 dice for 9 tokens are better than the last robot in hand`,
			"@0 round 3 b:d3,c4,g3,h4,fair,rocket,converter,shield c:c7,d8,g8,h7,drill tokens 10-10-10 hand 1-0-0 money 0-0-50 passed 1,2", "place-vacuum"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			r := newRules(t, config(3, nil))
			if got := greedyAction(t, r, position(t, r, test.from)); got != test.want {
				t.Errorf("greedy plays %s, want %s", got, test.want)
			}
		})
	}
}

// TestGreedyFastEnds is TestGreedyEnds of the quick game; the actions wanted are best
// by the exact solution.
func TestGreedyFastEnds(t *testing.T) {
	r := newRules(t, marsisours.FastConfig())
	for _, test := range []struct {
		rule, from, want string
	}{
		{`"無法再派出機器人或者無法再攻擊…立即結束" (ends at once when nobody can place or attack): the last robot wins 5 to 4; an attack may fail`,
			"4-4@1 start 0 hand 0-1 junk 2-1 robots o.Bo/.AAB/ABA./oB.o", "place-b1"},
		{`"你也不能在這階段做任何動作了" (nothing more in this phase): who has passed is not feared for its hand, and only an attack can still win`,
			"2-1@1 start 0 hand 3-1 junk 1-2 passed 0 robots oAAo/.B../..../o..o", "attack-b1-x1"},
	} {
		if got := greedyAction(t, r, parse(t, r, test.from)); got != test.want {
			t.Errorf("%s: greedy plays %s, want %s", test.rule, got, test.want)
		}
	}
}
