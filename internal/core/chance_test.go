package core_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/internal/test/testgames"
)

// dealt is a game that begins with cards, dealt one by one: each is one of four.
type dealt struct {
	testgames.March
	cards int
}

func (d dealt) CurrentPlayer(s testgames.Mile) game.Player {
	if s.At < 100 {
		return game.Chance
	}
	return 0
}

func (d dealt) Initial() testgames.Mile { return testgames.Mile{At: uint8(100 - d.cards)} }

func (d dealt) Outcomes(dst []game.Outcome[testgames.Mile], s testgames.Mile) []game.Outcome[testgames.Mile] {
	for range 4 {
		dst = append(dst, game.Outcome[testgames.Mile]{State: testgames.Mile{At: s.At + 1}, Prob: 0.25})
	}
	return dst
}

// TestFollow: outcomes that chance leads to are listed as long as there is room; with dice they
// share the room, and without dice there is either room for all of them or an error.
func TestFollow(t *testing.T) {
	for _, test := range []struct {
		cards, limit int
		dice         bool
		want         int // outcomes; -1 if they do not fit
	}{
		{0, 1, false, 1}, {0, 0, false, -1},
		{4, 256, false, 256}, {5, 1024, false, -1}, // more than four cards are not listed
		{1, 4, false, 4}, {1, 3, false, -1}, {2, 16, false, 16}, {2, 15, false, -1},
		{1, 4, true, 4}, {1, 3, true, 3},
		{2, 16, true, 16}, {2, 15, true, 12}, // 3 samples of each first card
		{3, 64, true, 64}, {3, 63, true, 48}, {3, 16, true, 16}, {3, 5, true, 4},
		{5, 1024, true, 1024}, // the fifth card is sampled
	} {
		rules := core.New[testgames.Mile](dealt{testgames.March{Length: 120}, test.cards})
		chance := core.Chance[testgames.Mile]{Rules: &rules}
		var dice *rand.PCG
		if test.dice {
			dice = rand.NewPCG(1, 0)
		}
		before := []game.Outcome[testgames.Mile]{{Prob: 2}, {Prob: 3}}
		got, ok := chance.Follow(before, rules.Initial(), test.limit, dice)
		if len(got) < 2 || got[0].Prob != 2 || got[1].Prob != 3 {
			t.Errorf("%+v: the list before has changed", test)
		}
		got = got[min(2, len(got)):]
		if ok != (test.want >= 0) || ok && len(got) != test.want {
			t.Errorf("%+v: %d outcomes, %v", test, len(got), ok)
		}
		sum := 0.0
		for _, o := range got {
			sum += o.Prob
			if o.State.At != 100 {
				t.Errorf("%+v: outcome %v is no decision", test, o.State)
			}
		}
		if ok && !(math.Abs(sum-1) <= 1e-12) {
			t.Errorf("%+v: the probabilities sum to %v", test, sum)
		}
	}
}
