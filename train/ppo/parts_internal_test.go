// In package ppo for the two halves of an iteration of ppo.
package ppo

import (
	"math/rand/v2"
	"testing"
	"time"

	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/models"
	"marsgym/models/gorgonia"
)

// BenchmarkPPOParts measures what an iteration of ppo by the default settings would send if
// its rollouts were jobs, and the part of its time that they take on one core:
//
//	fit/play      time to fit a rollout, for each second of playing it
//	B/dense       bytes of a decision as observations, options and results, with zeros
//	B/obs         bytes of a decision as observations, the same without zeros
//	B/action      bytes of a decision as the action, its probability and the values; the learner then plays the game again
//	replay/play   time to play the game again from actions, for each second of playing it
func BenchmarkPPOParts(b *testing.B) {
	for _, id := range []string{"martian-dice", "mars-is-ours-fast", "pig"} {
		b.Run(id, func(b *testing.B) {
			g, err := catalog.Open(id, 2, nil)
			if err != nil {
				b.Fatal(err)
			}
			spec := g.Spec()
			shape := models.Shape{Obs: spec.ObsLen(), Hidden: []int{128, 128}, Head: models.Score, Actions: spec.Actions, Players: spec.Players}
			if id == "mars-is-ours-fast" {
				shape.Hidden, shape.Head = []int{256, 128}, models.Logits
			}
			mlp, err := models.NewMLP(shape, rand.NewPCG(1, 2))
			if err != nil {
				b.Fatal(err)
			}
			l, err := gorgonia.New(mlp, models.DefaultAdam())
			if err != nil {
				b.Fatal(err)
			}
			cfg := Config{Horizon: 64, Epochs: 1, Minibatch: 2048, Gamma: 1, Lambda: 0.85, ClipRange: 0.2}
			const rows = 512
			r, err := New(cfg, Options{Seed: 1, Rows: rows, ValueCoef: 5}, g, l)
			if err != nil {
				b.Fatal(err)
			}
			var play, fit, replay time.Duration
			decisions, dense, lists := 0.0, 0.0, 0.0
			for b.Loop() {
				r.pool.begin(mlp, 0.5)
				start := time.Now()
				for _, p := range r.rollouts {
					if err := p.play(b.Context(), mlp); err != nil {
						b.Fatal(err)
					}
				}
				play += time.Since(start)
				for _, p := range r.rollouts {
					n := len(p.mover)
					decisions += float64(n)
					results := 4*p.p + 4 + 4 // advantages, log-probability, choice
					lists += float64(len(p.obs.AppendBinary(nil)) + n*results)
					dense += float64(4*p.d*p.obs.Len() + n*results)
				}
				start = time.Now()
				if _, err := r.fit(b.Context(), 1e-4, 0.01); err != nil {
					b.Fatal(err)
				}
				fit += time.Since(start)
				start = time.Now()
				again := g.NewBatch(rows, 0)
				again.Reset(1)
				buf, actions := again.Buffers(), g.Spec().Actions
				for range cfg.Horizon {
					for i := range rows {
						for a, legal := range buf.Mask[i*actions:][:actions] {
							if legal {
								buf.Action[i] = game.Action(a)
								break
							}
						}
					}
					if err := again.Step(); err != nil {
						b.Fatal(err)
					}
				}
				replay += time.Since(start)
			}
			b.ReportMetric(float64(fit)/float64(play), "fit/play")
			b.ReportMetric(float64(replay)/float64(play), "replay/play")
			b.ReportMetric(dense/decisions, "B/dense")
			b.ReportMetric(lists/decisions, "B/obs")
			b.ReportMetric(float64(2+4+4*g.Spec().Players), "B/action")
		})
	}
}
