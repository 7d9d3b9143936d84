package sgemm_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"marsgym/internal/kernel/sgemm"
	"marsgym/internal/kernel/simd/simdtest"
)

// golden are the starts of the SHA-256 of results, which every kernel must compute on every
// processor. Inputs are drawn without functions of package math: those
// differ between processors.
var golden = []struct {
	name, want string
	results    func() []float32
}{
	{"Gemm", "725cb98b6da80aca", func() (all []float32) {
		next := reals()
		transposes(func(tA, tB bool) {
			for i, s := range large {
				p := product{tA: tA, tB: tB, m: s[0], n: s[1], k: s[2], add: i%2 == 0, pad: i % 3}
				p.fill(next)
				p.gemm(p.c)
				all = append(all, p.c...)
			}
		})
		return all
	}},
	{"Sparse", "ebb1b3fa906ebe21", func() []float32 { return goldenSparse((*product).sparse) }},
	{"Rows", "ebb1b3fa906ebe21", func() []float32 { return goldenSparse((*product).rows) }},
	{"Epilogue", "6e1e09df9ac2d422", func() (all []float32) {
		next, r := reals(), rand.New(rand.NewPCG(11, 12))
		for n := 1; n < 200; n += 1 + n/9 {
			p := product{m: 9, n: n, k: 40}
			p.fill(next)
			p.thin(r, 0.3, 0)
			e := sgemm.Epilogue{Bias: drawn(n, next), ReLU: n%3 > 0}
			if n%2 > 0 {
				e.Gate = drawn(p.m*n, next)
			}
			sgemm.Sparse(p.m, n, p.k, p.a, p.b, p.c, e)
			all = append(all, p.c...)
			var x sgemm.Rows
			x.Reset(p.k)
			x.Append(p.a)
			x.Mul(0, p.m, n, p.b, p.c, e)
			all = append(all, p.c...)
		}
		return all
	}},
	{"zeros", "f767b642a09273fa", func() (all []float32) {
		some := []float32{0, float32(math.Copysign(0, -1)), 1, -1, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32}
		for n := 1; n < 150; n += 1 + n/9 {
			bias := make([]float32, n)
			for j := range bias {
				bias[j] = some[j%len(some)]
			}
			c := make([]float32, 2*n)
			sgemm.Sparse(2, n, 3, make([]float32, 6), make([]float32, 3*n), c, sgemm.Epilogue{Bias: bias, ReLU: n%2 > 0, Gate: drawn(2*n, edges())})
			all = append(all, c...)
		}
		return all
	}},
	{"AppendDifference", "89b99b5cc02f2a29", func() (all []float32) {
		r := rand.New(rand.NewPCG(13, 14))
		for k := 1; k < 100; k++ {
			x, y := drawn(k, reals()), drawn(k, integers())
			for j := range k {
				if r.IntN(3) > 0 {
					x[j] = y[j]
				}
			}
			var rows sgemm.Rows
			rows.Reset(k)
			rows.AppendDifference(x, y, k)
			clear(x)
			rows.AddTo(x, 0)
			all = append(all, x...)
		}
		return all
	}},
	{"ColumnSums", "b14477b55714d6cc", func() (all []float32) {
		next := reals()
		for _, n := range []int{1, 6, 31, 150} {
			sums := make([]float32, n)
			sgemm.ColumnSums(300, n, drawn(300*n, next), sums)
			all = append(all, sums...)
		}
		return all
	}},
	{"Adam", "1b4146f0b3b45608", func() (all []float32) {
		const n = 1003
		next := reals()
		w, m, v, g := drawn(n, next), drawn(n, next), drawn(n, next), drawn(n, next)
		for i := range v {
			v[i] *= v[i]
			if i%5 == 0 { // the new moments are near the least normal number
				w[i], m[i], v[i], g[i] = w[i]*0x1p-126, m[i]*0x1p-125, v[i]*0x1p-125, 0
			}
		}
		c := sgemm.Adam{Scale: 0.7, Beta1: 0.9, Rest1: 0.1, Beta2: 0.99, Rest2: 0.01, Rate: 0.3, Root: 1.1, Eps: 1e-3}
		for range 3 {
			c.Step(w, m, v, g)
			all = append(append(append(all, w...), m...), v...)
		}
		return all
	}},
}

// goldenSparse returns the results of a product for matrices with many zeros.
func goldenSparse(compute func(p *product, c []float32)) (all []float32) {
	next, r := reals(), rand.New(rand.NewPCG(15, 16))
	for _, density := range []float64{0.05, 0.3} {
		for n := 1; n < 300; n += 1 + n/5 {
			for _, tA := range []bool{false, true} {
				p := product{tA: tA, m: 1 + r.IntN(40), n: n, k: 1 + r.IntN(60)}
				p.fill(next)
				p.thin(r, density, 0)
				compute(&p, p.c)
				all = append(all, p.c...)
			}
		}
	}
	return all
}

func TestGolden(t *testing.T) {
	simdtest.Each(t, func(t *testing.T) {
		for _, test := range golden {
			sum := sha256.New()
			if err := binary.Write(sum, binary.LittleEndian, test.results()); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != test.want {
				t.Errorf("the results of %s have the hash %s, want %s", test.name, got, test.want)
			}
		}
	})
}
