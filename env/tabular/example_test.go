package tabular_test

import (
	"context"
	"fmt"
	"log"

	"marsgym/env/game"
	"marsgym/env/pig"
	"marsgym/env/tabular"
)

// Solve enumerates any small game. Here it finds the value of Pig to 30 points for
// the seat that starts, and what a best response wins against rolling at random.
func ExampleSolve() {
	ctx := context.Background()
	rules, err := pig.New(pig.Config{Players: 2, Target: 30})
	if err != nil {
		log.Fatal(err)
	}
	s, err := tabular.Solve(ctx, rules, tabular.Options{})
	if err != nil {
		log.Fatal(err)
	}
	value, err := s.Value(nil, rules.Initial())
	if err != nil {
		log.Fatal(err)
	}
	random, err := s.Tabulate(ctx, game.Uniform[pig.State]{Rules: rules})
	if err != nil {
		log.Fatal(err)
	}
	best, err := s.BestResponse(ctx, []game.TabularPolicy{random, random}, 0)
	if err != nil {
		log.Fatal(err)
	}
	spec := rules.Spec()
	fmt.Printf("best play wins %.4f, a best response to random play %.4f\n", spec.WinShare(value[0]), spec.WinShare(best))
	// Output: best play wins 0.5679, a best response to random play 0.8641
}
