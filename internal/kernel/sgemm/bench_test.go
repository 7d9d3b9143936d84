package sgemm_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"marsgym/internal/kernel/sgemm"
	"marsgym/internal/kernel/simd/simdtest"
)

func BenchmarkGemm(b *testing.B) {
	for _, p := range []product{
		{m: 1024, n: 128, k: 128},
		{tB: true, m: 256, n: 128, k: 173},
		{tB: true, m: 4096, n: 128, k: 173},
		{m: 256, n: 128, k: 128},
		{m: 256, n: 128, k: 173},
		{tA: true, m: 173, n: 128, k: 1024},
		{tA: true, m: 128, n: 128, k: 1024},
		{m: 4096, n: 256, k: 256},
		{tA: true, m: 128, n: 173, k: 1024},
		{tA: true, m: 128, n: 173, k: 4096},
		{m: 1, n: 128, k: 173},
		{m: 8, n: 128, k: 173},
		{tB: true, m: 1, n: 128, k: 173},
		{tB: true, m: 8, n: 128, k: 173},
		{m: 1024, n: 1024, k: 1024},
	} {
		p.fill(reals())
		flag := map[bool]string{true: "T"}
		b.Run(fmt.Sprintf("A%sB%s/%dx%dx%d", flag[p.tA], flag[p.tB], p.m, p.n, p.k), func(b *testing.B) {
			simdtest.EachB(b, func(b *testing.B) {
				for b.Loop() {
					p.gemm(p.c)
				}
				flops := 2 * float64(p.m) * float64(p.n) * float64(p.k)
				b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		})
	}
}

// BenchmarkFirstLayer lists 256 observations of 323 numbers, of which 15 are not 0, and
// multiplies them by the weights of 128 units.
func BenchmarkFirstLayer(b *testing.B) {
	const m, n, k, some = 256, 128, 323, 15
	r := rand.New(rand.NewPCG(9, 10))
	x := make([]float32, m*k)
	for i := range m {
		for _, j := range r.Perm(k)[:some] {
			x[i*k+j] = 1
		}
	}
	w, y := drawn(k*n, reals()), make([]float32, m*n)
	e := sgemm.Epilogue{Bias: drawn(n, reals()), ReLU: true}
	var rows sgemm.Rows
	list := func() {
		rows.Reset(k)
		rows.Append(x)
	}
	list()
	for _, f := range []struct {
		name string
		f    func()
	}{
		{"Append", list},
		{"Mul", func() { rows.Mul(0, m, n, w, y, e) }},
		{"Sparse", func() { sgemm.Sparse(m, n, k, x, w, y, e) }},
	} {
		b.Run(f.name, func(b *testing.B) {
			simdtest.EachB(b, func(b *testing.B) {
				for b.Loop() {
					f.f()
				}
			})
		})
	}
}

// BenchmarkAdam updates the weights from one layer of 128 units to the next.
func BenchmarkAdam(b *testing.B) {
	const n = 128 * 128
	c := sgemm.Adam{Scale: 0.7, Beta1: 0.9, Rest1: 0.1, Beta2: 0.99, Rest2: 0.01, Rate: 1e-3, Root: 1.1, Eps: 1e-3}
	w, m, v, g := drawn(n, reals()), make([]float32, n), make([]float32, n), drawn(n, reals())
	simdtest.EachB(b, func(b *testing.B) {
		for b.Loop() {
			c.Step(w, m, v, g)
		}
	})
}
