package env_test

import (
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/marsisours"
	"marsgym/env/martiandice"
	"marsgym/env/martianrisk"
	"marsgym/env/pig"
)

// BenchmarkCompact measures batches that show codes, as the benchmarks of their games measure those
// that show numbers.
func BenchmarkCompact(b *testing.B) {
	mars := marsisours.DefaultConfig()
	mars.Players = 2
	for _, size := range []struct {
		name string
		game env.Game
	}{
		{"pig", newGame(b, pig.New, pig.DefaultConfig())},
		{"martian-dice", newGame(b, martiandice.New, martiandice.DefaultConfig())},
		{"mars-is-ours/quick", newGame(b, marsisours.New, marsisours.FastConfig())},
		{"mars-is-ours/players=2", newGame(b, marsisours.New, mars)},
		{"martian-risk", newGame(b, martianrisk.New, martianrisk.DefaultConfig())},
	} {
		b.Run(size.name, func(b *testing.B) {
			benchmarkRows(b, func(n int) env.Batch {
				batch, err := size.game.NewCompactBatch(env.Buffers{}, n, 0)
				if err != nil {
					b.Fatal(err)
				}
				return batch
			})
		})
	}
}

// newGame returns the handle of a game.
func newGame[C any, R game.Rules[S], S comparable](b testing.TB, open func(C) (R, error), config C) env.Game {
	r, err := open(config)
	if err != nil {
		b.Fatal(err)
	}
	return env.NewGame[S](r)
}
