package env_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/env/martiandice"
	"marsgym/internal/test/testgames"
)

func TestPosition(t *testing.T) {
	g := env.NewGame(testgames.NewMartianDice(t, 2, 13, 25))
	start := g.Initial()
	if start.String() != "0-0@0" || start.CurrentPlayer() != game.Chance || start.Legal() != nil {
		t.Errorf("the game starts in position %s with current player %v", start, start.CurrentPlayer())
	}
	sum := 0.0
	for _, o := range start.Outcomes() {
		sum += o.Prob
	}
	if !(math.Abs(sum-1) <= 1e-12) {
		t.Errorf("the outcomes have probability %v", sum)
	}
	p, err := g.Parse("13-17@1 aside T3R2H4")
	if err != nil {
		t.Fatal(err)
	}
	if p.CurrentPlayer() != 1 || !slices.Equal(p.Legal(), []game.Action{martiandice.Roll, martiandice.Stop}) || p.Outcomes() != nil {
		t.Errorf("in position %s the current player is %v and the legal actions are %v", p, p.CurrentPlayer(), p.Legal())
	}
	after, err := p.Apply(martiandice.Roll)
	if err != nil || after.String() != "13-17@1 aside T3R2H4 rolling" {
		t.Errorf("rolling leads to %v, %v", after, err)
	}
	if _, err := p.Apply(martiandice.Rays); !errors.Is(err, game.ErrIllegalAction) {
		t.Errorf("an illegal action: %v", err)
	}
	if told := p.Explain(message.Speaker{}, "roll"); !slices.Equal(told, []string{"roll 4 dice; 16 % of rolls make the turn worth 0"}) {
		t.Errorf("roll is explained as %q", told)
	}
	if p.DescribeAction(martiandice.Roll).String() != "roll 4 dice; 16 % of rolls make the turn worth 0" || p.Render(message.Speaker{}) == p.String() {
		t.Errorf("roll is described as %q in\n%s", p.DescribeAction(martiandice.Roll), p.Render(message.Speaker{}))
	}
	over, err := g.Parse("27-28 over 1")
	if err != nil || over.CurrentPlayer() != game.Terminal || !slices.Equal(over.Returns(), []float64{-1, 1}) {
		t.Errorf("%v, won by seat 1, has returns %v, error %v", over, over.Returns(), err)
	}
	if _, err := g.Parse("13"); err == nil || !strings.Contains(err.Error(), `position "13": has 1 scores`) {
		t.Errorf("text that is no position: %v", err)
	}
	bare := env.NewGame(testgames.Coin{})
	if _, err := bare.Parse("0"); err == nil || !strings.Contains(err.Error(), "coin has no notation for positions") {
		t.Errorf("a position of a game without a Presenter: %v", err)
	}
	if p := bare.Initial(); p.Render(message.Speaker{}) != p.String() || !p.DescribeAction(0).IsZero() || bare.ActionName(1) != "1" {
		t.Errorf("a game without a Presenter renders %q", p.Render(message.Speaker{}))
	}
}

// ActionProbabilities returns probabilities of the actions of the position, not of
// its representative.
func TestActionProbabilities(t *testing.T) {
	g := env.NewGame(testgames.NewMartianDice(t, 2, 5, 4))
	sol, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"0-0@0 roll R1C1K3", "0-0@0 aside C1 roll R1H1K2", "0-0@0 aside K2 roll R1H1C1", "0-3@1 aside T1K1", "3-1@1 aside H1K2 roll R1C1",
	} {
		p, err := g.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		options, err := sol.Options(p)
		if err != nil {
			t.Fatal(err)
		}
		probs, err := env.ActionProbabilities(t.Context(), sol.Policy(), p, g.Spec().Actions)
		if err != nil {
			t.Fatal(err)
		}
		got := 0.0
		for k, a := range p.Legal() {
			got += probs[a] * (options[k] + 1) // above zero, so that a missing probability shows
		}
		if want := slices.Max(options) + 1; !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("in position %s best play has probabilities %v, and the options have values %v", text, probs, options)
		}
	}
}

// TestActionProbabilitiesErrors: errors of a caller are no panics.
func TestActionProbabilitiesErrors(t *testing.T) {
	g := env.NewGame(testgames.NewPig(t, 2, 20))
	random, err := g.Bot("random")
	if err != nil {
		t.Fatal(err)
	}
	at := func(notation string) env.Position {
		p, err := g.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	start := g.Initial()
	for _, test := range []struct {
		policy  env.Policy
		at      env.Position
		actions int
		want    string
	}{
		{random, start, 2, ""},
		{random, start, 0, "0 actions; want 2"},
		{random, start, 3, "3 actions; want 2"},
		{random, start, -1, "-1 actions; want 2"},
		{random, at("0-0@0 rolling"), 2, "no seat is to move"},
		{random, nil, 2, "nil"},
		{nil, start, 2, "nil"},
	} {
		_, err := env.ActionProbabilities(t.Context(), test.policy, test.at, test.actions)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%d actions at %v: %v; want %q", test.actions, test.at, err, test.want)
		}
	}
}

// Outcomes by number are those of the list, and draws follow their probabilities.
func TestOutcomesByNumber(t *testing.T) {
	g := env.NewGame(testgames.NewMartianDice(t, 2, 3, 5))
	p := g.Initial()
	list, probs := p.Outcomes(), p.OutcomeProbs(nil)
	count := make([]int, len(list))
	const draws = 20_000
	dice := rand.NewPCG(1, 2)
	for range draws {
		i, next := p.DrawOutcome(dice)
		if next != list[i].State {
			t.Fatalf("outcome %d is drawn as %s; want %s", i, next, list[i].State)
		}
		count[i]++
	}
	for i, o := range list {
		at, err := p.OutcomeAt(i)
		if err != nil || at != o.State || probs[i] != o.Prob {
			t.Errorf("outcome %d is %v with probability %v, %v; want %s with %v", i, at, probs[i], err, o.State, o.Prob)
		}
		// Five standard deviations of a binomial distribution.
		if got := float64(count[i]) / draws; !(math.Abs(got-o.Prob) <= 5*math.Sqrt(o.Prob*(1-o.Prob)/draws)) {
			t.Errorf("outcome %d is drawn with frequency %v; want %v", i, got, o.Prob)
		}
	}
	for _, i := range []int{-1, len(list)} {
		if _, err := p.OutcomeAt(i); !errors.Is(err, game.ErrIllegalAction) {
			t.Errorf("outcome %d of %d gives %v", i, len(list), err)
		}
	}
}
