package registry

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"

	"marsgym/internal/jobs"
	"marsgym/internal/kernel/elementary"
	"marsgym/models"
	"marsgym/models/gorgonia"
)

// Fingerprint returns the digest of a fixed computation: forward and backward passes of two
// networks, and the elementary functions that training uses. Processes whose fingerprints
// differ would train to other bits: one has another backend, or a fault.
func Fingerprint() (jobs.Digest, error) {
	noise := rand.New(rand.NewPCG(1, 1))
	var found []byte
	for _, shape := range []models.Shape{
		{Obs: 37, Hidden: []int{65, 33}, Head: models.Score, Actions: 7, Players: 3, Values: models.ValueShares},
		{Obs: 300, Hidden: []int{128}, Head: models.Logits, Actions: 19, Players: 2},
	} {
		mlp, err := models.NewMLP(shape, rand.NewPCG(1, 2))
		if err != nil {
			return jobs.Digest{}, err
		}
		learner, err := gorgonia.New(mlp, models.DefaultAdam())
		if err != nil {
			return jobs.Digest{}, err
		}
		const n = 53 // rows; no multiple of what kernels process together
		obs := make([]float32, n*shape.Obs)
		for i := range obs {
			if noise.IntN(4) == 0 {
				obs[i] = noise.Float32()
			}
		}
		rows := models.NewObservations(shape.Obs, obs)
		loss := func(policy, values, dpolicy, dvalues []float32) {
			for i, x := range policy {
				dpolicy[i] = x - 0.5
			}
			for i, x := range values {
				dvalues[i] = float32(elementary.Exp(float64(x))) - 1
			}
		}
		for range 3 {
			if _, err := learner.Fit(context.Background(), []models.Shard{{Obs: rows, Loss: loss}}, 0.01); err != nil {
				return jobs.Digest{}, fmt.Errorf("fingerprint: %w", err)
			}
		}
		policy, values := make([]float32, n*shape.PolicyWidth()), make([]float32, n*shape.Players)
		mlp.Forward(policy, values, obs)
		found = jobs.AppendSlice(found, mlp.Weights())
		found = jobs.AppendSlice(found, policy)
		found = jobs.AppendSlice(found, values)
	}
	for range 100 {
		x, y := noise.Float64(), noise.Float64()
		found = jobs.AppendSlice(found, []float64{elementary.Exp(x), elementary.Log(x), elementary.Pow(x, y), elementary.Cos(x), math.Sqrt(y)})
	}
	return sha256.Sum256(found), nil
}
