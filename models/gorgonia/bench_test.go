package gorgonia_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/gonum"
	G "gorgonia.org/gorgonia"

	"marsgym/internal/sgemm"
	"marsgym/models"
)

// table is the network of Martian Dice for two.
var table = models.Shape{Obs: 173, Hidden: []int{128, 128}, Head: models.Score, Actions: 6, Players: 2}

// sparse makes observations as games do: 14 fields that are one-hot.
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
				l := newLearner(b, table, 1)
				for _, layer := range l.MLP().Layers()[:2] {
					for j := range layer.B {
						layer.B[j] = -0.12 // a third of the units is active, as after training
					}
				}
				r := rand.New(rand.NewPCG(2, 0))
				var shards []models.Shard
				for range nShards {
					shards = append(shards, newSquares(table, r, n/nShards).sparse(r).shard())
				}
				for b.Loop() {
					if _, err := l.Fit(shards, 0); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}

// BenchmarkPlainGraph is the gradient alone, of gorgonia's own operations, with
// gonum's product, as it comes, and with ours.
func BenchmarkPlainGraph(b *testing.B) {
	defer G.Use(gonum.Implementation{})
	for _, n := range []int{1024, 4096} {
		for _, blas := range []G.BLAS{gonum.Implementation{}, sgemm.BLAS{}} {
			b.Run(fmt.Sprintf("rows=%d/blas=%T", n, blas), func(b *testing.B) {
				G.Use(blas)
				l := newLearner(b, table, 1)
				r := rand.New(rand.NewPCG(2, 0))
				pl := newPlain(b, l.MLP(), newSquares(table, r, n).sparse(r))
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
