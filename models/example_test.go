package models_test

import (
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

	"marsgym/models"
)

// A network is saved with the name of its game, loaded, and run on two observations.
func Example() {
	shape := models.Shape{Obs: 4, Hidden: []int{8}, Head: models.Logits, Actions: 3, Players: 2}
	mlp, err := models.NewMLP(shape, rand.NewPCG(1, 0))
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "models")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	if err := (&models.File{Meta: models.Meta{Game: "my-game"}, MLP: mlp}).Save(path); err != nil {
		log.Fatal(err)
	}

	f, err := models.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	obs := []float32{1, 0, 0, 0, 0, 1, 0, 0} // [2, D]
	logits, values := make([]float32, 2*3), make([]float32, 2*2)
	f.MLP.Forward(logits, values, obs)
	fmt.Println(f.Meta.Game, len(logits), "logits,", len(values), "values")
	// Output: my-game 6 logits, 4 values
}
