package env_test

import (
	"fmt"
	"testing"

	"marsgym/env"
	"marsgym/internal/test/testgames"
)

// BenchmarkCompact measures batches that show codes, as the benchmarks of their games measure those
// that show numbers.
func BenchmarkCompact(b *testing.B) {
	for _, size := range []struct {
		name string
		game env.Game
	}{
		{"pig", env.NewGame(testgames.NewPig(b, 2, 100))},
		{"martian-dice", env.NewGame(testgames.NewMartianDice(b, 2, 13, 25))},
	} {
		for _, n := range []int{64, 1024, 16384, 65536} {
			b.Run(fmt.Sprintf("%s/rows=%d", size.name, n), func(b *testing.B) {
				batch, err := size.game.NewCompactBatch(env.Buffers{}, n, 0)
				if err != nil {
					b.Fatal(err)
				}
				replay(b, batch)
			})
		}
	}
}

