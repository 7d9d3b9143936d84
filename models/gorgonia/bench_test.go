package gorgonia_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	G "gorgonia.org/gorgonia"

	"marsgym/internal/kernel/sgemm"
	"marsgym/models"
)

// diceShape is the shape of a network for Martian Dice with two players.
var diceShape = models.Shape{Obs: 173, Hidden: []int{128, 128}, Head: models.Score, Actions: 6, Players: 2}

// sparse replaces the observations by some like those of a game: 14 one-hot fields.
func (q squares) sparse(r *rand.Rand) squares {
	clear(q.obs)
	for row := range slices.Chunk(q.obs, q.shape.Obs) {
		for field := range 14 {
			row[12*field+r.IntN(12)] = 1
		}
	}
	return q
}

func BenchmarkFit(b *testing.B) {
	for _, n := range []int{1024, 4096} {
		for _, nShards := range []int{1, 2, 8} {
			b.Run(fmt.Sprintf("rows=%d/shards=%d", n, nShards), func(b *testing.B) {
				l := newLearner(b, diceShape, 1)
				for _, layer := range l.MLP().Layers()[:2] {
					for j := range layer.B {
						layer.B[j] = -0.12 // a third of the units are active, as after training
					}
				}
				r := rand.New(rand.NewPCG(2, 0))
				var shards []models.Shard
				for range nShards {
					shards = append(shards, newSquares(diceShape, r, n/nShards).sparse(r).shard())
				}
				for b.Loop() {
					if _, err := l.Fit(b.Context(), shards, 0); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}

// fastBLAS is gonum's BLAS with the matrix product of package sgemm.
type fastBLAS struct{ gonum.Implementation }

func (fastBLAS) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if alpha != 1 || beta != 0 && beta != 1 {
		panic("not a product that the graph needs")
	}
	sgemm.Gemm(tA != blas.NoTrans, tB != blas.NoTrans, m, n, k, a, lda, b, ldb, c, ldc, beta == 1)
}

// BenchmarkPlainGraph computes the gradient with gorgonia's own operations: with
// gonum's matrix product, which is gorgonia's default, and with that of package sgemm.
func BenchmarkPlainGraph(b *testing.B) {
	defer G.Use(gonum.Implementation{})
	for _, n := range []int{1024, 4096} {
		for _, impl := range []G.BLAS{gonum.Implementation{}, fastBLAS{}} {
			b.Run(fmt.Sprintf("rows=%d/blas=%T", n, impl), func(b *testing.B) {
				G.Use(impl)
				l := newLearner(b, diceShape, 1)
				r := rand.New(rand.NewPCG(2, 0))
				pl := newPlain(b, l.MLP(), newSquares(diceShape, r, n).sparse(r))
				for b.Loop() {
					if err := pl.vm.RunAll(); err != nil {
						b.Fatal(err)
					}
					pl.vm.Reset()
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}
