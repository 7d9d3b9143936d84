package train_test

import (
	"context"
	"testing"

	"marsgym/env/catalog"
	"marsgym/models/gorgonia"
	"marsgym/train"
)

// BenchmarkRun is the whole training loop of the default configs, without
// evaluation.
func BenchmarkRun(b *testing.B) {
	g, err := catalog.Open("martian-dice", 2, nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, a := range train.Algorithms() {
		b.Run(string(a), func(b *testing.B) {
			cfg := train.DefaultConfig(a)
			cfg.Steps, cfg.Checkpoints = 1<<18, 1 // with more, saves would take a tenth of so short a run
			if a == train.OneMove || a == train.Search {
				cfg.Steps = 1 << 13
			}
			steps := 0.0
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
			b.ReportMetric(steps/b.Elapsed().Seconds(), "steps/s")
		})
	}
}
