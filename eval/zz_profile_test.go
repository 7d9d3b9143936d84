package eval_test

import (
	"testing"

	"marsgym/agents"
	"marsgym/env/catalog"
	"marsgym/eval"
)

func BenchmarkZZ(b *testing.B) {
	g, err := catalog.Open("martian-dice", 2, nil)
	if err != nil {
		b.Fatal(err)
	}
	s, err := g.Solve(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		a, err := agents.Open(b.Context(), "../agents/pretrained/martian-dice-2.safetensors", agents.Options{Game: g})
		if err != nil {
			b.Fatal(err)
		}
		e, err := eval.NewExactEvaluator(g, s)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := e.Strength(b.Context(), a); err != nil {
			b.Fatal(err)
		}
		}
	}
