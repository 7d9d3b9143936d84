package core_test

import (
	"math"
	"math/rand/v2"
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
	for seed := range uint64(20) {
		s := rules.Initial()
		who := rules.Settle(&s, rand.NewPCG(seed, 0))
		if want := map[uint8]game.Player{1: game.Terminal, 2: 0}[s.Side]; who != want {
			t.Errorf("seed %d: side %d, got player %d, want %d", seed, s.Side, who, want)
		}
	}
}

func TestValidate(t *testing.T) {
	p := testgames.NewPig(t, 2, 20)
	rules := core.New[pig.State](p)
	if err := rules.Validate(p.Initial()); err != nil {
		t.Error(err)
	}
	for _, s := range []pig.State{{Seat: 2}, {Phase: 99}, {Score: [10]uint8{200}}} {
		if rules.Validate(s) == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}

func TestSampleAction(t *testing.T) {
	dice := rand.NewPCG(1, 0)
	for range 1000 {
		if a := core.SampleAction([]float64{0, 0.5, 0, 0.5, 0}, dice); a != 1 && a != 3 {
			t.Fatalf("action %d has probability 0", a)
		}
	}
	if a := core.SampleAction([]float64{0, 1e-300, 0}, dice); a != 1 {
		t.Errorf("got action %d, want the only one with a probability", a)
	}
}
