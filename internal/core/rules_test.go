package core_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/pig"
	"marsgym/internal/core"
	"marsgym/internal/test/testgames"
)

// pair is a game of one chance for two states that differ only in labels: 100 stands for 101 too,
// and its action for action 7 there.
type pair struct{ testgames.March }

func (pair) CurrentPlayer(s testgames.Mile) game.Player {
	if s.At < 100 {
		return game.Chance
	}
	return 0
}

func (pair) Outcomes(dst []game.Outcome[testgames.Mile], s testgames.Mile) []game.Outcome[testgames.Mile] {
	return append(dst, game.Outcome[testgames.Mile]{State: testgames.Mile{At: 100}, Prob: 0.5}, game.Outcome[testgames.Mile]{State: testgames.Mile{At: 101}, Prob: 0.5})
}

func (pair) Apply(s testgames.Mile, a game.Action) (testgames.Mile, error) {
	if a != 0 {
		return s, game.ErrIllegalAction
	}
	return testgames.Mile{At: 101}, nil
}

func (pair) Canonical(s testgames.Mile) (testgames.Mile, []game.Action) {
	if s.At == 101 {
		return testgames.Mile{At: 100}, []game.Action{7}
	}
	return s, nil
}

// TestSymmetry: what is listed, sampled or reached by an action is a representative.
func TestSymmetry(t *testing.T) {
	rules := core.New[testgames.Mile](pair{testgames.March{Length: 120}})
	first, second := testgames.Mile{At: 100}, testgames.Mile{At: 101}
	if s, relabel := rules.Canonical(second); s != first || !slices.Equal(relabel, []game.Action{7}) {
		t.Errorf("the representative is %v, by %v", s, relabel)
	}
	if got := rules.Representative(second); got != first {
		t.Errorf("the representative is %v", got)
	}
	if got := rules.After(first, 0); got != first {
		t.Errorf("an action leads to %v", got)
	}
	chance := core.Chance[testgames.Mile]{Rules: &rules}
	for _, limit := range []int{1, 2} { // with one, a sample
		list, ok := chance.Follow(nil, rules.Initial(), limit, rand.NewPCG(1, 0))
		for _, o := range list {
			if o.State != first {
				t.Errorf("chance leads to %v", o.State)
			}
		}
		if !ok || len(list) != limit {
			t.Errorf("chance leads to %d states, %v; want %d", len(list), ok, limit)
		}
	}
	if list, ok := chance.Follow(nil, second, 1, nil); !ok || len(list) != 1 || list[0].State != second {
		t.Errorf("a decision is followed by %v, %v; want itself", list, ok)
	}
	plain := core.New[testgames.Mile](testgames.March{Length: 120})
	if s, relabel := plain.Canonical(second); s != second || relabel != nil || plain.Representative(second) != second {
		t.Errorf("without a symmetry the representative is %v, by %v", s, relabel)
	}
}

// TestRefusedAction: an action of which Legal says that it is legal must be accepted.
func TestRefusedAction(t *testing.T) {
	rules := core.New[testgames.Mile](testgames.March{Length: 2})
	defer func() {
		if got, want := recover(), "env: march: Apply refused a legal action: "+game.ErrIllegalAction.Error(); got != want {
			t.Errorf("%v; want %q", got, want)
		}
	}()
	rules.After(rules.Initial(), 1)
}

// TestNames: actions and bots have names, also in rules that name none.
func TestNames(t *testing.T) {
	p := testgames.NewPig(t, 2, 20)
	known, plain := core.New[pig.State](p), core.New[pig.State](testgames.PlainPig{Rules: p})
	if got := known.ActionName(pig.Hold); got != "hold" {
		t.Errorf("the action is %q; want hold", got)
	}
	if got := plain.ActionName(pig.Hold); got != "1" {
		t.Errorf("the action is %q; want 1", got)
	}
	if got := known.BotNames(); !slices.Equal(got, []string{"random", "greedy"}) {
		t.Errorf("the bots are %q", got)
	}
	if got := plain.BotNames(); !slices.Equal(got, []string{"random"}) {
		t.Errorf("without a list the bots are %q", got)
	}
	probs := make([]float64, 2)
	for name, want := range map[string][]float64{"random": {0.5, 0.5}, "greedy": {1, 0}} {
		bot, err := known.Bot(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := bot.Probs(probs, []pig.State{{Total: 2}}); err != nil || !slices.Equal(probs, want) {
			t.Errorf("%s rolls and holds with %v, %v; want %v", name, probs, err, want)
		}
	}
	for _, test := range []struct {
		rules core.Rules[pig.State]
		name  string
		want  string
	}{
		{known, "Greedy", `pig has no bot "Greedy"; it has random, greedy`},
		{plain, "greedy", `pig has no bot "greedy"; it has random`},
	} {
		if _, err := test.rules.Bot(test.name); err == nil || err.Error() != test.want {
			t.Errorf("bot %s: %v; want %q", test.name, err, test.want)
		}
	}
}

// indexed panics on states with a phase that the game does not have, and reads others as the start.
type indexed struct{ *pig.Rules }

func (indexed) Format(s pig.State) string { return [...]string{"0-0@0", "rolling", "over"}[s.Phase] }

func (r indexed) Parse(text string) (pig.State, error) {
	if text == "over" {
		return pig.State{}, errors.New("no position")
	}
	return r.Initial(), nil
}

// TestValidateErrors: a state is refused if its notation panics, is refused, or reads as another one.
func TestValidateErrors(t *testing.T) {
	p := testgames.NewPig(t, 2, 20)
	rules := core.New[pig.State](indexed{p})
	for _, test := range []struct {
		state pig.State
		want  string
	}{
		{pig.State{Phase: 99}, "not a state of the game: runtime error: index out of range"},
		{pig.State{Phase: pig.Over}, "no position"},
		{pig.State{Phase: pig.Rolling}, "not a state of the game"},
	} {
		if err := rules.Validate(test.state); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%+v: error %v; want %q", test.state, err, test.want)
		}
	}
	if err := rules.Validate(p.Initial()); err != nil {
		t.Error(err)
	}
	plain := core.New[pig.State](testgames.PlainPig{Rules: p})
	if err := plain.Validate(pig.State{Phase: 99}); err != nil {
		t.Errorf("without a notation: %v", err)
	}
}

// TestOptional: rules without optional interfaces get a sampler that plays rows one by one.
func TestOptional(t *testing.T) {
	p := testgames.NewPig(t, 2, 20)
	known, plain := core.New[pig.State](p), core.New[pig.State](testgames.PlainPig{Rules: p})
	if known.Sampler.NewRows(2) == nil || plain.Sampler.NewRows(2) != nil {
		t.Error("rows that are played at once belong to rules with a sampler only")
	}
	if known.Planner == nil || known.Presenter == nil || plain.Planner != nil || plain.Presenter != nil {
		t.Error("other interfaces are looked up")
	}
	if want := p.Spec().ChanceLimit(); known.ChanceLimit != want {
		t.Errorf("the limit of chance is %d; want %d", known.ChanceLimit, want)
	}
}
