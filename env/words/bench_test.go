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
		for part, f := range map[string]func(){
			"parse":    func() { g.Parse(x.position) },
			"describe": func() { words.Describe(g, p, words.Options{Seat: 1, Legal: true}) },
			"options":  func() { solution.Options(p) },
		} {
			b.Run(x.id+"/"+part, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
			})
		}
	}
}
