package pig_test

import (
	"context"
	"fmt"

	"marsgym/env/pig"
)

// Solve a short game and print the value of each action in one position.
func Example() {
	rules, err := pig.New(pig.Config{Players: 2, Target: 30})
	if err != nil {
		fmt.Println(err)
		return
	}
	sol, err := rules.Solve(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := rules.Parse("4-17@0 turn 12")
	if err != nil {
		fmt.Println(err)
		return
	}
	options, err := sol.Options(nil, s)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rules.Scene(s).Text)
	for i, a := range rules.Legal(nil, s) {
		fmt.Printf("%s: %.4f, %s\n", rules.ActionName(a), rules.Spec().WinShare(options[i]), rules.DescribeAction(s, a))
	}
	// Output:
	// seat 0 rolls or holds
	// roll: 0.6006, roll the die; a 1, in 17 % of rolls, loses 12 points
	// hold: 0.3179, hold; bank 12 points, for 16
}
