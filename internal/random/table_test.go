// In package random: the exact test reads the columns of a table.
package random

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// distributions returns weights that are difficult in different ways: even, uneven, with
// zeros, over many orders of magnitude, and many.
func distributions() map[string][]float64 {
	d := map[string][]float64{
		"one":       {3},
		"die":       {1, 1, 1, 1, 1, 1},
		"uneven":    {1, 2, 1, 1, 1},
		"zeros":     {0, 5, 0, 0, 1, 0},
		"power":     {1, 1, 2, 4},
		"magnitude": {1e-300, 1e-12, 1e-6, 1, 1e6},
	}
	var multinomial []float64 // 13 dice of two faces at 1/6 and 5/6
	p := math.Pow(5.0/6, 13)
	for k := range 14 {
		multinomial = append(multinomial, p)
		p *= float64(13-k) / float64(k+1) / 5
	}
	d["multinomial"] = multinomial
	r := rand.New(rand.NewPCG(1, 2))
	long := make([]float64, 5000)
	for i := range long {
		long[i] = math.Exp(3 * r.NormFloat64())
	}
	d["long"] = long
	return d
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

func TestImpliedProbabilities(t *testing.T) {
	for name, weights := range distributions() {
		t.Run(name, func(t *testing.T) {
			table := New(weights)
			n := float64(len(table.columns))
			got := make([]float64, len(weights))
			for i, c := range table.columns {
				if c.alias == i {
					got[i]++
					continue
				}
				keep := math.Ldexp(float64(c.keep), -64)
				got[i] += keep
				got[c.alias] += 1 - keep
			}
			total := sum(weights)
			for i, w := range weights {
				if !(math.Abs(got[i]/n-w/total) <= 1e-15) {
					t.Errorf("probability of %d is %v, want %v", i, got[i]/n, w/total)
				}
				if w == 0 && got[i] != 0 {
					t.Errorf("index %d of weight 0 has probability %v", i, got[i]/n)
				}
			}
		})
	}
}

func TestDrawFollowsWeights(t *testing.T) {
	for name, weights := range distributions() {
		t.Run(name, func(t *testing.T) {
			table := New(weights)
			r := rand.NewPCG(7, 11)
			const draws = 1 << 18
			count := make([]float64, len(weights))
			for range draws {
				count[table.Draw(r)]++
			}
			// Cells with an expected count below 5 are merged.
			var chi2, restGot, restWant, total float64
			cells := 0
			total = sum(weights)
			for i, w := range weights {
				want := draws * w / total
				if want < 5 {
					restGot += count[i]
					restWant += want
					continue
				}
				chi2 += (count[i] - want) * (count[i] - want) / want
				cells++
			}
			if restWant > 1 {
				chi2 += (restGot - restWant) * (restGot - restWant) / restWant
				cells++
			} else if restGot > 10 {
				t.Errorf("%v draws where %v were expected", restGot, restWant)
			}
			if df := float64(cells - 1); df > 0 {
				// Wilson and Hilferty, PNAS 17(12), 1931: z is about standard normal.
				z := (math.Cbrt(chi2/df) - (1 - 2/(9*df))) / math.Sqrt(2/(9*df))
				if !(z < 4) {
					t.Errorf("chi-square %v with %v degrees of freedom (z = %v)", chi2, df, z)
				}
			}
		})
	}
}

func TestDrawTakesOneNumber(t *testing.T) {
	table := New([]float64{1, 2, 3})
	r, s := rand.NewPCG(3, 4), rand.NewPCG(3, 4)
	for range 100 {
		table.Draw(r)
		s.Uint64()
	}
	if *r != *s {
		t.Error("100 draws did not take 100 numbers")
	}
	if n := testing.AllocsPerRun(100, func() { table.Draw(r) }); n != 0 {
		t.Errorf("%v allocations in Draw, want 0", n)
	}
}

func TestNewIsDeterministic(t *testing.T) {
	w := distributions()["long"]
	a, b := New(w), New(w)
	for i := range a.columns {
		if a.columns[i] != b.columns[i] {
			t.Fatalf("column %d differs: %v and %v", i, a.columns[i], b.columns[i])
		}
	}
}

func TestNewPanics(t *testing.T) {
	for _, test := range []struct {
		weights []float64
		want    string
	}{
		{nil, "random: the weights sum to 0"}, {[]float64{0, 0}, "random: the weights sum to 0"},
		{[]float64{1, -1}, "random: weight 1 is -1"}, {[]float64{math.NaN()}, "random: weight 0 is NaN"}, {[]float64{math.Inf(1)}, "random: weight 0 is +Inf"},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, "random: the weights sum to +Inf"},
	} {
		t.Run(fmt.Sprint(test.weights), func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, test.want) {
					t.Errorf("panic %q, want %q", got, test.want)
				}
			}()
			New(test.weights)
		})
	}
}

func BenchmarkDraw(b *testing.B) {
	table := New(distributions()["multinomial"])
	r := rand.NewPCG(1, 1)
	sink := 0
	for b.Loop() {
		sink += table.Draw(r)
	}
	_ = sink
}
