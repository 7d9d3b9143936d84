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
attack-b2-x1: attack the robot of seat 1 in b2 with 1 robot for 2 tokens; probability to win 58.3 %
attack-b2-x2: attack the robot of seat 1 in b2 with 2 robots for 4 tokens; probability to win 74.5 %`,
		"7-2@0 cash start 0 tokens 5-6 hand 3-2 junk 7-9 tracks 2010-0100 map ogso/mtmt/sgtm/otso robots oa.o/..b./..../o..o labs A..... round 2": `
cash-gem: trade for 3 money; the tracks traded go back to level 0
cash-metal: trade for 2 tokens; the tracks traded go back to level 0
cash-gem+metal: trade for 3 money, 2 tokens; the tracks traded go back to level 0`,
	} {
		s, err := r.Parse(text)
		if err != nil {
			t.Error(err)
			continue
		}
		var got strings.Builder
		for _, o := range r.Scene(s).Options {
			got.WriteString("\n" + r.ActionName(o.Action) + ": " + o.Text)
		}
		if got.String() != want {
			t.Errorf("%s:%s\nwant%s", text, got.String(), want)
		}
	}
}
