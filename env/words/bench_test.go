package words_test

import (
	"context"
	"testing"

	"marsgym/env/catalog"
	"marsgym/env/words"
)

// BenchmarkDecision does what a text environment does in a decision: it reads a position, describes
// it, and looks up the values of its actions.
func BenchmarkDecision(b *testing.B) {
	for _, x := range []struct{ id, config, position string }{
		{"pig", "{}", "47-15@1 turn 12"},
		{"martian-dice", `{"target": 3}`, "2-1@1 aside T3R2H4 roll R2C1K1"},
	} {
		g, err := catalog.Open(x.id, 0, []byte(x.config))
		if err != nil {
			b.Fatal(err)
		}
		solution, err := g.Solve(context.Background(), nil)
		if err != nil {
			b.Fatal(err)
		}
		p, err := g.Parse(x.position)
		if err != nil {
			b.Fatal(err)
		}
		for _, part := range []struct {
			name string
			f    func() error
		}{
			{"parse", func() error { _, err := g.Parse(x.position); return err }},
			{"describe", func() error { words.Describe(g, p, words.Options{Seat: 1, Legal: true}); return nil }},
			{"options", func() error { _, err := solution.Options(p); return err }},
		} {
			b.Run(x.id+"/"+part.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := part.f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
