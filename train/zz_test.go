package train_test

import (
	"context"
	"testing"

	"marsgym/env/catalog"
	"marsgym/models/gorgonia"
	"marsgym/train"
)

func BenchmarkZZ(b *testing.B) {
	g, err := catalog.Open("martian-dice", 2, nil)
	if err != nil {
		b.Fatal(err)
	}
	cfg := train.DefaultConfig(train.OneMove)
	cfg.Steps, cfg.Checkpoints, cfg.Hidden = 1<<14, 1, []int{256, 128, 64}
	for b.Loop() {
		_, err := train.Run(context.Background(), cfg, train.Options{Game: g, Dir: b.TempDir(), Learner: gorgonia.New})
		if err != nil {
			b.Fatal(err)
		}
	}
}
