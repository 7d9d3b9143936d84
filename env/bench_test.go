package env_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/marsisours"
	"marsgym/env/martiandice"
	"marsgym/env/martianrisk"
	"marsgym/env/pig"
	"marsgym/internal/test/testgames"
)

// The benchmarks of batches play at random on one core, and write observations and
// masks.

func BenchmarkPig(b *testing.B) {
	r, err := pig.New(pig.DefaultConfig())
	if err != nil {
		b.Fatal(err)
	}
	benchmark(b, env.NewVec(r, 1024, 0))
}

func BenchmarkMartianDice(b *testing.B) {
	r, err := martiandice.New(martiandice.DefaultConfig())
	if err != nil {
		b.Fatal(err)
	}
	benchmark(b, env.NewVec(r, 1024, 0))
}

// BenchmarkMartianRisk measures numbers of players and of regions.
func BenchmarkMartianRisk(b *testing.B) {
	for _, size := range []struct{ players, each int }{{3, 4}, {3, 7}, {4, 7}, {5, 7}, {6, 4}, {6, 7}} {
		b.Run(fmt.Sprintf("players=%d/regions=%d", size.players, size.players*size.each), func(b *testing.B) {
			cfg := martianrisk.DefaultConfig()
			cfg.Players, cfg.RegionsPerPlayer = size.players, size.each
			r, err := martianrisk.New(cfg)
			if err != nil {
				b.Fatal(err)
			}
			benchmark(b, env.NewVec(r, 1024, 0))
		})
	}
}

// BenchmarkMars measures each number of players of Mars is Ours!, and the quick game.
func BenchmarkMars(b *testing.B) {
	fast := marsisours.FastConfig()
	for _, size := range []struct {
		name    string
		players int
		config  marsisours.Config
	}{
		{"quick", 2, fast}, {"players=2", 2, marsisours.DefaultConfig()},
		{"players=3", 3, marsisours.DefaultConfig()}, {"players=4", 4, marsisours.DefaultConfig()},
	} {
		b.Run(size.name, func(b *testing.B) {
			size.config.Players = size.players
			r, err := marsisours.New(size.config)
			if err != nil {
				b.Fatal(err)
			}
			benchmark(b, env.NewVec(r, 1024, 0))
		})
	}
}

func benchmark(b *testing.B, batch env.Batch) {
	batch.Reset(1)
	buf, actions := batch.Buffers(), batch.Spec().Actions
	x := uint32(1)
	for b.Loop() {
		for i := range buf.Action {
			x = x*1664525 + 1013904223 // Numerical Recipes
			a := int(uint64(x) * uint64(actions) >> 32)
			mask := buf.Mask[i*actions:][:actions]
			next := bytes.IndexByte(unsafe.Slice((*byte)(unsafe.Pointer(&mask[a])), actions-a), 1)
			if next < 0 {
				a, next = 0, slices.Index(mask, true)
			}
			buf.Action[i] = game.Action(a + next)
		}
		if err := batch.Step(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*batch.Len())/b.Elapsed().Seconds(), "decisions/s")
}

// BenchmarkSearch counts simulations from the start of a game. Eight positions are
// searched together on one core.
func BenchmarkSearch(b *testing.B) {
	const simulations, positions = 200, 8
	for _, name := range []string{"martian-dice", "pig"} {
		b.Run(name, func(b *testing.B) {
			var g env.Game
			if name == "pig" {
				g = env.NewGame(game.Rules[pig.State](testgames.NewPig(b, 2, 100)))
			} else {
				g = env.NewGame(game.Rules[martiandice.State](testgames.NewMartianDice(b, 2, 13, 25)))
			}
			p, err := search.New(g, search.Config{Simulations: simulations}, nil)
			if err != nil {
				b.Fatal(err)
			}
			batch := g.NewBatch(positions, 0)
			batch.Reset(1)
			for name == "pig" && !batch.Buffers().Mask[1] { // until roll is not the only legal action
				if err := batch.Step(); err != nil {
					b.Fatal(err)
				}
			}
			probs := make([]float64, positions*g.Spec().Actions)
			for b.Loop() {
				if err := p.Probs(probs, batch.Decisions(nil)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*positions*simulations)/b.Elapsed().Seconds(), "simulations/s")
		})
	}
}
