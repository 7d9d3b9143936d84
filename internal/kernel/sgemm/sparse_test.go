package sgemm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/internal/kernel/sgemm"
	"marsgym/internal/kernel/simd/simdtest"
)

// thin sets elements of A to zeros of either sign, except for a fraction of about
// density and the last full rows.
func (p *product) thin(r *rand.Rand, density float64, full int) {
	for i := range len(p.a) - full*p.lda {
		if r.Float64() >= density {
			p.a[i] = float32(math.Copysign(0, r.Float64()-0.5))
		}
	}
}

// sparse computes the product over c with Sparse or SparseT.
func (p *product) sparse(c []float32) {
	if p.tA {
		sgemm.SparseT(p.m, p.n, p.k, p.a, p.lda, p.b, c)
	} else {
		sgemm.Sparse(p.m, p.n, p.k, p.a, p.b, c, sgemm.Epilogue{})
	}
}

// rows computes the product over c with Rows, listed in two parts.
func (p *product) rows(c []float32) {
	var x, y sgemm.Rows
	cols, rows := p.k, p.m
	if p.tA {
		cols, rows = p.m, p.k
	}
	x.Reset(cols)
	x.Append(p.a[:rows/3*cols])
	x.Append(p.a[rows/3*cols:])
	y.Reset(cols)
	y.AppendRows(&x, 0, rows/2)
	y.AppendRows(&x, rows/2, rows)
	half := p.m / 2
	if p.tA {
		x.Transpose(&y)
		x.MulAdd(0, half, p.n, p.b, c, false)
		clear(c[half*p.n : p.m*p.n])
		x.MulAdd(half, p.m, p.n, p.b, c[half*p.n:], true)
		return
	}
	y.Mul(0, half, p.n, p.b, c, sgemm.Epilogue{})
	x.Mul(half, p.m, p.n, p.b, c[half*p.n:], sgemm.Epilogue{})
}

func TestSparseIsGemmToTheBit(t *testing.T) {
	simdtest.Each(t, func(t *testing.T) {
		next, r := reals(), rand.New(rand.NewPCG(5, 6))
		test := func(s [3]int, density float64, full int) {
			for _, tA := range []bool{false, true} {
				p := product{tA: tA, m: s[0], n: s[1], k: s[2]}
				p.fill(next)
				p.thin(r, density, full)
				want := slices.Clone(p.c)
				p.gemm(want)
				for name, product := range map[string]func([]float32){"Sparse": p.sparse, "Rows": p.rows} {
					if name == "Rows" && min(p.m, p.k) == 0 {
						continue // rows without elements cannot be counted
					}
					got := slices.Clone(p.c)
					product(got)
					if i := differ(got, want); i >= 0 {
						t.Fatalf("%s of %v, density %v: c[%d, %d] = %v, want %v", name, &p, density, i/p.ldc, i%p.ldc, got[i], want[i])
					}
				}
			}
		}
		densities := []float64{0, 0.02, 0.1, 0.5, 1}
		if testing.Short() {
			densities = []float64{0.1, 1}
		}
		for _, density := range densities {
			for _, s := range large {
				test(s, density, 0)
			}
			for n := 0; n < 300; n += 1 + n/40 {
				test([3]int{1 + r.IntN(20), n, r.IntN(60)}, density, 0)
			}
			test([3]int{60, 16, 2000}, density, 40)
			test([3]int{1100, 3, 5}, density, 0)
			test([3]int{5, 3, 1100}, density, 0)
		}
	})
}

// TestEpilogue compares with the sums by Gemm that start from the bias.
func TestEpilogue(t *testing.T) {
	simdtest.Each(t, func(t *testing.T) {
		next, r := reals(), rand.New(rand.NewPCG(7, 8))
		for _, density := range []float64{0, 0.1, 0.3, 1} {
			for n := 1; n < 150; n += 1 + n/9 {
				p := product{m: 70, n: n, k: 40}
				p.fill(next)
				p.thin(r, density, 0)
				e := sgemm.Epilogue{Bias: drawn(n, next), ReLU: n%3 > 0}
				if n%2 > 0 {
					e.Gate = drawn(p.m*n, edges())
				}
				want := slices.Clone(p.c)
				for i := range p.m {
					copy(want[i*n:], e.Bias)
				}
				sgemm.Gemm(false, false, p.m, n, p.k, p.a, p.k, p.b, n, want, n, true)
				for i, v := range want {
					if e.ReLU && v < 0 || e.Gate != nil && e.Gate[i] <= 0 {
						want[i] = 0
					}
				}
				sgemm.Sparse(p.m, n, p.k, p.a, p.b, p.c, e)
				compare(t, "Sparse", p.c, want)
				var x sgemm.Rows
				x.Reset(p.k)
				x.Append(p.a)
				clear(p.c)
				x.Mul(0, p.m, n, p.b, p.c, e)
				compare(t, "Rows", p.c, want)
			}
		}
		// A NaN stays NaN, whether the sum is sparse or dense.
		for _, a := range []float32{0, 1} {
			c, bias := []float32{5}, []float32{float32(math.NaN())}
			sgemm.Sparse(1, 1, 1, []float32{a}, []float32{1}, c, sgemm.Epilogue{Bias: bias, ReLU: true})
			if c[0] == c[0] {
				t.Errorf("NaN becomes %v", c[0])
			}
		}
	})
}

func TestColumnSums(t *testing.T) {
	simdtest.Each(t, func(t *testing.T) {
		next := integers() // whose sums are exact
		for _, k := range []int{0, 1, 7, 192, 193, 1000} {
			for _, n := range []int{0, 1, 3, 16, 65, 200} {
				b, want, got := drawn(k*n, next), make([]float32, n), drawn(n, next)
				for i, v := range b {
					want[i%n] += v
				}
				sgemm.ColumnSums(k, n, b, got)
				compare(t, "sums", got, want)
			}
		}
	})
}

func TestSparseWithoutElements(t *testing.T) {
	multiply := func(m, n, k int, a, b, c []float32) { sgemm.Sparse(m, n, k, a, b, c, sgemm.Epilogue{}) }
	rows := func(m, n, k int, a, b, c []float32) { (&product{m: m, n: n, k: k, a: a, b: b}).rows(c) }
	rowsT := func(m, n, k int, a, b, c []float32) { (&product{tA: true, m: m, n: n, k: k, a: a, b: b}).rows(c) }
	multiplyT := func(m, n, k int, a, b, c []float32) { sgemm.SparseT(m, n, k, a, m, b, c) }
	const a, b, c = "sgemm: a has length 8", "sgemm: b has length 8", "sgemm: c has length 8"
	halves := [3]string{"sgemm: 5 elements cannot be divided into rows of 3", b, "sgemm: c has length 5"} // without the first row
	short := [][3]string{{a, b, c}, {a, b, c}, halves, halves}
	for k, f := range []func(m, n, k int, a, b, c []float32){multiply, multiplyT, rows, rowsT} {
		if k < 2 { // rows without elements cannot be counted
			c := []float32{3}
			f(0, 1, 1, nil, c, nil)
			f(1, 0, 1, c, nil, nil)
			f(1, 1, 0, nil, nil, c)
			if c[0] != 0 {
				t.Errorf("an empty sum is %v", c[0])
			}
		}
		for i := range 3 {
			x := [3][]float32{make([]float32, 9), make([]float32, 9), make([]float32, 9)}
			x[i] = x[i][:8]
			func() {
				defer func() {
					if got := fmt.Sprint(recover()); !strings.Contains(got, short[k][i]) {
						t.Errorf("function %d, matrix %d: panic %q, want %q", k, i, got, short[k][i])
					}
				}()
				f(3, 3, 3, x[0], x[1], x[2])
			}()
		}
	}
}

// TestAppendDifference adds rows and their differences up, and multiplies with the transposes of
// both.
func TestAppendDifference(t *testing.T) {
	simdtest.Each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		for k := range 200 {
			x, y := make([]float32, k), make([]float32, k)
			count := 0
			for j := range k {
				y[j] = float32(r.IntN(3))
				x[j] = y[j]
				if r.IntN(4) == 0 {
					x[j] = float32(r.IntN(3))
				}
				if x[j] != y[j] {
					count++
				}
			}
			var rows sgemm.Rows
			rows.Reset(k)
			rows.Append(y)
			base := rows.Len()
			if rows.AppendDifference(x, y, count-1) || rows.Len() != base {
				t.Fatalf("%d columns: %d differences are appended where fewer are wanted", k, count)
			}
			if !rows.AppendDifference(x, y, count) || rows.Len() != base+1 || rows.Count(base) != count {
				t.Fatalf("%d columns: the row of %d differences is missing", k, count)
			}
			got := make([]float32, k)
			for i := range rows.Len() {
				rows.AddTo(got, i)
			}
			if !slices.Equal(got, x) {
				t.Errorf("%d columns: the row is %v, want %v", k, got, x)
			}
			sums := make([]float32, k)
			for i := range k {
				sums[i] = 5
			}
			var columns sgemm.Rows
			columns.Transpose(&rows)
			columns.MulAdd(0, k, 1, []float32{1, 1}[:rows.Len()], sums, true)
			for j := range k {
				if sums[j] != 5+x[j] {
					t.Errorf("%d columns: the sum of column %d is %v, want %v", k, j, sums[j], 5+x[j])
				}
			}
			rows.Truncate(base)
			if rows.Len() != base {
				t.Errorf("%d rows after a cut; want %d", rows.Len(), base)
			}
		}
	})
}

func BenchmarkSparse(b *testing.B) {
	for _, p := range []product{
		{m: 256, n: 128, k: 173},
		{m: 256, n: 128, k: 128},
		{m: 8, n: 128, k: 173},
		{m: 1, n: 128, k: 173},
		{tA: true, m: 173, n: 128, k: 1024},
		{tA: true, m: 128, n: 128, k: 1024},
		{tA: true, m: 128, n: 8, k: 1024},
	} {
		for _, density := range []float64{0.08, 0.3, 0.36, 0.4, 0.5, 1} {
			p.fill(reals())
			p.thin(rand.New(rand.NewPCG(1, 1)), density, 0)
			flag := map[bool]string{true: "T"}
			b.Run(fmt.Sprintf("A%s/%dx%dx%d/density=%g", flag[p.tA], p.m, p.n, p.k, density), func(b *testing.B) {
				simdtest.EachB(b, func(b *testing.B) {
					for b.Loop() {
						p.sparse(p.c)
					}
				})
			})
		}
	}
}

func TestTranspose(t *testing.T) {
	simdtest.Each(t, func(t *testing.T) {
		for _, s := range [][2]int{{0, 3}, {1, 1}, {3, 17}, {8, 8}, {9, 30}, {40, 21}} {
			rows, cols := s[0], s[1]
			src, dst := drawn(rows*cols, reals()), make([]float32, rows*cols)
			sgemm.Transpose(dst, src, rows, cols)
			for i, v := range src {
				if got := dst[i%cols*rows+i/cols]; got != v {
					t.Fatalf("%v: element %d becomes %v, want %v", s, i, got, v)
				}
			}
		}
	})
}
