package env_test

import (
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/martiandice"
	"marsgym/env/pig"
)

// Benchmarks play at random on one core, with observations and masks written.

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

func benchmark(b *testing.B, batch env.Batch) {
	batch.Reset(1)
	buf, actions := batch.Buffers(), batch.Spec().Actions
	x := uint32(1)
	for b.Loop() {
		for i := range buf.Action {
			x = x*1664525 + 1013904223 // Numerical Recipes
			a := int(uint64(x) * uint64(actions) >> 32)
			mask := buf.Mask[i*actions:][:actions]
			for !mask[a] {
				if a++; a == actions {
					a = 0
				}
			}
			buf.Action[i] = game.Action(a)
		}
		if err := batch.Step(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*batch.Len())/b.Elapsed().Seconds(), "decisions/s")
}
