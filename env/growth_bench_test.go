package env_test

import (
	"fmt"
	"testing"

	"marsgym/env"
	"marsgym/env/martiandice"
	"marsgym/internal/test/heap"
)

// BenchmarkGrowth measures batches of Martian Dice by numbers of players and of rows, and the
// memory of a row.
func BenchmarkGrowth(b *testing.B) {
	for players := 2; players <= 10; players += 2 {
		cfg := martiandice.DefaultConfig()
		cfg.Players = players
		r, err := martiandice.New(cfg)
		if err != nil {
			b.Fatal(err)
		}
		for _, n := range []int{64, 1024, 16384, 65536} {
			if testing.Short() && n > 1024 {
				break
			}
			b.Run(fmt.Sprintf("players=%d/rows=%d", players, n), func(b *testing.B) {
				before := heap.InUse()
				batch := env.NewVec(r, n, 0)
				memory := heap.InUse() - before
				replay(b, batch)
				b.ReportMetric(memory/float64(n), "B/row")
				b.ReportMetric(float64(batch.Spec().ObsLen()), "numbers")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
