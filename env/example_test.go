package env_test

import (
	"fmt"
	"log"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/pig"
)

// firstLegal returns the first legal action of a mask [A].
func firstLegal(mask []bool) game.Action {
	for a, legal := range mask {
		if legal {
			return game.Action(a)
		}
	}
	return -1
}

// One game at a time, as in Gymnasium.
func ExampleEnv() {
	g, err := catalog.Open("pig", 2, []byte(`{"target": 20}`))
	if err != nil {
		log.Fatal(err)
	}
	e := env.New(g)
	obs := e.Reset(1)
	for steps := 1; ; steps++ {
		step, err := e.Step(firstLegal(obs.Mask)) // roll as long as it is allowed
		if err != nil {
			log.Fatal(err)
		}
		if step.Terminated || step.Truncated {
			fmt.Println(steps, "steps, rewards", step.Reward)
			return
		}
		obs = step.Observation
	}
	// Output: 9 steps, rewards [1 -1]
}

// Many games in lockstep, in buffers that are allocated once.
func ExampleVec() {
	rules, err := pig.New(pig.Config{Players: 2, Target: 20})
	if err != nil {
		log.Fatal(err)
	}
	b := env.NewVec(rules, 256, 0) // a Batch of 256 games
	b.Reset(1)
	buf, actions := b.Buffers(), b.Spec().Actions
	games, wins := 0, 0
	for range 100 {
		// A policy reads buf.Obs [N, D] and buf.Mask [N, A] and writes buf.Action [N].
		for i := range buf.Action {
			buf.Action[i] = firstLegal(buf.Mask[i*actions:][:actions])
		}
		if err := b.Step(); err != nil {
			log.Fatal(err)
		}
		for i, over := range buf.Terminated {
			if over {
				games++
				if buf.Reward[2*i] > 0 {
					wins++
				}
			}
		}
	}
	fmt.Printf("%d games, seat 0 wins %d\n", games, wins)
	// Output: 2506 games, seat 0 wins 1574
}
