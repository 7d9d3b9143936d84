package words_test

import (
	"testing"

	"marsgym/env/catalog"
	"marsgym/env/words"
)

func BenchmarkDescribe(b *testing.B) {
	for id, position := range map[string]string{"pig": "47-15@1 turn 12", "martian-dice": "13-17@1 aside T3R2H4 roll R2C1K1"} {
		b.Run(id, func(b *testing.B) {
			g, err := catalog.Open(id, 0, nil)
			if err != nil {
				b.Fatal(err)
			}
			p, err := g.Parse(position)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				words.Describe(g, p, words.Options{Seat: 1, Legal: true})
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "descriptions/s")
		})
	}
}
