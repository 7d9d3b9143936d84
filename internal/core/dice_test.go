package core_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/env/pig"
	"marsgym/internal/core"
	"marsgym/internal/test/dice"
	"marsgym/internal/test/testgames"
)

func TestPrevious(t *testing.T) {
	for _, test := range []struct {
		who     game.Player
		players int
		want    game.Player
	}{{0, 2, 1}, {1, 2, 0}, {0, 3, 2}, {1, 3, 0}, {2, 3, 1}, {0, 1, 0}} {
		if got := core.Previous(test.who, test.players); got != test.want {
			t.Errorf("before seat %d of %d: seat %d; want %d", test.who, test.players, got, test.want)
		}
	}
}

func TestUniform(t *testing.T) {
	const draws = 10_000
	r := rand.NewPCG(1, 0)
	sum := 0.0
	for range draws {
		u := core.Uniform(r)
		if !(0 <= u && u < 1) {
			t.Fatalf("%v is drawn", u)
		}
		sum += u / draws
	}
	if !(math.Abs(sum-0.5) <= 4*math.Sqrt(1./12/draws)) { // four standard deviations
		t.Errorf("the mean is %v; want 0.5", sum)
	}
	for _, want := range []float64{0, 0x1p-53, 0.5, 1 - 0x1p-53} {
		if got := core.Uniform(dice.At(want)); got != want {
			t.Errorf("%v is drawn; want %v", got, want)
		}
	}
}

// TestDrawLimits draws with numbers on the limits between the options, which belong to the next
// one, and just below them.
func TestDrawLimits(t *testing.T) {
	probs := []float64{0, 0.5, 0, 0.25, 0.125, 0} // the sum is short of 1, by more than rounding
	var list []game.Outcome[int]
	for k, p := range probs[1:5] {
		list = append(list, game.Outcome[int]{State: k, Prob: p})
	}
	for _, test := range []struct {
		u       float64
		action  game.Action
		outcome int
	}{
		{0, 1, 0}, {0.5 - 0x1p-53, 1, 0},
		{0.5, 3, 2}, {0.75 - 0x1p-53, 3, 2},
		{0.75, 4, 3}, {0.875, 4, 3}, {1 - 0x1p-53, 4, 3},
	} {
		if got := core.SampleAction(probs, dice.At(test.u)); got != test.action {
			t.Errorf("with %v action %d is drawn; want %d", test.u, got, test.action)
		}
		if got := core.DrawOutcome(list, dice.At(test.u)); got != test.outcome {
			t.Errorf("with %v outcome %d is drawn; want %d", test.u, got, test.outcome)
		}
	}
}

func TestResize(t *testing.T) {
	s := make([]int, 2, 4)
	if same := core.Resize(s, 4); len(same) != 4 || &same[0] != &s[0] {
		t.Errorf("length %d in other memory; want 4 in the same", len(same))
	}
	if more := core.Resize(s, 5); len(more) != 5 {
		t.Errorf("length %d; want 5", len(more))
	}
}

// TestSeed: chance and choices have streams of their own.
func TestSeed(t *testing.T) {
	var dice, noise rand.PCG
	core.Seed(&dice, &noise, 7, 3)
	if dice != *rand.NewPCG(7, 3) || noise != *rand.NewPCG(7, 1<<62|3) {
		t.Error("other generators")
	}
}

// TestDraw draws cards one by one, up to a limit.
func TestDraw(t *testing.T) {
	rules := core.New[testgames.Mile](dealt{testgames.March{Length: 120}, 3})
	for limit, want := range []game.Player{game.Chance, game.Chance, game.Chance, 0, 0} {
		s, dice := rules.Initial(), rand.NewPCG(1, 0)
		var seen []uint8
		who := rules.Draw(&s, dice, nil, limit, func(s testgames.Mile) { seen = append(seen, s.At) })
		cards := []uint8{98, 99, 100}[:min(limit, 3)]
		if who != want || !slices.Equal(seen, cards) {
			t.Errorf("with a limit of %d, %v are dealt, then player %d; want %v and %d", limit, seen, who, cards, want)
		}
	}
}

// TestDrawTurns: where a turn starts, the generators are those of the seed, the row and the number
// of the turn.
func TestDrawTurns(t *testing.T) {
	rules := core.New[pig.State](testgames.NewPig(t, 2, 100))
	var dice, noise rand.PCG
	turns := &core.Turns{Seed: 7, Row: 3, Noise: &noise}
	s := rules.Initial()
	for n := uint64(1); n <= 3; n++ {
		rules.Draw(&s, &dice, turns, 10, nil)
		if dice != *rand.NewPCG(7, n<<32|3) || noise != *rand.NewPCG(7, 1<<62|n<<32|3) {
			t.Errorf("at the start of turn %d: other generators", n)
		}
		s.Total = 2
		dice = *rand.NewPCG(1, 1)
		if rules.Draw(&s, &dice, turns, 10, nil); dice != *rand.NewPCG(1, 1) {
			t.Errorf("within turn %d: other generators", n)
		}
		s = rules.After(s, pig.Hold)
	}
	s.Phase, dice = pig.Over, *rand.NewPCG(1, 1)
	if rules.Draw(&s, &dice, turns, 10, nil); dice != *rand.NewPCG(1, 1) {
		t.Error("at the end: other generators")
	}
	s, dice = rules.Initial(), *rand.NewPCG(1, 1)
	if who := rules.Draw(&s, &dice, nil, 10, nil); who != 0 || dice != *rand.NewPCG(1, 1) {
		t.Errorf("at the start of a turn of a game without common random numbers: player %d, or other generators", who)
	}
}

// TestBegin: a game begins if one of a thousand tries has a decision.
func TestBegin(t *testing.T) {
	tries := 0
	core.Begin("x", func() bool { tries++; return tries == 1000 })
	if tries != 1000 {
		t.Errorf("%d tries; want 1000", tries)
	}
	defer func() {
		if got, want := recover(), "marsgym: x has no decision"; got != want || tries != 1000 {
			t.Errorf("after %d tries: %v; want %q after 1000", tries, got, want)
		}
	}()
	tries = 0
	core.Begin("x", func() bool { tries++; return false })
}
