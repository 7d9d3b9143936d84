package eval_test

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestMistakeLists adds up all mistakes of the list: no list leaves one out, large mistakes are those
// that lose more than a game in a thousand, and mistakes of the same cost stay in the order in which
// the game has them.
func TestMistakeLists(t *testing.T) {
	r := reduced(t, 2)
	all := mistakes(t, r, r.random, 1_000_000)
	times, large, cost := 0.0, 0.0, 0.0
	for _, x := range all.Worst {
		times, cost = times+x.Reach*x.Prob, cost+x.Cost
		if x.Regret > 0.001 {
			large += x.Reach * x.Prob
		}
	}
	near(t, "the number of mistakes", all.Mistakes, times, 1e-9)
	near(t, "the number of large mistakes", all.LargeMistakes, large, 1e-9)
	near(t, "the loss", all.Loss, cost, 1e-9)
	if !(0 < large && large < times) || all.Threshold != 0.001 || all.Method != "exact" || all.Agent != "random" {
		t.Errorf("%d mistakes, %v large of %v: this tests nothing", len(all.Worst), large, times)
	}
	for n := range 4 {
		if few := mistakes(t, r, r.random, n); !slices.Equal(few.Worst, all.Worst[:n]) || !(math.Abs(few.Loss-all.Loss) <= 1e-12) {
			t.Errorf("the %d worst are %+v; want %+v", n, few.Worst, all.Worst[:n])
		}
	}
}

// TestMistakesWithoutLabels: in a game that names no mistakes a kind is the two actions, and there
// are no situations.
func TestMistakesWithoutLabels(t *testing.T) {
	r := newTestGame(t, "martian-risk-tiny", 2, `{"max_rounds": 1}`)
	b := mistakes(t, r, r.random, 3)
	if b.Situations == nil || len(b.Situations) > 0 || len(b.Kinds) == 0 || !(b.Loss > 0) {
		t.Errorf("%+v; want kinds alone", b)
	}
	for _, x := range b.Worst {
		if x.Kind != x.Action+", not "+x.Best || x.Situation != "" {
			t.Errorf("%s instead of %s is of the kind %q, in the situation %q", x.Action, x.Best, x.Kind, x.Situation)
		}
	}
	for _, k := range b.Kinds {
		if !strings.Contains(k.Name, ", not ") {
			t.Errorf("a kind is %q", k.Name)
		}
	}
}
