package gorgonia_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"marsgym/models"
	"marsgym/models/gorgonia"
)

// A network learns the exclusive or of two bits as a value.
func Example() {
	shape := models.Shape{Obs: 2, Hidden: []int{16}, Head: models.Score, Actions: 1, Players: 1}
	mlp, err := models.NewMLP(shape, rand.NewPCG(1, 0))
	if err != nil {
		fmt.Println(err)
		return
	}
	learner, err := gorgonia.New(mlp, models.DefaultAdam())
	if err != nil {
		fmt.Println(err)
		return
	}
	obs := []float32{0, 0, 0, 1, 1, 0, 1, 1}
	want := []float32{0, 1, 1, 0}
	shard := models.Shard{Obs: models.NewObservations(2, obs), Loss: func(_, values, _, dvalues []float32) {
		for i, v := range values {
			dvalues[i] = v - want[i] // of the loss (v - want)² / 2
		}
	}}
	for range 300 {
		if _, err := learner.Fit(context.Background(), []models.Shard{shard}, 0.03); err != nil {
			fmt.Println(err)
			return
		}
	}
	values := make([]float32, 4)
	mlp.Forward(nil, values, obs)
	for i, v := range values {
		fmt.Printf("%v %v: %.2f\n", obs[2*i], obs[2*i+1], max(v, 0))
	}
	// Output:
	// 0 0: 0.00
	// 0 1: 1.00
	// 1 0: 1.00
	// 1 1: 0.00
}
