package train_test

import (
	"context"
	"testing"

	"marsgym/env/catalog"
	"marsgym/internal/test/cputime"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/train"
)

// BenchmarkRun is the whole training loop, without evaluation: of the default configs, and of ppo
// with logits and a layer of 128 units, of 4,096 games.
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
	many := train.DefaultConfig(train.AlgorithmPPO)
	many.Head, many.Hidden, many.Rows, many.Steps = models.Logits, []int{128}, 4096, 1<<20
	many.PPO.Horizon, many.PPO.Minibatch, many.PPO.Epochs = 64, 1<<15, 1
	run("ppo-4096", many)
}
