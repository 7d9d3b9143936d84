package sgemm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/internal/sgemm"
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
	f := sgemm.Sparse
	if p.tA {
		f = sgemm.SparseT
	}
	f(p.m, p.n, p.k, p.a, p.lda, p.b, p.ldb, c, p.ldc)
}

func TestSparseIsGemmToTheBit(t *testing.T) {
	sgemm.EachKernel(t, func(t *testing.T) {
		next, r := reals(), rand.New(rand.NewPCG(5, 6))
		test := func(s [3]int, density float64, full int) {
			for _, tA := range []bool{false, true} {
				p := product{tA: tA, m: s[0], n: s[1], k: s[2], alpha: 1, pad: r.IntN(3)}
				p.fill(next)
				p.thin(r, density, full)
				got, want := slices.Clone(p.c), slices.Clone(p.c)
				p.sparse(got)
				p.gemm(want)
				if i := differ(got, want); i >= 0 {
					t.Fatalf("%v, density %v: c[%d, %d] = %v, want %v (columns from %d on are padding)", &p, density, i/p.ldc, i%p.ldc, got[i], want[i], p.n)
				}
			}
		}
		for _, density := range []float64{0, 0.02, 0.1, 0.5, 1} {
			for _, s := range large {
				test(s, density, 0)
			}
			for n := range 150 {
				test([3]int{1 + r.IntN(20), n, r.IntN(60)}, density, 0)
			}
			test([3]int{60, 16, 2000}, density, 40)
		}
	})
}

func TestSparseWithoutElements(t *testing.T) {
	for _, f := range []func(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int){sgemm.Sparse, sgemm.SparseT} {
		c := []float32{3}
		f(0, 1, 1, nil, 1, c, 1, nil, 1)
		f(1, 0, 1, c, 1, nil, 1, nil, 1)
		f(1, 1, 0, nil, 1, nil, 1, c, 1)
		if c[0] != 0 {
			t.Errorf("an empty sum is %v", c[0])
		}
		for i := range 3 {
			x := [3][]float32{make([]float32, 9), make([]float32, 9), make([]float32, 9)}
			x[i] = x[i][:8]
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("matrix %d is too short and is accepted", i)
					}
				}()
				f(3, 3, 3, x[0], 3, x[1], 3, x[2], 3)
			}()
		}
	}
}

func BenchmarkSparse(b *testing.B) {
	for _, p := range []product{
		{m: 256, n: 128, k: 173},
		{m: 256, n: 128, k: 128},
		{m: 8, n: 128, k: 173},
		{m: 1, n: 128, k: 173},
		{tA: true, m: 173, n: 128, k: 1024},
		{tA: true, m: 128, n: 128, k: 1024},
	} {
		for _, density := range []float64{0.08, 0.3, 0.36, 0.4, 0.5, 1} {
			p.alpha = 1
			p.fill(reals())
			p.thin(rand.New(rand.NewPCG(1, 1)), density, 0)
			flag := map[bool]string{true: "T"}
			b.Run(fmt.Sprintf("A%s/%dx%dx%d/density=%g", flag[p.tA], p.m, p.n, p.k, density), func(b *testing.B) {
				sgemm.EachKernelB(b, func(b *testing.B) {
					for b.Loop() {
						p.sparse(p.c)
					}
				})
			})
		}
	}
}

func TestTranspose(t *testing.T) {
	sgemm.EachKernel(t, func(t *testing.T) {
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
