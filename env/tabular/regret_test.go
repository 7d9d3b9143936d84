package tabular_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/tabular"
)

func regrets[S comparable](t *testing.T, sol *tabular.Solution[S], p game.Policy[S], seat game.Player) (list []game.Regret[S]) {
	t.Helper()
	err := sol.Regrets(ctx, p, seat, func(r game.Regret[S]) error {
		list = append(list, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// checkLoss compares the sum of all regrets of p in a seat with its loss there against
// best play.
func checkLoss[S comparable](t *testing.T, rules game.Rules[S], sol *tabular.Solution[S], p game.Policy[S], seat game.Player, tol float64) {
	t.Helper()
	seats := slices.Repeat([]game.TabularPolicy{tabulate(t, sol, sol.Policy())}, rules.Spec().Players)
	value, err := sol.Evaluate(ctx, nil, seats)
	if err != nil {
		t.Fatal(err)
	}
	seats[seat] = tabulate(t, sol, p)
	got, err := sol.Evaluate(ctx, nil, seats)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, r := range regrets(t, sol, p, seat) {
		if !(r.Reach > 0 && 0 < r.Prob && r.Prob <= 1 && r.Loss > 0) || r.Action == r.Best {
			t.Fatalf("%+v", r)
		}
		sum += r.Cost()
	}
	if want := value[seat] - got[seat]; !(math.Abs(sum-want) <= tol) {
		t.Errorf("regrets of seat %d add up to %v; it loses %v", seat, sum, want)
	}
}

// See duel. A careful shot hits with probability 1/3. A risky one hits with 3/10, misses
// with 3/10 and else loses the game. Best play is careful: the shooter wins with 3/5
// and expects 1/5. One risky shot wins with 3/10 + 3/10·2/5 = 21/50 and expects -4/25,
// which is 9/25 less. Against a careful opponent a risky seat 0 is expected to shoot
// 1/(1 - 3/10·2/3) = 5/4 times.
func TestRegretsByHand(t *testing.T) {
	g := duel(3, 4, 3)
	sol := solve(t, g)
	got := regrets(t, sol, g.always(1), 0)
	if len(got) != 1 || !near([]float64{got[0].Reach, got[0].Loss}, []float64{5.0 / 4, 9.0 / 25}, 1e-14) {
		t.Fatalf("got %+v, want a reach of 5/4 and a loss of 9/25", got)
	}
	if want := (game.Regret[int]{State: 0, Action: 1, Best: 0, Reach: got[0].Reach, Prob: 1, Loss: got[0].Loss}); got[0] != want {
		t.Errorf("got %+v, want %+v", got[0], want)
	}
	if got := regrets(t, sol, sol.Policy(), 0); len(got) > 0 {
		t.Errorf("best play has regrets %+v", got)
	}
}

func TestRegrets(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for players := range game.Player(3) {
		for range 30 {
			g := random(r, int(players)+1, 8)
			sol := solve(t, g)
			for _, p := range []probs{g.uniform(), g.always(0), g.always(2), g.mixed(r.Uint64())} {
				for seat := range players + 1 {
					checkLoss(t, g, sol, p, seat, 1e-12)
				}
			}
		}
	}
}

// mixed returns a policy with random probabilities for all moves.
func (g graphGame) mixed(seed uint64) probs {
	return func(row []float64, s int) {
		r := rand.New(rand.NewPCG(seed, uint64(s)))
		clear(row)
		sum := 0.0
		for a := range g.positions[s].to {
			row[a] = r.Float64()
			sum += row[a]
		}
		for a := range row {
			row[a] /= sum
		}
	}
}

// Symmetric positions are merged, and so are their regrets.
func TestRegretsSymmetry(t *testing.T) {
	sol := solve(t, sorted{})
	for seat := range game.Player(2) {
		checkLoss(t, sorted{}, sol, game.Uniform[piles]{Rules: sorted{}}, seat, 1e-12)
	}
}

// A component with too many unknowns is solved by sweeps. Each of its positions leads to
// 1, to 2 or to other positions of the component.
func TestRegretsLargeComponent(t *testing.T) {
	const n = 3000
	r := rand.New(rand.NewPCG(5, 6))
	g := graphGame{players: 1, positions: []position{decide(0, 3, 4), end(1), end(-1)}}
	for i := range n {
		to := func() int { return 3 + 2*r.IntN(n) }
		g.positions = append(g.positions, roll(1, 1, 1, 4+2*i, 1, to(), 1, to()), decide(0, to(), to(), 2))
	}
	sol := solve(t, g)
	checkLoss(t, g, sol, g.uniform(), 0, 1e-12)
	checkLoss(t, g, sol, g.mixed(1), 0, 1e-12)
}

func TestRegretsFaults(t *testing.T) {
	g := graphGame{players: 2, positions: []position{decide(0, 1, 2), decide(1, 0, 2), end(1, -1)}}
	g.positions[2] = end(-1, 1)
	sol := solve(t, g)
	for _, seat := range []game.Player{-1, 2} {
		if err := sol.Regrets(ctx, g.uniform(), seat, nil); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("seat %d; want 0 to 1", seat)) {
			t.Errorf("seat %d: %v", seat, err)
		}
	}
	stop := errors.New("stop")
	n := 0
	long := random(rand.New(rand.NewPCG(1, 2)), 1, 8)
	err := solve(t, long).Regrets(ctx, long.uniform(), 0, func(game.Regret[int]) error { n++; return stop })
	if n != 1 || !errors.Is(err, stop) {
		t.Errorf("after an error yield is called %d times, and the error is %v", n, err)
	}
}
