package martiandice_test

import (
	"context"
	"math"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martiandice"
	"marsgym/env/tabular"
	"marsgym/internal/test/fulltest"
)

var ctx = context.Background()

// reduced are games small enough for package tabular, which does not use the structure
// of turns.
var reduced = map[string]martiandice.Config{
	"solitaire":         small(1, 2, 3, nil),
	"solitaire at once": small(1, 2, 3, stopAtOnce),
	"one die":           small(2, 1, 2, nil),
	"one die, three":    small(3, 1, 3, nil),
	"two dice":          small(2, 2, 3, nil),
	"three dice":        small(2, 3, 6, nil),
	"four dice":         small(2, 4, 4, nil),
	"five dice":         small(2, 5, 1, nil), // enough dice for a choice between scoring and too many tanks
	"a target of one":   small(2, 3, 1, nil),
	"three players":     small(3, 2, 4, nil),
	"three, three dice": small(3, 3, 2, nil),
	"four players":      small(4, 2, 2, nil),
	"share":             small(2, 3, 4, share),
	"share, three":      small(3, 2, 3, share),
	"stop at once":      small(2, 3, 4, stopAtOnce),
	"stop at once, 3":   small(3, 2, 3, stopAtOnce),
	"random start":      small(2, 3, 3, func(c *martiandice.Config) { c.FirstPlayer = martiandice.FirstRandom }),
	"random start of 3": small(3, 2, 2, func(c *martiandice.Config) { c.FirstPlayer = martiandice.FirstRandom }),
	"many tanks":        small(2, 4, 3, func(c *martiandice.Config) { c.Faces.Tank = 4 }),
	"no tanks":          small(2, 3, 4, func(c *martiandice.Config) { c.Faces.Tank = 0 }),
	"more earthlings": small(2, 4, 6, func(c *martiandice.Config) {
		c.Faces = martiandice.Faces{Tank: 2, Ray: 1, Human: 2, Cow: 2, Chicken: 2}
	}),
	"no bonus":          small(2, 4, 4, func(c *martiandice.Config) { c.Bonus = 0 }),
	"a roll-off of one": small(2, 2, 4, func(c *martiandice.Config) { c.TieDice = 1 }),
}

// sampled skips reduced games that take long, unless everything is tested. What
// short tests leave out takes long under the race detector.
func sampled(t *testing.T, cfg martiandice.Config) {
	t.Helper()
	switch {
	case fulltest.On():
	case cfg.Dice > 3, cfg.Dice == 3 && cfg.Players > 2, testing.Short() && (cfg.Dice > 2 || cfg.Players > 2):
		t.Skip("many positions")
	}
}

// small is a game with few dice and a low target.
func small(players, dice, target int, change func(*martiandice.Config)) martiandice.Config {
	return config(players, func(c *martiandice.Config) {
		c.Dice, c.Target, c.TieDice = dice, target, 2
		if change != nil {
			change(c)
		}
	})
}

func solve(t testing.TB, r *martiandice.Rules) *martiandice.Solution {
	t.Helper()
	sol, err := r.Solve(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sol.(*martiandice.Solution)
}

// visit calls f with every reachable state. It neither visits nor expands states for
// which ends returns true.
func visit(t testing.TB, r *martiandice.Rules, ends func(martiandice.State) bool, f func(martiandice.State)) {
	t.Helper()
	seen := map[martiandice.State]bool{}
	var todo []martiandice.State
	add := func(s martiandice.State) {
		if !seen[s] && !ends(s) {
			seen[s] = true
			todo = append(todo, s)
		}
	}
	for add(r.Initial()); len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		f(s)
		for _, o := range r.Outcomes(nil, s) {
			add(o.State)
		}
		for _, a := range r.Legal(nil, s) {
			next, err := r.Apply(s, a)
			if err != nil {
				t.Fatal(err)
			}
			add(next)
		}
	}
}

// limited ends solitaire after turnLimit turns, since a game with an unlimited count of
// turns is not small.
type limited struct{ *martiandice.Rules }

const turnLimit = 1000 // no game reaches it with a probability that matters

func (l limited) CurrentPlayer(s martiandice.State) game.Player {
	if s.Count >= turnLimit {
		return game.Terminal
	}
	return l.Rules.CurrentPlayer(s)
}

func (l limited) Returns(dst []float64, s martiandice.State) []float64 {
	if s.Count >= turnLimit {
		return append(dst, -turnLimit)
	}
	return l.Rules.Returns(dst, s)
}

// solveTabular solves a reduced game position by position.
func solveTabular(t testing.TB, r *martiandice.Rules) *tabular.Solution[martiandice.State] {
	t.Helper()
	rules := game.Rules[martiandice.State](r)
	if r.Spec().Players == 1 {
		rules = limited{r}
	}
	sol, err := tabular.Solve(ctx, rules, tabular.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return sol
}

// Every position and each of its options must have the value of the tabular solution.
func TestReduced(t *testing.T) {
	for name, cfg := range reduced {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRules(t, cfg)
			agree(t, r, solve(t, r), solveTabular(t, r))
		})
	}
}

// Four players with enough dice for a bonus: all positions, and one game of four
// different policies.
func TestFourPlayers(t *testing.T) {
	if !fulltest.On() {
		t.Skip("takes seconds")
	}
	r := newRules(t, small(4, 3, 3, nil))
	fast, slow := solve(t, r), solveTabular(t, r)
	agree(t, r, fast, slow)
	list := policies(t, r)
	seats := []game.TabularPolicy{tabulate(t, fast, fast.Policy())}
	oracle := []game.TabularPolicy{tabulate(t, slow, slow.Policy())}
	for _, p := range []policy{list[0], list[2], list[4]} {
		seats, oracle = append(seats, tabulate(t, fast, p)), append(oracle, tabulate(t, slow, p))
	}
	compare(t, fast, slow, seats, oracle, 1e-11)
}

// agree compares all positions of two solutions.
func agree(t *testing.T, r *martiandice.Rules, fast *martiandice.Solution, slow *tabular.Solution[martiandice.State]) {
	t.Helper()
	const tol = 1e-11
	players := r.Spec().Players
	ends := func(s martiandice.State) bool { return players == 1 && s.Count > 3 } // far from turnLimit
	visit(t, r, ends, func(s martiandice.State) {
		for _, values := range []func(game.Solution[martiandice.State]) ([]float64, error){
			func(sol game.Solution[martiandice.State]) ([]float64, error) { return sol.Value(nil, s) },
			func(sol game.Solution[martiandice.State]) ([]float64, error) { return sol.Options(nil, s) },
		} {
			got, err := values(fast)
			if err != nil {
				t.Fatal(err)
			}
			want, err := values(slow)
			if err != nil {
				t.Fatal(err)
			}
			if !near(got, want, tol) {
				t.Fatalf("at %s got %v, want %v", r.Format(s), got, want)
			}
		}
	})
	if !(fast.Residual() < 1e-12) {
		t.Errorf("residual is %v", fast.Residual())
	}
	if players > 1 {
		if err := slow.CheckEncode(ctx, tol); err != nil {
			t.Error(err)
		}
	}
}

func near(got, want []float64, tol float64) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tol) {
			return false
		}
	}
	return true
}
