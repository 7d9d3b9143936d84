package gametest_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/gametest"
	"marsgym/internal/test/fulltest"
)

func TestHealthy(t *testing.T) {
	if err := gametest.Check(healthy()); err != nil {
		t.Error(err)
	}
}

// rulesOnly hides the optional interfaces.
type rulesOnly struct{ game.Rules[state] }

func TestHealthyRulesOnly(t *testing.T) {
	if err := gametest.Check(rulesOnly{healthy()}, gametest.Games(20), gametest.Seed(9), gametest.Length(20)); err != nil {
		t.Error(err)
	}
}

// breach changes healthy rules so that they break a clause.
type breach struct {
	clause string // that the error must name
	commit func(g *cups)
}

func TestBroken(t *testing.T) {
	for i, b := range slices.Concat(brokenRules, brokenOptional, brokenScenes, brokenTurns, brokenRows, brokenCompact) {
		t.Run(fmt.Sprintf("%d %s", i, b.clause), func(t *testing.T) {
			fulltest.Sample(t, i, 3)
			t.Parallel()
			g := healthy()
			b.commit(g)
			err := gametest.Check(g, gametest.Games(50))
			if err == nil || !strings.Contains(err.Error(), b.clause) {
				t.Errorf("got error %v, want one that names %q", err, b.clause)
			}
		})
	}
}

// Rules with hidden state may break the contract only when the games are played again.
func TestReplay(t *testing.T) {
	g := healthy()
	outcomes, returns := g.outcomes, g.returns
	var visits atomic.Int64
	g.returns = func(dst []float64, s state) []float64 {
		visits.Add(1)
		return returns(dst, s)
	}
	g.outcomes = func(dst []outcome, s state) []outcome {
		n := len(dst)
		if dst = outcomes(dst, s); visits.Load() > 300 {
			slices.Reverse(dst[n:])
		}
		return dst
	}
	err := gametest.Check(rulesOnly{g})
	if want := "the same seed replays identically"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want one that names %q", err, want)
	}
}

// extended is a state with a further field.
type extended[X comparable] struct {
	State state
	More  X
}

// extendedRules are the rules of cups for extended states.
type extendedRules[X comparable] struct{ g *cups }

func (r extendedRules[X]) Spec() game.Spec                         { return r.g.spec() }
func (r extendedRules[X]) Initial() extended[X]                    { return extended[X]{State: r.g.initial()} }
func (r extendedRules[X]) CurrentPlayer(s extended[X]) game.Player { return r.g.currentPlayer(s.State) }
func (r extendedRules[X]) Legal(d []game.Action, s extended[X]) []game.Action {
	return r.g.legal(d, s.State)
}
func (r extendedRules[X]) Outcomes(d []game.Outcome[extended[X]], s extended[X]) []game.Outcome[extended[X]] {
	for _, o := range r.g.outcomes(nil, s.State) {
		d = append(d, game.Outcome[extended[X]]{State: extended[X]{State: o.State}, Prob: o.Prob})
	}
	return d
}
func (r extendedRules[X]) Apply(s extended[X], a game.Action) (extended[X], error) {
	next, err := r.g.apply(s.State, a)
	return extended[X]{State: next}, err
}
func (r extendedRules[X]) Returns(d []float64, s extended[X]) []float64 {
	return r.g.returns(d, s.State)
}
func (r extendedRules[X]) Encode(d []float32, s extended[X], p game.Player) {
	r.g.encode(d, s.State, p)
}

// checkField checks rules whose state has a field of type X.
func checkField[X comparable]() error {
	return gametest.Check(extendedRules[X]{healthy()}, gametest.Games(2))
}

func TestStateFields(t *testing.T) {
	const clause = "a state has exported fields of fixed size: "
	for _, test := range []struct {
		name string
		err  error
		want string // "" if there is no error
	}{
		{"numbers", checkField[[2]struct {
			A int8
			_ [3]uint16
			B float64
			C bool
		}](), ""},
		{"pointer", checkField[*int](), clause + "S.More is of type *int"},
		{"string", checkField[[1]string](), clause + "S.More[i] is of type string"},
		{"interface", checkField[any](), clause + "S.More is of type interface {}"},
		{"channel", checkField[chan int](), clause + "S.More is of type chan int"},
		{"int", checkField[struct{ N int }](), clause + "S.More.N is of type int"},
		{"unexported", checkField[struct{ n int8 }](), clause + "S.More.n is not exported"},
	} {
		if test.want == "" && test.err != nil || test.want != "" && (test.err == nil || !strings.Contains(test.err.Error(), test.want)) {
			t.Errorf("%s: got error %v, want %q", test.name, test.err, test.want)
		}
	}
}
