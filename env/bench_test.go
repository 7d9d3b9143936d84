package env_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"
	"unsafe"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/marsisours"
	"marsgym/env/martiandice"
	"marsgym/env/martianrisk"
	"marsgym/env/pig"
	"marsgym/internal/test/cputime"
	"marsgym/internal/test/testgames"
)

// The benchmarks of batches replay legal actions that a random player has recorded, and write
// observations and masks: environments alone. They report CPU time. The random player is measured
// by a benchmark of its own, "player": what it costs depends on the number of actions.

func BenchmarkPig(b *testing.B) {
	r, err := pig.New(pig.DefaultConfig())
	if err != nil {
		b.Fatal(err)
	}
	benchmarkRows(b, func(n int) env.Batch { return env.NewVec(r, n, 0) })
}

func BenchmarkMartianDice(b *testing.B) {
	r, err := martiandice.New(martiandice.DefaultConfig())
	if err != nil {
		b.Fatal(err)
	}
	benchmarkRows(b, func(n int) env.Batch { return env.NewVec(r, n, 0) })
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
			benchmarkRows(b, func(n int) env.Batch { return env.NewVec(r, n, 0) })
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
			benchmarkRows(b, func(n int) env.Batch { return env.NewVec(r, n, 0) })
		})
	}
}

// benchmarkRows measures batches of several sizes, and a random player.
func benchmarkRows(b *testing.B, newBatch func(rows int) env.Batch) {
	for _, n := range []int{64, 1024, 16384, 65536} {
		if testing.Short() && n > 1024 {
			break // recording their games takes long
		}
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) { replay(b, newBatch(n)) })
	}
	b.Run("player", func(b *testing.B) { benchmarkPlayer(b, newBatch(1024)) })
}

const (
	warmUp   = 128 // steps after which the games of a batch are far apart
	recorded = 64  // steps
)

// replay measures a batch over recorded actions.
func replay(b *testing.B, batch env.Batch) {
	buf, p := batch.Buffers(), player{1}
	step := func() {
		if err := batch.Step(); err != nil {
			b.Fatal(err)
		}
	}
	batch.Reset(1)
	for range warmUp {
		p.act(buf.Action, buf.Mask)
		step()
	}
	batch.Mark()
	var record [recorded][]game.Action
	for k := range record {
		p.act(buf.Action, buf.Mask)
		record[k] = slices.Clone(buf.Action)
		step()
	}
	batch.Rewind()
	k, used, start := 0, time.Duration(0), cputime.Used()
	for b.Loop() {
		if k == recorded {
			used += cputime.Used() - start
			b.StopTimer()
			batch.Rewind()
			b.StartTimer()
			k, start = 0, cputime.Used()
		}
		copy(buf.Action, record[k])
		step()
		k++
	}
	used += cputime.Used() - start
	b.ReportMetric(float64(used.Nanoseconds())/float64(b.N*batch.Len()), "cpu-ns/decision")
}

// benchmarkPlayer measures the random player over masks of recorded steps.
func benchmarkPlayer(b *testing.B, batch env.Batch) {
	buf, p := batch.Buffers(), player{1}
	var masks [recorded][]bool
	batch.Reset(1)
	for k := range warmUp + recorded {
		masks[k%recorded] = slices.Clone(buf.Mask)
		p.act(buf.Action, buf.Mask)
		if err := batch.Step(); err != nil {
			b.Fatal(err)
		}
	}
	k, start := 0, cputime.Used()
	for b.Loop() {
		p.act(buf.Action, masks[k%recorded])
		k++
	}
	used := cputime.Used() - start
	b.ReportMetric(float64(used.Nanoseconds())/float64(b.N*batch.Len()), "cpu-ns/decision")
}

// player plays at random. It takes the first legal action from a random one on, so that actions
// are not equally likely.
type player struct{ x uint32 }

// act writes an action of each row [N], given the masks [N, A].
func (p *player) act(action []game.Action, masks []bool) {
	actions := len(masks) / len(action)
	for i := range action {
		p.x = p.x*1664525 + 1013904223 // Numerical Recipes
		a := int(uint64(p.x) * uint64(actions) >> 32)
		mask := masks[i*actions:][:actions]
		next := bytes.IndexByte(unsafe.Slice((*byte)(unsafe.Pointer(&mask[a])), actions-a), 1)
		if next < 0 {
			a, next = 0, slices.Index(mask, true)
		}
		action[i] = game.Action(a + next)
	}
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
