package train_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"marsgym/env/catalog"
	"marsgym/internal/test/cputime"
	"marsgym/internal/test/heap"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/train"
)

// BenchmarkRun is the whole training loop, without evaluation.
func BenchmarkRun(b *testing.B) {
	g, err := catalog.Open("martian-dice", 2, nil)
	if err != nil {
		b.Fatal(err)
	}
	run := func(name string, cfg train.Config) {
		b.Run(name, func(b *testing.B) {
			cfg.Checkpoints = 1 // with more, saves would take a tenth of so short a run
			steps, used := 0.0, cputime.Used()
			for b.Loop() {
				_, err := train.Run(context.Background(), cfg, train.Options{
					Game: g, Dir: b.TempDir(),
					Learner: gorgonia.New,
					Report:  func(m train.Metrics) { steps += float64(m.Decisions) },
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((cputime.Used()-used).Seconds()/steps*1e6, "cpu-s/million-steps")
		})
	}
	for _, a := range train.Algorithms() {
		cfg := train.DefaultConfig(a)
		cfg.Steps = 1 << 18
		if a == train.OneMove || a == train.Search {
			cfg.Steps = 1 << 13
		}
		run(string(a), cfg)
	}
	cfg := fourThousand()
	cfg.Steps = 1 << 20
	run("ppo-4096", cfg)
}

// fourThousand returns a config of ppo with logits and a layer of 128 units, of 4,096 games.
func fourThousand() train.Config {
	cfg := train.DefaultConfig(train.AlgorithmPPO)
	cfg.Head, cfg.Hidden, cfg.Rows = models.Logits, []int{128}, 4096
	cfg.PPO.Horizon, cfg.PPO.Minibatch, cfg.PPO.Epochs = 64, 1<<15, 1
	return cfg
}

// BenchmarkGrowth measures runs of ppo by numbers of players, of rows with as many decisions in an
// iteration, and of steps: the CPU time, and the largest memory after an iteration.
func BenchmarkGrowth(b *testing.B) {
	const steps, iteration = 1 << 19, 1 << 17
	for _, tt := range []struct {
		players, rows int
		steps         uint64
	}{
		{2, 64, steps}, {2, 1024, steps}, {2, 16384, steps}, {2, 65536, steps},
		{6, 1024, steps}, {10, 1024, steps}, {2, 1024, 10 * steps},
	} {
		if testing.Short() && tt.rows > 64 {
			continue
		}
		b.Run(fmt.Sprintf("players=%d/rows=%d/steps=%d", tt.players, tt.rows, tt.steps), func(b *testing.B) {
			g, err := catalog.Open("martian-dice", tt.players, nil)
			if err != nil {
				b.Fatal(err)
			}
			cfg := fourThousand()
			cfg.Rows, cfg.Steps, cfg.Checkpoints = tt.rows, tt.steps, 1
			cfg.PPO.Horizon = iteration / tt.rows
			before, most := heap.InUse(), 0.0
			var used time.Duration
			for b.Loop() {
				start := cputime.Used()
				_, err := train.Run(b.Context(), cfg, train.Options{
					Game: g, Dir: b.TempDir(),
					Learner: gorgonia.New,
					Report: func(train.Metrics) {
						used += cputime.Used() - start
						most = max(most, heap.InUse()-before)
						start = cputime.Used()
					},
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(used.Seconds()/float64(tt.steps)/float64(b.N)*1e6, "cpu-s/million-steps")
			b.ReportMetric(most/1e6, "MB")
			b.ReportMetric(0, "ns/op")
		})
	}
}
