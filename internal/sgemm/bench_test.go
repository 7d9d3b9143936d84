package sgemm_test

import (
	"fmt"
	"testing"

	"marsgym/internal/simd/simdtest"
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
