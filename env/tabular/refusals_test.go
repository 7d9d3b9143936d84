package tabular_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/tabular"
)

// aheadOn is a policy that looks ahead by some plies on values of decisions.
type aheadOn struct {
	probs
	plies  int
	values func(s int) []float64 // [P]
	asked  *int                  // states whose values were asked for
}

func (a aheadOn) Plies() int { return a.plies }
func (a aheadOn) Turns() int { return -1 }

func (a aheadOn) ProbsContext(_ context.Context, dst []float64, states []int) error {
	return a.Probs(dst, states)
}

func (a aheadOn) Values(_ context.Context, dst []float64, states []int) error {
	n := len(dst) / len(states)
	for i, s := range states {
		if copy(dst[i*n:], a.values(s)) == 0 {
			return errNoValue
		}
	}
	*a.asked += len(states)
	return nil
}

var errNoValue = errors.New("no value")

// TestLookaheadCycle: where chance leads back to itself, the values of a ply are those that it
// converges to.
func TestLookaheadCycle(t *testing.T) {
	// Roll 3 stays with probability 1/2, and so does the pair of rolls 4 and 5: from 4 to the end 6 or to
	// 5, and back. Move 0 is worth 2, move 1 is worth 3 and move 2 is worth 1.
	g := graphGame{players: 1, positions: []position{
		decide(0, 3, 4, 7), decide(0, 6, 7), end(2), roll(1, 3, 1, 2), roll(1, 5, 1, 6), roll(1, 4, 1, 6), end(3), end(1),
	}}
	sol := solve(t, g)
	asked := 0
	a := aheadOn{asked: &asked, values: func(int) []float64 { return []float64{0} }}
	best := tabulate[int](t, sol, a)
	got, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{best})
	if err != nil || !near(got, []float64{3}, 1e-14) {
		t.Errorf("it is worth %v, %v; want 3", got, err)
	}
	a.values = func(int) []float64 { return nil }
	if _, err := sol.Tabulate(ctx, a); !errors.Is(err, errNoValue) {
		t.Errorf("values that fail: %v", err)
	}
	a.plies, a.probs = -1, g.always(2) // no look-ahead by plies
	negative := tabulate[int](t, sol, a)
	if got, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{negative}); err != nil || !near(got, []float64{1}, 1e-14) {
		t.Errorf("a look-ahead without plies is worth %v, %v; want 1, by its probabilities", got, err)
	}
}

// TestRefusals: what a solution is not made for is refused in words.
func TestRefusals(t *testing.T) {
	g := duel(2, 1, 1)
	sol := solve(t, g)
	own := tabulate(t, sol, sol.Policy())
	foreign := tabulate(t, solve(t, g), sol.Policy())
	evaluate := func(seats ...game.TabularPolicy) func() error {
		return func() error { _, err := sol.Evaluate(ctx, nil, seats); return err }
	}
	respond := func(seat game.Player) func() error {
		return func() error {
			_, err := sol.BestResponse(ctx, []game.TabularPolicy{own, own}, seat)
			return err
		}
	}
	for name, tt := range map[string]struct {
		f    func() error
		want string
	}{
		"foreign policy": {evaluate(own, foreign), "the policy of seat 1 belongs to another solution"},
		"no policy":      {evaluate(nil, own), "the policy of seat 0 belongs to another solution"},
		"few policies":   {evaluate(own), "1 policies for 2 players"},
		"many policies":  {evaluate(own, own, own), "3 policies for 2 players"},
		"seat -1":        {respond(-1), "seat -1; want 0 to 1"},
		"seat 2":         {respond(2), "seat 2; want 0 to 1"},
		"regrets": {func() error {
			return sol.Regrets(ctx, g.uniform(), 2, func(game.Regret[int]) error { return nil })
		}, "seat 2; want 0 to 1"},
		"a roll": {func() error { return sol.Policy().Probs(make([]float64, 2), []int{1}) }, "position 1 is not a decision"},
		"limit": {func() error {
			_, err := tabular.Solve(ctx, g, tabular.Options{MaxStates: 7})
			return err
		}, "more than 7 positions"},
		"charts": {func() error { _, err := sol.Charts(); return err }, "graph: no charts to draw"},
		"no moves": {func() error {
			_, err := tabular.Solve(ctx, graphGame{players: 1, positions: []position{decide(0)}}, tabular.Options{})
			return err
		}, "position 0 has no successor"},
		"of policy": {func() error { _, err := sol.PolicyCharts(own, "greedy"); return err }, "graph: the losses of greedy: no charts to draw"},
	} {
		if err := tt.f(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v; want %q", name, err, tt.want)
		}
	}
	if facts := sol.Facts(); len(facts) != 1 || facts[0] != (game.Fact{Name: "positions", Value: 8}) {
		t.Errorf("the facts are %v", facts)
	}
}

// TestLongLookahead: more decisions than one call of a policy has are looked ahead from too.
func TestLongLookahead(t *testing.T) {
	const n = 5000
	g := graphGame{players: 2}
	for i := range n {
		g.positions = append(g.positions, decide(game.Player(i%2), i+1, n+1+i%2)) // go on, or give up
	}
	g.positions = append(g.positions, end(1, -1), end(-1, 1), end(1, -1))
	sol := solve(t, g)
	asked := 0
	table := tabulate[int](t, sol, aheadOn{asked: &asked, values: func(int) []float64 { return []float64{0, 0} }})
	got, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{table, table})
	if err != nil || !near(got, []float64{1, -1}, 0) || asked != n {
		t.Errorf("it is worth %v, %v, by %d values; want 1 and -1, since nobody gives up", got, err, asked)
	}
}

// TestFreeWaitTies: of several moves that leave a cycle, and are worth the same, the first is played.
func TestFreeWaitTies(t *testing.T) {
	g := graphGame{players: 1, positions: []position{decide(0, 0, 1, 2), end(1), end(1)}}
	row := make([]float64, 3)
	if err := solve(t, g).Policy().Probs(row, []int{0}); err != nil || row[1] != 1 {
		t.Errorf("the probabilities are %v, %v; want move 1", row, err)
	}
}

// TestCheckEncodeEqual: positions that look alike to a seat that is not to move may be alike.
func TestCheckEncodeEqual(t *testing.T) {
	g := graphGame{players: 2, positions: []position{decide(0, 1, 2), end(0, 0), end(0, 0)}, hidden: func(bool) bool { return true }}
	if err := solve(t, g).CheckEncode(ctx, 1e-12); err != nil {
		t.Error(err)
	}
	g.positions[2] = end(-1, 1)
	if err := solve(t, g).CheckEncode(ctx, 1e-12); err == nil || !strings.Contains(err.Error(), "their values are") {
		t.Errorf("ends of different values: %v", err)
	}
}

// TestRegretsOfFailingPolicy: the error of a policy ends its regrets.
func TestRegretsOfFailingPolicy(t *testing.T) {
	sol := solve(t, duel(2, 1, 1))
	failing := aheadOn{values: func(int) []float64 { return nil }}
	err := sol.Regrets(ctx, failing, 0, func(game.Regret[int]) error {
		t.Error("a regret of a policy that fails")
		return nil
	})
	if !errors.Is(err, errNoValue) {
		t.Errorf("%v", err)
	}
}
