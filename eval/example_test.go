package eval_test

import (
	"context"
	"fmt"
	"log"

	"marsgym/agents"
	"marsgym/env/catalog"
	"marsgym/eval"
)

// The exact strength of the bot that maximises the score of each turn.
func ExampleExactEvaluator_Strength() {
	ctx := context.Background()
	g, err := catalog.Open("pig", 2, []byte(`{"target": 40}`))
	if err != nil {
		log.Fatal(err)
	}
	solution, err := g.Solve(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	evaluator, err := eval.NewExactEvaluator(g, solution)
	if err != nil {
		log.Fatal(err)
	}
	greedy, err := agents.Open(ctx, "greedy", agents.Options{Game: g})
	if err != nil {
		log.Fatal(err)
	}
	p, err := evaluator.Strength(ctx, greedy)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s wins %.6f against %s, a best response %.6f above one half\n", p.A, p.Win, p.B, p.Exploitability)
	// Output: greedy wins 0.460265 against exact, a best response 0.043401 above one half
}
