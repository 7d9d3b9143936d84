package agents_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
)

// The name of an agent may also be a model file or a run folder.
func Example_opponent() {
	g, err := catalog.Open("martian-dice", 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	opponent, err := agents.Open(ctx, "greedy", agents.Options{Game: g})
	if err != nil {
		log.Fatal(err)
	}
	e, noise := env.New(g), rand.NewPCG(1, 0)
	obs := e.Reset(1)
	for obs.Player != game.Terminal {
		a := first(obs.Mask) // choose your action here
		if obs.Player == 1 {
			probs, err := env.ActionProbabilities(ctx, opponent, e.Position(), len(obs.Mask))
			if err != nil {
				log.Fatal(err)
			}
			a = env.SampleAction(probs, noise)
		}
		step, err := e.Step(a)
		if err != nil {
			log.Fatal(err)
		}
		obs = step.Observation
		if step.Terminated {
			fmt.Println(e.Position(), step.Reward)
		}
	}
	// Output: 6-26 over 1 [-1 1]
}

// first returns the first legal action.
func first(mask []bool) game.Action {
	for a, legal := range mask {
		if legal {
			return game.Action(a)
		}
	}
	panic("no legal action")
}
