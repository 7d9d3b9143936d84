package sgemm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"marsgym/internal/kernel/sgemm"
	"marsgym/internal/kernel/simd/simdtest"
)

// product holds the arguments of one call of Gemm. Each row of a matrix is followed by
// pad unused elements.
type product struct {
	tA, tB  bool
	m, n, k int
	add     bool
	pad     int

	a, b, c       []float32
	lda, ldb, ldc int
}

// fill creates the matrices. Every element, padding included, is from next.
func (p *product) fill(next func() float32) {
	matrix := func(rows, cols int, t bool) ([]float32, int) {
		if t {
			rows, cols = cols, rows
		}
		ld := cols + p.pad
		x := make([]float32, rows*ld)
		for i := range x {
			x[i] = next()
		}
		return x, ld
	}
	p.a, p.lda = matrix(p.m, p.k, p.tA)
	p.b, p.ldb = matrix(p.k, p.n, p.tB)
	p.c, p.ldc = matrix(p.m, p.n, false)
}

// gemm computes the product over c.
func (p *product) gemm(c []float32) {
	sgemm.Gemm(p.tA, p.tB, p.m, p.n, p.k, p.a, p.lda, p.b, p.ldb, c, p.ldc, p.add)
}

// gonum computes the product over c with gonum's BLAS.
func (p *product) gonum(c []float32) {
	flag := map[bool]blas.Transpose{false: blas.NoTrans, true: blas.Trans}
	beta := map[bool]float32{true: 1}
	gonum.Implementation{}.Sgemm(flag[p.tA], flag[p.tB], p.m, p.n, p.k, 1, p.a, p.lda, p.b, p.ldb, beta[p.add], c, p.ldc)
}

func (p *product) String() string {
	return fmt.Sprintf("tA %v, tB %v, %d×%d×%d, add %v, pad %d", p.tA, p.tB, p.m, p.n, p.k, p.add, p.pad)
}

// integers returns a source of integers from −4 to 4. Sums of a few hundred
// products of them are exact in float32, in whatever order.
func integers() func() float32 {
	rng := rand.New(rand.NewPCG(1, 2))
	return func() float32 { return float32(rng.IntN(9) - 4) }
}

// reals returns a source of numbers from −1 to 1.
func reals() func() float32 {
	rng := rand.New(rand.NewPCG(3, 4))
	return func() float32 { return 2*rng.Float32() - 1 }
}

// transposes calls f with each combination of the two flags.
func transposes(f func(tA, tB bool)) {
	for i := range 4 {
		f(i&1 != 0, i&2 != 0)
	}
}

// large are sizes m, n, k beyond the sizes of blocks, most with odd remainders. With
// {131, 523, 9}, B is packed though it is not transposed.
var large = [][3]int{
	{257, 129, 173}, {131, 523, 9}, {5, 300, 40}, {70, 300, 200}, {97, 33, 385}, {96, 256, 192}, {8, 32, 193}, {1, 257, 1},
}

func TestGemmIsExactOnIntegers(t *testing.T) {
	simdtest.Each(t, func(t *testing.T) {
		next := integers()
		test := func(p product) {
			p.fill(next)
			got, want := slices.Clone(p.c), slices.Clone(p.c)
			p.gemm(got)
			p.gonum(want)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%v: c[%d, %d] = %v, want %v (columns from %d on are padding)", &p, i/p.ldc, i%p.ldc, got[i], want[i], p.n)
				}
			}
		}
		primes := []int{1, 2, 3, 5, 7, 13, 17, 31, 37}
		if testing.Short() {
			primes = []int{1, 5, 13, 37}
		}
		transposes(func(tA, tB bool) {
			for _, m := range primes {
				for _, n := range primes {
					for _, k := range primes {
						test(product{tA: tA, tB: tB, m: m, n: n, k: k, add: true, pad: (m + n + k) % 3})
					}
				}
			}
			for _, s := range large {
				for _, pad := range []int{0, 5} {
					test(product{tA: tA, tB: tB, m: s[0], n: s[1], k: s[2], pad: pad})
				}
			}
			for _, add := range []bool{false, true} {
				test(product{tA: tA, tB: tB, m: 19, n: 45, k: 200, add: add, pad: 3})
				test(product{tA: tA, tB: tB, m: 19, n: 45, k: 0, add: add, pad: 3})
			}
		})
	})
}

func TestGemmAgreesWithGonum(t *testing.T) {
	simdtest.Each(t, func(t *testing.T) {
		next := reals()
		transposes(func(tA, tB bool) {
			for _, s := range large {
				p := product{tA: tA, tB: tB, m: s[0], n: s[1], k: s[2], add: true, pad: 1}
				p.fill(next)
				got, want := slices.Clone(p.c), slices.Clone(p.c)
				p.gemm(got)
				p.gonum(want)
				// The error of either sum of k products below 1 is at most k roundings
				// of a partial sum below k, and usually far less.
				tol := 1e-6 * float64(p.k+1)
				for i := range want {
					if !(math.Abs(float64(got[i])-float64(want[i])) <= tol) {
						t.Fatalf("%v: c[%d, %d] = %v, want %v", &p, i/p.ldc, i%p.ldc, got[i], want[i])
					}
				}
			}
		})
	})
}

func TestRowsDoNotDependOnM(t *testing.T) {
	simdtest.Each(t, func(t *testing.T) {
		next := reals()
		transposes(func(tA, tB bool) {
			for _, s := range large {
				p := product{tA: tA, tB: tB, m: s[0], n: s[1], k: s[2], add: true}
				p.fill(next)
				whole := slices.Clone(p.c)
				p.gemm(whole)
				parts := []int{1, 5, 8, 65}
				if testing.Short() {
					parts = []int{5}
				}
				for _, rows := range parts {
					split := slices.Clone(p.c)
					for i := 0; i < p.m; i += rows {
						start := i * p.lda
						if tA {
							start = i
						}
						sgemm.Gemm(tA, tB, min(rows, p.m-i), p.n, p.k, p.a[start:], p.lda, p.b, p.ldb, split[i*p.ldc:], p.ldc, p.add)
					}
					if i := differ(whole, split); i >= 0 {
						t.Fatalf("%v: c[%d, %d] = %v whole, %v in calls of %d rows", &p, i/p.ldc, i%p.ldc, whole[i], split[i], rows)
					}
				}
			}
		})
	})
}

// differ returns the first index at which x and y differ in any bit, or −1.
func differ(x, y []float32) int {
	for i := range x {
		if math.Float32bits(x[i]) != math.Float32bits(y[i]) {
			return i
		}
	}
	return -1
}

func TestNaN(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	simdtest.Each(t, func(t *testing.T) {
		transposes(func(tA, tB bool) {
			p := product{tA: tA, tB: tB, m: 21, n: 53, k: 200}
			zero := func() float32 { return 0 }

			p.fill(zero)
			for i := range p.c {
				p.c[i] = nan
			}
			p.gemm(p.c)
			if i := differ(p.c, make([]float32, len(p.c))); i >= 0 {
				t.Errorf("%v: C still has %v though add is not set", &p, p.c[i])
			}

			// Elements (i, q) of A and (q, j) of B make row i and column j NaN, even
			// where they are multiplied by 0.
			const i, j, q = 17, 51, 197
			at := func(x []float32, ld, row, col int, t bool) *float32 {
				if t {
					row, col = col, row
				}
				return &x[row*ld+col]
			}
			p.fill(zero)
			*at(p.a, p.lda, i, q, tA) = nan
			*at(p.b, p.ldb, q, j, tB) = inf
			p.gemm(p.c)
			for x, v := range p.c {
				want := x/p.ldc == i || x%p.ldc == j
				if got := v != v; got != want {
					t.Fatalf("%v: c[%d, %d] = %v, want NaN: %v", &p, x/p.ldc, x%p.ldc, v, want)
				}
			}
		})
	})
}

func TestEmpty(t *testing.T) {
	for _, p := range []struct {
		m, n, k int
		add     bool
		want    float32
	}{
		{0, 1, 1, false, 3},
		{1, 0, 1, false, 3},
		{1, 1, 0, true, 3},
		{1, 1, 0, false, 0},
	} {
		c := []float32{3}
		sgemm.Gemm(false, false, p.m, p.n, p.k, []float32{1}, 1, []float32{1}, 1, c, 1, p.add)
		if c[0] != p.want {
			t.Errorf("%+v: c = %v", p, c[0])
		}
	}
}

func TestPanics(t *testing.T) {
	x := make([]float32, 12)
	for _, p := range []struct {
		name    string
		tA, tB  bool
		m, n, k int
		ld      [3]int
		len     [3]int
		want    string
	}{
		{"negative m", false, false, -1, 2, 2, [3]int{2, 2, 2}, [3]int{4, 4, 4}, "negative size: m is -1"},
		{"lda", false, false, 2, 2, 3, [3]int{2, 2, 2}, [3]int{6, 6, 4}, "lda is 2, less than the 3 columns of a"},
		{"lda, transposed", true, false, 3, 2, 2, [3]int{2, 2, 2}, [3]int{6, 4, 6}, "lda is 2, less than the 3 columns of a"},
		{"ldb", false, true, 2, 2, 3, [3]int{3, 2, 2}, [3]int{6, 6, 4}, "ldb is 2, less than the 3 columns of b"},
		{"ldc", false, false, 2, 3, 2, [3]int{2, 3, 2}, [3]int{4, 6, 6}, "ldc is 2, less than the 3 columns of c"},
		{"short a", false, false, 2, 2, 3, [3]int{3, 2, 2}, [3]int{5, 6, 4}, "a has length 5, too short for 2 rows of 3 columns with lda 3"},
		{"short b", false, false, 2, 2, 3, [3]int{3, 4, 2}, [3]int{6, 9, 4}, "b has length 9, too short for 3 rows of 2 columns with ldb 4"},
		{"short c", false, false, 2, 2, 3, [3]int{3, 2, 5}, [3]int{6, 6, 6}, "c has length 6, too short for 2 rows of 2 columns with ldc 5"},
		{"empty c", false, false, 2, 2, 3, [3]int{3, 2, 2}, [3]int{6, 6, 0}, "c has length 0"},
		{"overflow", false, false, math.MaxInt, 1, 1, [3]int{1, 1, 2}, [3]int{12, 12, 12}, "c has length 12"},
	} {
		t.Run(p.name, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, p.want) {
					t.Errorf("panic %q, want %q", got, p.want)
				}
			}()
			sgemm.Gemm(p.tA, p.tB, p.m, p.n, p.k, x[:p.len[0]], p.ld[0], x[:p.len[1]], p.ld[1], slices.Clone(x[:p.len[2]]), p.ld[2], false)
		})
	}
}

func TestConcurrentCalls(t *testing.T) {
	simdtest.Each(t, func(t *testing.T) {
		p := product{tB: true, m: 64, n: 45, k: 201}
		p.fill(reals())
		want := slices.Clone(p.c)
		p.gemm(want)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				got := slices.Clone(p.c)
				for range 10 {
					p.gemm(got)
					if i := differ(got, want); i >= 0 {
						t.Errorf("c[%d] = %v during other calls, %v alone", i, got[i], want[i])
						return
					}
				}
			})
		}
		wg.Wait()
	})
}

func TestProductsDoNotAllocate(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("with the race detector, sync.Pool drops objects at random")
	}
	simdtest.Each(t, func(t *testing.T) {
		p := product{tB: true, m: 9, n: 45, k: 33}
		p.fill(reals())
		q := product{tA: true, m: 9, n: 45, k: 33}
		q.fill(func() float32 { return 0 })
		if n := testing.AllocsPerRun(100, func() { p.gemm(p.c); q.sparse(q.c) }); n != 0 {
			t.Errorf("%v allocations a call, want 0", n)
		}
	})
}

func ExampleGemm() {
	x := []float32{1, 2, 3, 4, 5, 6} // two rows of three inputs
	w := []float32{1, 0, 1, 0, 1, 0} // two outputs from three inputs
	y := make([]float32, 4)
	sgemm.Gemm(false, true, 2, 2, 3, x, 3, w, 3, y, 2, false)
	fmt.Println(y)
	// Output: [4 2 10 5]
}
