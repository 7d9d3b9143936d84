package gorgonia_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"marsgym/models"
)

// table is the network of Martian Dice for two.
var table = models.Shape{Obs: 173, Hidden: []int{128, 128}, Head: models.Score, Actions: 6, Players: 2}

// sparse makes observations as games do: about one in seven is not zero.
func (q squares) sparse() squares {
	for i := range q.obs {
		if i%7 != i/q.shape.Obs%7 {
			q.obs[i] = 0
		} else {
			q.obs[i] = 1
		}
	}
	return q
}

func BenchmarkFit(b *testing.B) {
	for _, n := range []int{1024, 4096} {
		for _, shards := range []int{1, 2, 8} {
			b.Run(fmt.Sprintf("rows=%d/shards=%d", n, shards), func(b *testing.B) {
				l := newLearner(b, table, 1)
				r := rand.New(rand.NewPCG(2, 0))
				var rows []models.Rows
				for range shards {
					rows = append(rows, newSquares(table, r, n/shards).sparse().rows())
				}
				for b.Loop() {
					if _, err := l.Fit(rows, 1e-3); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}

// BenchmarkPlainGraph is the gradient alone, of gorgonia's own operations.
func BenchmarkPlainGraph(b *testing.B) {
	for _, n := range []int{1024, 4096} {
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			l := newLearner(b, table, 1)
			pl := newPlain(b, l.MLP(), newSquares(table, rand.New(rand.NewPCG(2, 0)), n).sparse())
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
