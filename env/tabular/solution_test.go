package tabular_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/tabular"
)

var ctx = context.Background()

func solve[S comparable](t *testing.T, rules game.Rules[S]) *tabular.Solution[S] {
	t.Helper()
	sol, err := tabular.Solve(ctx, rules, tabular.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !(sol.Residual() <= 1e-14) {
		t.Errorf("residual is %v", sol.Residual())
	}
	return sol
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

// duel is a game in which two seats shoot in turn. A careful shot hits with probability
// 1/3 and else misses. A risky shot hits, loses the game or misses with probabilities in
// proportion to the arguments. With hit, lose and miss 2, 1 and 1 and x the probability
// that the shooter wins,
//
//	careful: x = 1/3 + 2/3 (1-x), so x = 3/5
//	risky:   x = 1/2 + 1/4 (1-x), so x = 3/5
//
// The two shots tie, and the lower index is chosen. With 5, 2 and 3 the risky shot is
// better: x = 1/2 + 3/10 (1-x), so x = 8/13.
func duel(hit, lose, miss int) graphGame {
	return graphGame{players: 2, positions: []position{
		0: decide(0, 1, 2),
		1: roll(1, 6, 2, 3),
		2: roll(hit, 6, lose, 7, miss, 3),
		3: decide(1, 4, 5),
		4: roll(1, 7, 2, 0),
		5: roll(hit, 7, lose, 6, miss, 0),
		6: end(1, -1),
		7: end(-1, 1),
	}}
}

func TestByHand(t *testing.T) {
	for _, test := range []struct {
		name   string
		game   graphGame
		value  []float64
		choice int // at the start
	}{
		{"two players, a tie", duel(2, 1, 1), []float64{0.2, -0.2}, 0},
		{"two players, risky", duel(5, 2, 3), []float64{3.0 / 13, -3.0 / 13}, 1},
		// The seats move in turn. The mover may end the game, which pays 1 to itself and
		// to the next seat, or roll, which ends the game with probability 1/2 and pays 4.
		// With x for the mover, y for the next and z for the one after, if all roll:
		// x = 2 + z/2, y = x/2, z = y/2, so x = 16/7, and all prefer to roll.
		{"three players", graphGame{players: 3, positions: []position{
			decide(0, 6, 1), roll(1, 9, 1, 2),
			decide(1, 7, 3), roll(1, 10, 1, 4),
			decide(2, 8, 5), roll(1, 11, 1, 0),
			end(1, 1, 0), end(0, 1, 1), end(1, 0, 1),
			end(4, 0, 0), end(0, 4, 0), end(0, 0, 4),
		}}, []float64{16.0 / 7, 8.0 / 7, 4.0 / 7}, 1},
		// Action 0 ends the game for -7. Action 1 rolls a die: a six ends the game for -6,
		// and all other faces lead back to the same position.
		{"solitaire", graphGame{players: 1, positions: []position{
			decide(0, 2, 1), roll(5, 0, 1, 3), end(-7), end(-6),
		}}, []float64{-6}, 1},
		// Waiting ties with moving on and has the lower index, but never ends the game.
		{"a free wait", graphGame{players: 1, positions: []position{
			decide(0, 0, 1, 2), decide(0, 1, 0, 3), end(1), roll(1, 4, 3, 0), end(2),
		}}, []float64{2}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			sol := solve(t, test.game)
			got, err := sol.Value(nil, 0)
			if err != nil || !near(got, test.value, 1e-15) {
				t.Errorf("value is %v, %v; want %v", got, err, test.value)
			}
			row := make([]float64, test.game.Spec().Actions)
			if err := sol.Policy().Probs(row, []int{0}); err != nil || row[test.choice] != 1 {
				t.Errorf("best play is %v, %v; want action %d", row, err, test.choice)
			}
		})
	}
}

// Solve must agree with the minimax over all pure policies, in rationals.
func TestMinimax(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		g := random(r, 2, 5)
		sol := solve(t, g)
		got, _ := sol.Value(nil, 0)

		var best *big.Rat // maximum over seat 0's policies of the minimum over seat 1's
		g.pure(0, func(a map[int]int) {
			var least *big.Rat
			g.pure(1, func(b map[int]int) {
				v, ok := g.value(0, func(s, k int) *big.Rat {
					c, ok := a[s]
					if !ok {
						c = b[s]
					}
					if c == k {
						return big.NewRat(1, 1)
					}
					return new(big.Rat)
				})
				if !ok {
					t.Fatal("the random game has no end")
				}
				if least == nil || v[0].Cmp(least) < 0 {
					least = v[0]
				}
			})
			if best == nil || least.Cmp(best) > 0 {
				best = least
			}
		})
		want, _ := best.Float64()
		if !near(got, []float64{want, -want}, 1e-14) {
			t.Errorf("value is %v, want %v for seat 0, of %v", got, want, g)
		}
	}
}

func TestEvaluate(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, players := range []int{1, 2, 3} {
		for range 20 {
			g := random(r, players, 6)
			sol := solve(t, g)
			value, err := sol.Value(nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			optimal := tabulate(t, sol, sol.Policy())
			uniform := tabulate(t, sol, g.uniform())

			got, err := sol.Evaluate(ctx, nil, slices.Repeat([]game.TabularPolicy{optimal}, players))
			if err != nil || !near(got, value, 1e-14) {
				t.Errorf("best play against itself has values %v, %v; want %v", got, err, value)
			}
			got, err = sol.Evaluate(ctx, []float64{42}, slices.Repeat([]game.TabularPolicy{uniform}, players))
			want := []float64{42}
			for seat := range players {
				v, ok := g.value(seat, func(s, k int) *big.Rat { return big.NewRat(1, int64(len(g.positions[s].to))) })
				if !ok {
					t.Fatal("the random game has no end")
				}
				x, _ := v[0].Float64()
				want = append(want, x)
			}
			if err != nil || !near(got, want, 1e-14) {
				t.Errorf("random play has values %v, %v; want %v", got, err, want)
			}

			for seat := range game.Player(players) {
				seats := slices.Repeat([]game.TabularPolicy{optimal}, players)
				seats[seat] = nil
				got, err := sol.BestResponse(ctx, seats, seat)
				if err != nil || !(math.Abs(got-value[seat]) <= 1e-14) {
					t.Errorf("the best response of seat %d to best play has value %v, %v; want %v", seat, got, err, value[seat])
				}

				// Against random play, the best of all pure policies.
				seats = slices.Repeat([]game.TabularPolicy{uniform}, players)
				got, err = sol.BestResponse(ctx, seats, seat)
				want := math.Inf(-1)
				g.pure(seat, func(choice map[int]int) {
					v, _ := g.value(int(seat), func(s, k int) *big.Rat {
						c, mine := choice[s]
						switch {
						case !mine:
							return big.NewRat(1, int64(len(g.positions[s].to)))
						case c == k:
							return big.NewRat(1, 1)
						}
						return new(big.Rat)
					})
					x, _ := v[0].Float64()
					want = max(want, x)
				})
				if err != nil || !(math.Abs(got-want) <= 1e-14) {
					t.Errorf("the best response of seat %d to random play has value %v, %v; want %v", seat, got, err, want)
				}
			}
		}
	}
}

func tabulate[S comparable](t *testing.T, sol *tabular.Solution[S], p game.Policy[S]) game.TabularPolicy {
	t.Helper()
	st, err := sol.Tabulate(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// A component with too many unknowns is solved by sweeps. Positions of kind a win with
// probability 1/2 and else lead to some b. Those lose with probability 1/4 and else
// lead to some a:
//
//	a = 1/2 + 1/2 b, b = -1/4 + 3/4 a, so a = 3/5 and b = 1/5
func TestLargeComponent(t *testing.T) {
	const n = 5000
	r := rand.New(rand.NewPCG(5, 6))
	g := graphGame{players: 2, positions: []position{decide(0, 3, 4), end(1, -1), end(-1, 1)}}
	for range n {
		a := func() int { return 3 + 2*r.IntN(n) }
		b := func() int { return 4 + 2*r.IntN(n) }
		g.positions = append(g.positions, roll(3, 1, 1, b(), 1, b(), 1, b()), roll(1, 2, 1, a(), 1, a(), 1, a()))
	}
	sol := solve(t, g)
	got, err := sol.Options(nil, 0)
	if err != nil || !near(got, []float64{0.6, 0.2}, 1e-14) {
		t.Errorf("options are %v, %v; want 0.6 and 0.2", got, err)
	}

	// Without an end the sweeps must stop too.
	g.positions[1], g.positions[2] = decide(0, 3), decide(1, 4)
	if _, err := tabular.Solve(ctx, g, tabular.Options{}); !errors.Is(err, game.ErrNoSolution) {
		t.Errorf("without an end the error is %v, want ErrNoSolution", err)
	}
}

// The probability of leaving a cycle may be far below the rounding error of 1.
func TestSlowCycle(t *testing.T) {
	g := graphGame{players: 2, positions: []position{decide(0, 1, 0), decide(1, 0, 2, 3), end(1, 0), end(0, 1)}}
	sol := solve(t, g)
	st := tabulate(t, sol, probs(func(row []float64, s int) {
		clear(row)
		if s == 0 {
			row[0], row[1] = 1e-30, 1
		} else {
			row[0], row[1], row[2] = 1, 3e-40, 1e-40
		}
	}))
	got, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{st, st})
	if err != nil || !near(got, []float64{0.75, 0.25}, 1e-15) {
		t.Errorf("got %v, %v; want 0.75 and 0.25", got, err)
	}
}

func TestEndless(t *testing.T) {
	// Both seats prefer an endless game to a loss.
	never := graphGame{players: 2, positions: []position{decide(0, 1, 2), decide(1, 0, 3), end(-1, 1), end(1, -1)}}
	if _, err := tabular.Solve(ctx, never, tabular.Options{}); !errors.Is(err, game.ErrNoSolution) {
		t.Errorf("a game without an end gives error %v, want ErrNoSolution", err)
	}

	// Move 0 stays in the cycle, move 1 ends the game.
	g := graphGame{players: 2, positions: []position{decide(0, 1, 2), decide(1, 0, 3), end(1, -1), end(-1, 1)}}
	sol := solve(t, g)
	stay, leave := tabulate(t, sol, g.always(0)), tabulate(t, sol, g.always(1))
	if got, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{stay, stay}); err == nil || !strings.Contains(err.Error(), "the game may never end") {
		t.Errorf("a game without an end has values %v, error %v", got, err)
	}
	got, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{stay, leave})
	if err != nil || !near(got, []float64{-1, 1}, 0) {
		t.Errorf("got %v, %v; want -1 and 1", got, err)
	}

	// Positions that a policy never reaches do not matter.
	g = graphGame{players: 1, positions: []position{decide(0, 1, 3), decide(0, 2, 3), decide(0, 1, 3), end(5)}}
	sol = solve(t, g)
	st := tabulate(t, sol, probs(func(row []float64, s int) {
		clear(row)
		row[map[int]int{0: 1}[s]] = 1
	}))
	if got, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{st}); err != nil || !near(got, []float64{5}, 0) {
		t.Errorf("got %v, %v; want 5", got, err)
	}
}

// Each of three seats may quit for 1, which pays 3 to the seat before. A seat prefers to
// quit only if, of the others, the seat two after it quits first. For three players no
// pure choices are in equilibrium.
func TestNoConvergence(t *testing.T) {
	g := graphGame{players: 3, positions: []position{
		decide(0, 1, 3), decide(1, 2, 4), decide(2, 0, 5), end(1, 0, 3), end(3, 1, 0), end(0, 3, 1),
	}}
	_, err := tabular.Solve(ctx, g, tabular.Options{})
	if !errors.Is(err, game.ErrNoSolution) || !strings.Contains(err.Error(), "do not converge") {
		t.Errorf("got error %v, want ErrNoSolution for choices that do not converge", err)
	}
}

func TestSolveLimits(t *testing.T) {
	g := random(rand.New(rand.NewPCG(7, 8)), 2, 100)
	n := solve(t, g).Len()
	if _, err := tabular.Solve(ctx, g, tabular.Options{MaxStates: n - 1}); !errors.Is(err, game.ErrNoSolution) || !strings.Contains(err.Error(), fmt.Sprintf("more than %d positions", n-1)) {
		t.Errorf("above MaxStates the error is %v, want ErrNoSolution", err)
	}
	var shares []float64
	if _, err := tabular.Solve(ctx, g, tabular.Options{MaxStates: n, Progress: func(x float64) { shares = append(shares, x) }}); err != nil {
		t.Errorf("at MaxStates: %v", err)
	}
	if !slices.IsSorted(shares) || len(shares) < 2 || shares[0] != 0 || shares[len(shares)-1] != 1 {
		t.Errorf("progress was %v, want 0 to 1", shares)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := tabular.Solve(cancelled, g, tabular.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("when cancelled the error is %v", err)
	}
	sol := solve(t, g)
	st := tabulate(t, sol, sol.Policy())
	if _, err := sol.Tabulate(cancelled, sol.Policy()); !errors.Is(err, context.Canceled) {
		t.Errorf("when cancelled Tabulate gives error %v", err)
	}
	if _, err := sol.Evaluate(cancelled, nil, []game.TabularPolicy{st, st}); !errors.Is(err, context.Canceled) {
		t.Errorf("when cancelled Evaluate gives error %v", err)
	}
	if _, err := sol.BestResponse(cancelled, []game.TabularPolicy{st, st}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("when cancelled BestResponse gives error %v", err)
	}
}

func TestUnknownPosition(t *testing.T) {
	g := duel(2, 1, 1)
	g.positions = append(g.positions, decide(0, 6)) // nothing leads there
	sol := solve(t, g)
	if _, err := sol.Value(nil, 8); err == nil || !strings.Contains(err.Error(), "position 8 cannot come up") {
		t.Errorf("Value gives error %v", err)
	}
	if _, err := sol.Options(nil, 8); err == nil || !strings.Contains(err.Error(), "position 8 cannot come up") {
		t.Errorf("Options gives error %v", err)
	}
	if err := sol.Policy().Probs(make([]float64, 2), []int{8}); err == nil || !strings.Contains(err.Error(), "position 8 cannot come up") {
		t.Errorf("Probs gives error %v", err)
	}
	if err := sol.Policy().Probs(make([]float64, 2), []int{1}); err == nil || !strings.Contains(err.Error(), "position 1 is not a decision") {
		t.Errorf("Probs at a roll gives error %v", err)
	}
	if got, err := sol.Options([]float64{7}, 1); err != nil || !slices.Equal(got, []float64{7}) {
		t.Errorf("Options at a roll are %v, %v; want none", got, err)
	}
	if got, err := sol.Options([]float64{7}, 0); err != nil || !near(got, []float64{7, 0.2, 0.2}, 1e-15) {
		t.Errorf("Options at the start are %v, %v; want 0.2 and 0.2", got, err)
	}
	if got, err := sol.Value([]float64{7}, 6); err != nil || !near(got, []float64{7, 1, -1}, 0) {
		t.Errorf("Value at the end is %v, %v; want 1 and -1", got, err)
	}
}

func TestCheckEncode(t *testing.T) {
	g := duel(5, 2, 3)
	if err := solve(t, g).CheckEncode(ctx, 1e-12); err != nil {
		t.Error(err)
	}
	// The seats are symmetric, so the mover needs no observation.
	g.hidden = func(mover bool) bool { return mover }
	if err := solve(t, g).CheckEncode(ctx, 1e-12); err != nil {
		t.Error(err)
	}
	g.hidden = func(mover bool) bool { return !mover }
	if err := solve(t, g).CheckEncode(ctx, 1e-12); err == nil || !strings.Contains(err.Error(), "their values are") {
		t.Errorf("got error %v, want one about values", err)
	}
	g.hidden = func(mover bool) bool { return mover }
	g.positions[5] = roll(1, 7, 1, 6)
	if err := solve(t, g).CheckEncode(ctx, 1e-12); err == nil || !strings.Contains(err.Error(), "the values of action") {
		t.Errorf("got error %v, want one about options", err)
	}
	g.positions[3] = decide(1, 4)
	if err := solve(t, g).CheckEncode(ctx, 1e-12); err == nil || !strings.Contains(err.Error(), "legal actions") {
		t.Errorf("got error %v, want one about legal actions", err)
	}
}

func TestManyGoroutines(t *testing.T) {
	g := random(rand.New(rand.NewPCG(9, 10)), 2, 50)
	sol := solve(t, g)
	want, _ := sol.Value(nil, 0)
	errs := make(chan error, 4)
	for range cap(errs) {
		go func() {
			st, err := sol.Tabulate(ctx, sol.Policy())
			if err == nil {
				var got []float64
				got, err = sol.Evaluate(ctx, nil, []game.TabularPolicy{st, st})
				if err == nil && !near(got, want, 1e-14) {
					err = errors.New("the values differ")
				}
			}
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// TestLongRows solves a game with more outcomes of a position than a block of moves holds.
func TestLongRows(t *testing.T) {
	const outcomes, ends = 70_000, 10
	g := graphGame{players: 1, positions: []position{{mover: 0, to: []int{1, 2, 3}}}}
	want := make([]float64, 3)
	for k := range want {
		x := position{mover: game.Chance}
		for i := range outcomes {
			x.to, x.weights = append(x.to, 4+(i*(k+1))%ends), append(x.weights, 1)
			want[k] += float64((i*(k+1))%ends) / outcomes
		}
		g.positions = append(g.positions, x)
	}
	for i := range ends {
		g.positions = append(g.positions, position{mover: game.Terminal, returns: []float64{float64(i)}})
	}
	sol, err := tabular.Solve(t.Context(), g, tabular.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := sol.Options(nil, 0)
	if err != nil || len(got) != len(want) {
		t.Fatalf("options %v, error %v; want %v", got, err, want)
	}
	for k := range want {
		if !(math.Abs(got[k]-want[k]) <= 1e-9) {
			t.Errorf("option %d has the value %v, want %v", k, got[k], want[k])
		}
	}
}
