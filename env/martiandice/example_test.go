package martiandice_test

import (
	"fmt"

	"marsgym/env/game"
	"marsgym/env/martiandice"
)

// The example turn of the German rules, with the same dice.
func Example() {
	rules, err := martiandice.New(martiandice.DefaultConfig())
	if err != nil {
		fmt.Println(err)
		return
	}
	var after martiandice.State
	for _, move := range []struct {
		position string
		action   game.Action
	}{
		{"0-0@0 aside T2 roll R3H4C3K1", martiandice.Humans},
		{"0-0@0 aside T2H4", martiandice.Roll},
		{"0-0@0 aside T3H4 roll R2C3K1", martiandice.Rays},
		{"0-0@0 aside T3R2H4", martiandice.Roll},
		{"0-0@0 aside T3R2H4 roll H2C1K1", martiandice.Chickens},
		{"0-0@0 aside T3R2H4K1", martiandice.Roll},
		{"0-0@0 aside T3R2H4K1 roll R1H1C1", martiandice.Rays},
		{"0-0@0 aside T3R3H4K1", martiandice.Stop},
	} {
		s, err := rules.Parse(move.position)
		if err != nil {
			fmt.Println(err)
			return
		}
		if after, err = rules.Apply(s, move.action); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-34s%s: %s\n", rules.Format(s), rules.ActionName(move.action), rules.DescribeAction(s, move.action))
	}
	fmt.Println(rules.Scene(after).Text)
	// Output:
	// 0-0@0 aside T2 roll R3H4C3K1      humans: keep 4 humans; 7 dice left
	// 0-0@0 aside T2H4                  roll: roll 7 dice; 10 % of rolls make the turn worth 0
	// 0-0@0 aside T3H4 roll R2C3K1      rays: keep 2 rays; 4 dice left
	// 0-0@0 aside T3R2H4                roll: roll 4 dice; 16 % of rolls make the turn worth 0
	// 0-0@0 aside T3R2H4 roll H2C1K1    chickens: keep 1 chicken; 3 dice left
	// 0-0@0 aside T3R2H4K1              roll: roll 3 dice; 24 % of rolls make the turn worth 0
	// 0-0@0 aside T3R2H4K1 roll R1H1C1  rays: keep 1 ray; 2 dice left
	// 0-0@0 aside T3R3H4K1              stop: end the turn with 5 points
	// seat 1 rolls 13 dice
}
