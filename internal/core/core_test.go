package core_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/pig"
	"marsgym/internal/core"
	"marsgym/internal/test/testgames"
)

// Without a Sampler, samples follow the probabilities of Outcomes.
func TestSample(t *testing.T) {
	const draws = 10_000
	rules := core.New[testgames.Face](testgames.Coin{})
	dice := rand.NewPCG(1, 0)
	heads := 0
	for range draws {
		if rules.Sampler.Sample(testgames.Face{}, dice).Side == 2 {
			heads++
		}
	}
	// Four standard deviations of a binomial distribution.
	if got := float64(heads) / draws; !(math.Abs(got-0.25) <= 4*math.Sqrt(0.25*0.75/draws)) {
		t.Errorf("heads in %v of the draws, want 0.25", got)
	}
}

func TestTurnStart(t *testing.T) {
	p := testgames.NewPig(t, 2, 20)
	known, plain := core.New[pig.State](p), core.New[pig.State](testgames.PlainPig{Rules: p})
	if who, ok := known.TurnStart(p.Initial()); !ok || who != 0 {
		t.Errorf("the first turn starts with seat %d, %v; want seat 0", who, ok)
	}
	if _, ok := plain.TurnStart(p.Initial()); ok {
		t.Error("rules without a TurnPlanner start a turn")
	}
}

func TestSettle(t *testing.T) {
	rules := core.New[testgames.Face](testgames.Coin{})
	sides := map[uint8]int{}
	for seed := range uint64(20) {
		s := rules.Initial()
		who := rules.Settle(&s, rand.NewPCG(seed, 0))
		if want := map[uint8]game.Player{1: game.Terminal, 2: 0}[s.Side]; who != want {
			t.Errorf("seed %d: side %d, got player %d, want %d", seed, s.Side, who, want)
		}
		sides[s.Side]++
	}
	if sides[1] == 0 || sides[2] == 0 {
		t.Errorf("of 20 coins the sides are %v; want tails and heads", sides)
	}
}

func TestValidate(t *testing.T) {
	p := testgames.NewPig(t, 2, 20)
	rules := core.New[pig.State](p)
	if err := rules.Validate(p.Initial()); err != nil {
		t.Error(err)
	}
	for s, want := range map[pig.State]string{
		{Seat: 2}: `seat "2" is not a number from 0 to 1`, {Phase: 99}: "not a state of the game", {Score: [10]uint8{200}}: `score "200" is not a number from 0 to 25`,
	} {
		if err := rules.Validate(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v; want %q", s, err, want)
		}
	}
}

func TestSampleAction(t *testing.T) {
	const draws = 1000
	dice, count := rand.NewPCG(1, 0), [5]int{}
	for range draws {
		count[core.SampleAction([]float64{0, 0.5, 0, 0.5, 0}, dice)]++
	}
	// Five standard deviations of a binomial distribution.
	if count[1]+count[3] != draws || !(math.Abs(float64(count[1])-draws/2) <= 5*math.Sqrt(draws/4)) {
		t.Errorf("the actions are drawn %v times; want half of them 1 and half 3", count)
	}
	if a := core.SampleAction([]float64{0, 1e-300, 0}, dice); a != 1 {
		t.Errorf("got action %d, want the only one with a probability", a)
	}
}
