package ppo

import (
	"math/rand/v2"

	"marsgym/agents/search"
	"marsgym/models"
	"marsgym/train/method"
)

// restart gives the learner the first weights of number k of the population, or of the
// network itself.
func (r *PPO) restart(k int) error {
	mlp, weights := r.learner.MLP(), r.first
	if k < r.pool.cfg.Population {
		first, err := models.NewMLP(mlp.Shape(), rand.NewPCG(r.opt.Seed, method.PopulationStream+uint64(k)))
		if err != nil {
			return err
		}
		weights = first.Weights()
	}
	copy(mlp.Weights(), weights)
	return r.learner.Restore(r.untrained)
}

// Model implements [method.Method].
func (r *PPO) Model() *models.MLP {
	mlp, o := r.learner.MLP(), r.pool.cfg
	if !o.Averaged() || !r.pool.complete() {
		return mlp
	}
	networks, weights := []*models.MLP{mlp}, []float32{float32(1 - float64(float64(o.Population)*o.PopulationSteps))}
	for _, m := range r.pool.mlp[:o.Population] {
		networks, weights = append(networks, m), append(weights, float32(o.PopulationSteps))
	}
	mean, err := models.Mean(networks, weights)
	if err != nil {
		panic(err) // the settings are checked, and so is the shape of the mean
	}
	return mean
}

// Target implements [method.Method].
func (r *PPO) Target() search.ValueTarget { return search.Decision }
