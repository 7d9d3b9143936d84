package martianrisk_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"marsgym/env/martianrisk"
)

// battle counts the throws of the four dice in which the attacker wins, with towers of
// these heights, and all throws.
func battle(attacker, defender int) (won, all int64) {
	for a := 1; a <= 4; a++ {
		for b := 1; b <= 4; b++ {
			for c := 1; c <= 4; c++ {
				for d := 1; d <= 4; d++ {
					if a+b+attacker > c+d+defender {
						won++
					}
					all++
				}
			}
		}
	}
	return won, all
}

func TestBattleOdds(t *testing.T) {
	want := map[int]int64{-3: 15, -2: 35, -1: 66, 0: 106, 1: 150, 2: 190, 3: 221} // of 256
	for attacker := range 4 {
		for defender := range 4 {
			won, all := battle(attacker, defender)
			if got, exact := martianrisk.BattleOdds(attacker-defender), float64(won)/float64(all); !(math.Abs(got-exact) <= 1e-15) || won != want[attacker-defender] {
				t.Errorf("towers %d against %d: %v, by enumeration %v", attacker, defender, got, exact)
			}
		}
	}
}

// chain plays an attack battle by battle in exact fractions, and adds the probability p
// of each end, attackers and defenders, to ends.
func chain(a, d int, p, win *big.Rat, ends map[[2]int]*big.Rat) {
	if a == 1 || d == 0 {
		if ends[[2]int{a, d}] == nil {
			ends[[2]int{a, d}] = new(big.Rat)
		}
		ends[[2]int{a, d}].Add(ends[[2]int{a, d}], p)
		return
	}
	chain(a, d-1, new(big.Rat).Mul(p, win), win, ends)
	chain(a-1, d, new(big.Rat).Mul(p, new(big.Rat).Sub(big.NewRat(1, 1), win)), win, ends)
}

func TestConquest(t *testing.T) {
	for higher := -3; higher <= 3; higher++ {
		won, all := battle(max(higher, 0), max(-higher, 0))
		for a := 1; a <= 7; a++ {
			for d := 0; d <= 6; d++ {
				ends := make(map[[2]int]*big.Rat)
				chain(a, d, big.NewRat(1, 1), big.NewRat(won, all), ends)
				c := martianrisk.NewConquest(a, d, higher)
				at := fmt.Sprintf("%d against %d, towers %+d", a, d, higher)
				conquered := 0.0
				for i, got := range c.Left {
					want := value(ends[[2]int{i, 0}])
					conquered += want
					if !(math.Abs(got-want) <= 1e-14) {
						t.Errorf("%s: conquers with %d left with probability %v, want %v", at, i, got, want)
					}
				}
				for j, got := range c.Held {
					want := value(ends[[2]int{1, j}])
					if j == 0 {
						want = 0 // counted as conquest
					}
					if !(math.Abs(got-want) <= 1e-14) {
						t.Errorf("%s: held by %d with probability %v, want %v", at, j, got, want)
					}
				}
				if !(math.Abs(c.Odds-conquered) <= 1e-14) {
					t.Errorf("%s: conquers with probability %v, want %v", at, c.Odds, conquered)
				}
			}
		}
	}
}

func value(x *big.Rat) float64 {
	if x == nil {
		return 0
	}
	v, _ := x.Float64()
	return v
}

// TestConquestTable compares with published probabilities at equal towers.
func TestConquestTable(t *testing.T) {
	for d, row := range map[int][]float64{1: {.4141, .6567, .7988, .8821}, 2: {.1714, .3724, .5489, .6869}, 3: {.0710, .1958, .3420, .4848}} {
		for i, want := range row {
			if got := martianrisk.NewConquest(i+2, d, 0).Odds; !(math.Abs(got-want) <= 5e-5) {
				t.Errorf("%d against %d: %.5f, want %.4f", i+2, d, got, want)
			}
		}
	}
}

// TestConquestLarge checks that probabilities at the largest sizes are from 0 to 1 and
// sum to 1.
func TestConquestLarge(t *testing.T) {
	for _, higher := range []int{-3, 0, 3} {
		c := martianrisk.NewConquest(200, 200, higher)
		sum := 0.0
		for _, p := range append(c.Left, c.Held...) {
			if !(p >= 0 && p <= 1) {
				t.Fatalf("a probability of %v", p)
			}
			sum += p
		}
		if !(math.Abs(sum-1) <= 1e-9) {
			t.Errorf("at %+d the probabilities sum to %v", higher, sum)
		}
	}
}

// TestStopping compares with the best of all rules, by enumeration. A rule decides for
// each number of armies of both sides whether to fight on.
func TestStopping(t *testing.T) {
	const a, d = 4, 2
	payoff := func(i, j int) float64 { // 1 for an army, 2.5 for a region
		if j == 0 {
			return float64(i) + 2.5
		}
		return float64(i) - 0.1*float64(j*j)
	}
	sizes := [][2]int{{2, 1}, {3, 1}, {4, 1}, {2, 2}, {3, 2}, {4, 2}}
	for higher := -3; higher <= 3; higher++ {
		w, best := martianrisk.BattleOdds(higher), math.Inf(-1)
		for rule := range 1 << len(sizes) {
			var evaluate func(i, j int) float64
			evaluate = func(i, j int) float64 {
				for k, s := range sizes {
					if s == [2]int{i, j} && rule>>k&1 == 1 {
						return w*evaluate(i, j-1) + (1-w)*evaluate(i-1, j)
					}
				}
				return payoff(i, j)
			}
			best = max(best, evaluate(a, d))
		}
		s := martianrisk.NewStopping(a, d, higher, payoff)
		if got := s.Value[a][d]; !(math.Abs(got-best) <= 1e-12) {
			t.Errorf("towers %+d: value %v, the best of all rules %v", higher, got, best)
		}
		if fight := s.Value[a][d] > payoff(a, d); s.Fight[a][d] != fight {
			t.Errorf("towers %+d: fight is %v", higher, s.Fight[a][d])
		}
	}
}

// TestStoppingConquest checks that with a payoff for conquest alone the best rule is
// never to stop, and its value the probability of conquest.
func TestStoppingConquest(t *testing.T) {
	s := martianrisk.NewStopping(10, 10, 1, func(i, j int) float64 {
		if j == 0 {
			return 1
		}
		return 0
	})
	for a := 2; a <= 10; a++ {
		for d := 1; d <= 10; d++ {
			if want := martianrisk.NewConquest(a, d, 1).Odds; !(math.Abs(s.Value[a][d]-want) <= 1e-12) || !s.Fight[a][d] {
				t.Errorf("%d against %d: %v, want %v", a, d, s.Value[a][d], want)
			}
		}
	}
}

func ExampleNewConquest() {
	fmt.Println("1 to 4 defenders against 2 to 6 attackers, equal towers")
	for d := 1; d <= 4; d++ {
		fmt.Print(d)
		for a := 2; a <= 6; a++ {
			fmt.Printf("  %.3f", martianrisk.NewConquest(a, d, 0).Odds)
		}
		fmt.Println()
	}
	// Output:
	// 1 to 4 defenders against 2 to 6 attackers, equal towers
	// 1  0.414  0.657  0.799  0.882  0.931
	// 2  0.171  0.372  0.549  0.687  0.788
	// 3  0.071  0.196  0.342  0.485  0.610
	// 4  0.029  0.098  0.199  0.317  0.439
}
