package train_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"marsgym/agents"
	"marsgym/env/catalog"
	"marsgym/eval"
	"marsgym/models/gorgonia"
	"marsgym/train"
)

// Train for a solved game and compute the exact strength of the network.
func ExampleRun() {
	ctx := context.Background()
	g, err := catalog.Open("pig", 2, []byte(`{"target": 20}`))
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	cfg := train.DefaultConfig(train.TurnExact)
	cfg.Steps = 100_000
	if _, err := train.Run(ctx, cfg, train.Options{Game: g, Dir: dir, Learner: gorgonia.New, Backend: "gorgonia"}); err != nil {
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
	network, err := agents.Open(ctx, dir, agents.Options{Game: g})
	if err != nil {
		log.Fatal(err)
	}
	p, err := evaluator.Strength(ctx, network)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("wins %.2f against optimal play, exploitability below 0.01: %v\n", p.Win, p.Exploitability < 0.01)
	// Output: wins 0.50 against optimal play, exploitability below 0.01: true
}
