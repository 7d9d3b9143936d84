package marsisours_test

import (
	"strings"
	"testing"
)

// TestSceneTexts: a scene has texts in whole words of what a terminal abbreviates.
func TestSceneTexts(t *testing.T) {
	r := newRules(t, config(2, nil))
	for text, want := range map[string]string{
		"7-2@0 start 1 tokens 5-6 hand 3-2 junk 6-9 passed 1 map ogso/mtmt/sgtm/otso robots oA.o/AB../.A../o..o labs ...... round 2": `
place-c1: place a robot on c1; soda
place-c2: place a robot on c2; metal
place-d2: place a robot on d2; turf
place-a3: place a robot on a3; soda
place-c3: place a robot on c3; turf
place-d3: place a robot on d3; metal
place-b4: place a robot on b4; turf
place-c4: place a robot on c4; soda
place-fair: place a robot in the fair lab; attacks cost 1 token a robot
place-rocket: place a robot in the rocket lab; 4 tokens; drops anywhere
place-converter: place a robot in the converter lab; tokens above 10 are money
place-vacuum: place a robot in the vacuum lab; buy alchemy dice
place-drill: place a robot in the drill lab; roll a missed attack again
place-shield: place a robot in the shield lab; +2 in defence
attack-b2-x1: attack b2 with 1 robot for 2 tokens; seat 1's robot, chance to win this attack 58 %
attack-b2-x2: attack b2 with 2 robots for 4 tokens; seat 1's robot, chance to win this attack 75 %
pass: pass for this round; get a token each turn, may lay robots down`,
		"7-2@0 cash start 0 tokens 5-6 hand 3-2 junk 7-9 tracks 2010-0100 map ogso/mtmt/sgtm/otso robots oa.o/..b./..../o..o labs A..... round 2": `
keep: trade nothing; the levels stay
cash-gem: trade gem; get 3 money
cash-metal: trade metal; get 2 tokens
cash-gem+metal: trade gem, metal; get 3 money, 2 tokens`,
		"7-2@0 cash start 0 tokens 9-6 hand 3-2 junk 7-9 tracks 0010-0100 map ogso/mtmt/sgtm/otso robots oa.o/..b./..../o..o labs A..... round 2": `
keep: trade nothing; the levels stay
cash-metal: trade metal; get 2 tokens; 1 token beyond 10 lost`,
		"7-2@0 cash start 0 tokens 9-6 hand 3-2 junk 7-9 tracks 0010-0100 map ogso/mtmt/sgtm/otso robots oa.o/..b./..../o..o labs ..A... round 2": `
keep: trade nothing; the levels stay
cash-metal: trade metal; get 2 tokens`,
		"7-2@0 cash start 0 tokens 5-6 hand 10-2 junk 1-9 dice 9-2 tracks 0044-0100 map ogso/mtmt/sgtm/otso robots oa.o/..b./..../o..o labs ...... round 2": `
keep: trade nothing; the levels stay
cash-metal: trade metal; get 3 tokens, 1 die
cash-turf: trade turf; get 4 money, 1 robot
cash-metal+turf: trade metal, turf; get 4 money, 3 tokens, 1 die, 1 robot`,
	} {
		s, err := r.Parse(text)
		if err != nil {
			t.Error(err)
			continue
		}
		var got strings.Builder
		for _, a := range r.Legal(nil, s) {
			got.WriteString("\n" + r.ActionName(a) + ": " + r.DescribeAction(s, a).String())
		}
		if got.String() != want {
			t.Errorf("%s:%s\nwant%s", text, got.String(), want)
		}
	}
}
