package pig_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/pig"
	"marsgym/internal/test/fulltest"
)

var ctx = context.Background()

func solve(t testing.TB, r *pig.Rules) game.Solution[pig.State] {
	t.Helper()
	sol, err := r.Solve(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sol
}

// share returns the probability that a seat wins, given its expected return.
func share(r *pig.Rules, ret float64) float64 { return r.Spec().WinShare(ret) }

func TestPublishedSolution(t *testing.T) {
	if !fulltest.On() {
		t.Skip("takes seconds")
	}
	r := rules(t, 2, 100)
	sol := solve(t, r)
	v, err := sol.Value(nil, r.Initial())
	if err != nil {
		t.Fatal(err)
	}
	// Neller and Presser, 2004.
	if got, want := share(r, v[0]), 0.530592725; !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("the first player wins with probability %.12f, want %v", got, want)
	}
	if !(sol.Residual() <= 1e-14) {
		t.Errorf("residual is %v", sol.Residual())
	}

	// Neller, "First-player advantage", nifty.stanford.edu/2010/neller-pig: both hold at
	// 20 or at the goal.
	p, err := r.Bot("greedy")
	if err != nil {
		t.Fatal(err)
	}
	greedy, err := sol.Tabulate(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	v, err = sol.Evaluate(ctx, nil, []game.TabularPolicy{greedy, greedy})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := share(r, v[0]), 0.5347; !(math.Abs(got-want) <= 5e-5) {
		t.Errorf("greedy against itself wins with probability %v moving first, want %v", got, want)
	}
}

// valueIteration is the oracle for best play of two: the equations of Neller and
// Presser, iterated until they converge. It returns the probability that the mover
// wins, by own score, the other's score and turn total.
func valueIteration(target int) [][][]float64 {
	win := make([][][]float64, target)
	for i := range win {
		win[i] = make([][]float64, target)
		for j := range win[i] {
			win[i][j] = make([]float64, target-i)
		}
	}
	p := func(i, j, k int) float64 {
		if i+k >= target {
			return 1
		}
		return win[i][j][k]
	}
	for change := 1.0; change > 1e-15; {
		change = 0
		for i := range target {
			for j := range target {
				for k := range target - i {
					v := 1 - p(j, i, 0)
					for face := 2; face <= 6; face++ {
						v += p(i, j, k+face)
					}
					v /= 6
					if k > 0 {
						v = max(v, 1-p(j, i+k, 0))
					}
					change = max(change, math.Abs(v-win[i][j][k]))
					win[i][j][k] = v
				}
			}
		}
	}
	return win
}

func TestBestPlay(t *testing.T) {
	for _, target := range []int{2, 7, 20, 30} {
		r := rules(t, 2, target)
		sol := solve(t, r)
		win := valueIteration(target)
		for i := range target {
			for j := range target {
				for k := range target - i {
					s, err := r.Parse(fmt.Sprintf("%d-%d@1 turn %d", j, i, k))
					if err != nil {
						continue // a score or a total of 1
					}
					v, err := sol.Value(nil, s)
					if err != nil {
						t.Fatal(err)
					}
					if got, want := share(r, v[1]), win[i][j][k]; !(math.Abs(got-want) <= 1e-13) {
						t.Fatalf("to %d points, at %s the mover wins with probability %v, want %v", target, r.Format(s), got, want)
					}
				}
			}
		}
		if err := sol.(*pig.Solution).CheckEncode(ctx, 1e-12); err != nil {
			t.Error(err)
		}
	}
}

// holdAt is the policy that holds at a turn total.
type holdAt int

func (n holdAt) Probs(dst []float64, states []pig.State) error {
	clear(dst)
	for i, s := range states {
		a := pig.Roll
		if int(s.Total) >= int(n) {
			a = pig.Hold
		}
		dst[2*i+int(a)] = 1
	}
	return nil
}

// turn returns the distribution of the points of a turn that holds at n or wins with
// need points.
func turn(n, need int) []*big.Rat {
	sixth := big.NewRat(1, 6)
	dist := make([]*big.Rat, need+6)  // of the points at the end
	reach := make([]*big.Rat, need+6) // of the turn total on the way
	for k := range dist {
		dist[k], reach[k] = new(big.Rat), new(big.Rat)
	}
	reach[0].SetInt64(1)
	for have, p := range reach {
		if have >= need || have > 0 && have >= n {
			dist[have] = p
			continue
		}
		each := new(big.Rat).Mul(p, sixth)
		dist[0].Add(dist[0], each)
		for face := 2; face <= 6; face++ {
			reach[have+face].Add(reach[have+face], each)
		}
	}
	return dist
}

// duel is the oracle for two players who hold at fixed totals: the exact probability
// that the first wins.
func duel(target, first, second int) *big.Rat {
	one := big.NewRat(1, 1)
	hold := [2]int{first, second}
	win := make(map[[3]int]*big.Rat) // by seat of the mover, own score, other's
	for sum := 2*target - 2; sum >= 0; sum-- {
		for i := max(0, sum-target+1); i <= min(sum, target-1); i++ {
			// With x for the probability that seat 0 wins when it is to move at i-j, and y
			// for seat 1: x = a0 + b0 (1-y), y = a1 + b1 (1-x), where b is the
			// probability of a turn without points.
			j := sum - i
			var a [2]*big.Rat
			var b [2]*big.Rat
			for seat, score := range [2]int{i, j} {
				a[seat] = new(big.Rat)
				for k, p := range turn(hold[seat], target-score) {
					switch {
					case k == 0:
						b[seat] = p
					case score+k >= target:
						a[seat].Add(a[seat], p)
					case p.Sign() > 0:
						lose := win[[3]int{1 - seat, i + j - score, score + k}]
						a[seat].Add(a[seat], new(big.Rat).Mul(p, new(big.Rat).Sub(one, lose)))
					}
				}
			}
			// x = (a0 + b0 - b0 a1 - b0 b1) / (1 - b0 b1)
			bb := new(big.Rat).Mul(b[0], b[1])
			x := new(big.Rat).Add(a[0], b[0])
			x.Sub(x, new(big.Rat).Mul(b[0], a[1])).Sub(x, bb)
			x.Quo(x, new(big.Rat).Sub(one, bb))
			y := new(big.Rat).Sub(one, x)
			y.Mul(y, b[1]).Add(y, a[1])
			win[[3]int{0, i, j}], win[[3]int{1, j, i}] = x, y
		}
	}
	return win[[3]int{0, 0, 0}]
}

func TestEvaluate(t *testing.T) {
	const target = 17
	r := rules(t, 2, target)
	sol := solve(t, r)
	for _, hold := range [][2]int{{1, 1}, {5, 5}, {4, 9}, {9, 4}, {17, 6}} {
		var seats []game.TabularPolicy
		for _, n := range hold {
			st, err := sol.Tabulate(ctx, holdAt(n))
			if err != nil {
				t.Fatal(err)
			}
			seats = append(seats, st)
		}
		v, err := sol.Evaluate(ctx, nil, seats)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := duel(target, hold[0], hold[1]).Float64()
		if got := share(r, v[0]); !(math.Abs(got-want) <= 1e-14) {
			t.Errorf("holding at %d beats holding at %d with probability %v, want %v", hold[0], hold[1], got, want)
		}
		best, err := sol.BestResponse(ctx, seats, 0)
		if err != nil || !(best >= v[0]) {
			t.Errorf("the best response has value %v, %v; holding at %d has %v", best, err, hold[0], v[0])
		}
	}
}

// TestWeakPolicy evaluates a policy against which two choices of a best response are
// as good as each other within game.Tie.
func TestWeakPolicy(t *testing.T) {
	if !fulltest.On() {
		t.Skip("takes half a minute; set MARSGYM_FULL=1")
	}
	r := rules(t, 2, 100)
	sol := solve(t, r)
	st, err := sol.Tabulate(ctx, holdAt(1))
	if err != nil {
		t.Fatal(err)
	}
	for seat := range game.Player(2) {
		if best, err := sol.BestResponse(ctx, []game.TabularPolicy{st, st}, seat); err != nil || !(share(r, best) > 0.99) {
			t.Errorf("the best response of seat %d wins %v, %v; want more than 0.99", seat, share(r, best), err)
		}
	}
}

func TestThreePlayers(t *testing.T) {
	r := rules(t, 3, 15)
	sol := solve(t, r)
	v, err := sol.Value(nil, r.Initial())
	if err != nil {
		t.Fatal(err)
	}
	if sum := v[0] + v[1] + v[2]; !(math.Abs(sum) <= 1e-14) || !(v[0] > v[1] && v[1] > v[2]) {
		t.Errorf("values are %v, want falling with sum 0", v)
	}
	if !(sol.Residual() <= 1e-14) {
		t.Errorf("residual is %v", sol.Residual())
	}
}

func TestTooLargeToSolve(t *testing.T) {
	for _, cfg := range []pig.Config{{Players: 2, Target: 136}, {Players: 3, Target: 100}, {Players: 10, Target: 20}} {
		r := rules(t, cfg.Players, cfg.Target)
		if _, err := r.Solve(ctx, nil); !errors.Is(err, game.ErrNoSolution) || !strings.Contains(err.Error(), fmt.Sprintf("for %d players to %d ", cfg.Players, cfg.Target)) {
			t.Errorf("%+v: got error %v, want ErrNoSolution", cfg, err)
		}
	}
}

func BenchmarkSolve(b *testing.B) {
	r := rules(b, 2, 100)
	for b.Loop() {
		solve(b, r)
	}
}
