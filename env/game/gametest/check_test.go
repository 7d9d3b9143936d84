package gametest_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/gametest"
)

func TestHealthy(t *testing.T) {
	if err := gametest.Check(healthy()); err != nil {
		t.Error(err)
	}
}

// bare hides the optional interfaces.
type bare struct{ game.Rules[state] }

func TestHealthyWithoutAbilities(t *testing.T) {
	if err := gametest.Check(bare{healthy()}, gametest.Games(20), gametest.Seed(9), gametest.Length(20)); err != nil {
		t.Error(err)
	}
}

// breach turns healthy rules into some that break a clause.
type breach struct {
	clause string // that the error must name
	commit func(g *cups)
}

func TestBroken(t *testing.T) {
	for i, b := range slices.Concat(brokenRules, brokenOptional, brokenPlanners) {
		t.Run(fmt.Sprintf("%d %s", i, b.clause), func(t *testing.T) {
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

// Memory of the rules' own may show only when the games are played again.
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
	err := gametest.Check(bare{g})
	if want := "the same seed replays identically"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want one that names %q", err, want)
	}
}

// holding is a state with something more in it.
type holding[X comparable] struct {
	State state
	More  X
}

// holdingRules are the rules of cups for such states.
type holdingRules[X comparable] struct{ g *cups }

func (r holdingRules[X]) Spec() game.Spec                        { return r.g.spec() }
func (r holdingRules[X]) Initial() holding[X]                    { return holding[X]{State: r.g.initial()} }
func (r holdingRules[X]) CurrentPlayer(s holding[X]) game.Player { return r.g.currentPlayer(s.State) }
func (r holdingRules[X]) Legal(d []game.Action, s holding[X]) []game.Action {
	return r.g.legal(d, s.State)
}
func (r holdingRules[X]) Outcomes(d []game.Outcome[holding[X]], s holding[X]) []game.Outcome[holding[X]] {
	for _, o := range r.g.outcomes(nil, s.State) {
		d = append(d, game.Outcome[holding[X]]{State: holding[X]{State: o.State}, Prob: o.Prob})
	}
	return d
}
func (r holdingRules[X]) Apply(s holding[X], a game.Action) (holding[X], error) {
	next, err := r.g.apply(s.State, a)
	return holding[X]{State: next}, err
}
func (r holdingRules[X]) Returns(d []float64, s holding[X]) []float64 { return r.g.returns(d, s.State) }
func (r holdingRules[X]) Encode(d []float32, s holding[X], p game.Player) {
	r.g.encode(d, s.State, p)
}

func holds[X comparable]() error {
	return gametest.Check(holdingRules[X]{healthy()}, gametest.Games(2))
}

func TestStateFields(t *testing.T) {
	const clause = "a state has exported fields of fixed size: "
	for _, test := range []struct {
		name string
		err  error
		want string // "" where all is well
	}{
		{"numbers", holds[[2]struct {
			A int8
			_ [3]uint16
			B float64
			C bool
		}](), ""},
		{"pointer", holds[*int](), clause + "S.More is of type *int"},
		{"string", holds[[1]string](), clause + "S.More[i] is of type string"},
		{"interface", holds[any](), clause + "S.More is of type interface {}"},
		{"channel", holds[chan int](), clause + "S.More is of type chan int"},
		{"int", holds[struct{ N int }](), clause + "S.More.N is of type int"},
		{"unexported", holds[struct{ n int8 }](), clause + "S.More.n is not exported"},
	} {
		if test.want == "" && test.err != nil || test.want != "" && (test.err == nil || !strings.Contains(test.err.Error(), test.want)) {
			t.Errorf("%s: got error %v, want %q", test.name, test.err, test.want)
		}
	}
}
