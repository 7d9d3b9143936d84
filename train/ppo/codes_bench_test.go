package ppo

import (
	"testing"

	"marsgym/env"
	"marsgym/internal/test/cputime"
	"marsgym/internal/test/testgames"
	"marsgym/models"
)

// BenchmarkList lists the numbers of observations that are not 0: from numbers, as rollouts do, and
// from codes. Rollouts read numbers: their lists have a kernel, and a part of the rows stays in a
// cache, so that codes save nothing.
func BenchmarkList(b *testing.B) {
	const rows = 4096
	g := env.NewGame(testgames.NewMartianDice(b, 2, 13, 25))
	codes, err := g.Codes()
	if err != nil {
		b.Fatal(err)
	}
	batch, err := g.NewCompactBatch(env.Buffers{}, rows, 0)
	if err != nil {
		b.Fatal(err)
	}
	batch.Reset(1)
	reader, o, obs := models.NewCodeReader(codes), models.NewObservations(g.Spec().ObsLen(), nil), make([]float32, rows*g.Spec().ObsLen())
	codes.Decode(obs, batch.Buffers().Codes)
	for name, list := range map[string]func(){
		"numbers": func() { o.Append(obs) },
		"codes":   func() { o.AppendCodes(reader, batch.Buffers().Codes) },
	} {
		b.Run(name, func(b *testing.B) {
			start := cputime.Used()
			for b.Loop() {
				o.Reset()
				list()
			}
			b.ReportMetric(float64((cputime.Used()-start).Nanoseconds())/float64(b.N*rows), "cpu-ns/row")
		})
	}
}
