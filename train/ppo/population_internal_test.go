// In package ppo for the networks of the population.
package ppo

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/agents/search"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/train/method"
)

// TestPopulation trains two networks for a quarter of a run each and then the network, with a
// learning rate of 0, so that all keep their first weights.
func TestPopulation(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 20}`)
	own := network(t, g, models.Score)
	l, err := gorgonia.New(own.Clone(), models.DefaultAdam())
	if err != nil {
		t.Fatal(err)
	}
	var at []float64 // fractions of the training of a network
	cfg := Config{Horizon: 8, Minibatch: 32, Epochs: 1, Gamma: 1, Lambda: 0.85, ClipRange: 0.2}
	opt := Options{
		Seed: 7, Rows: 8, ValueCoef: 1, LearningRate: func(x float64) float64 { at = append(at, x); return 0 },
		Opponents: method.Opponents{Fraction: 1, Population: 2, PopulationSteps: 0.25, Ensemble: true},
	}
	r, err := New(cfg, opt, g, l)
	if err != nil {
		t.Fatal(err)
	}
	var first [3]*models.MLP
	for k := range 2 {
		if first[k], err = models.NewMLP(own.Shape(), rand.NewPCG(7, method.PopulationStream+uint64(k))); err != nil {
			t.Fatal(err)
		}
	}
	first[2] = own
	for _, test := range []struct {
		x        float64
		network  int     // that is trained
		fraction float64 // of its training
		steps    float32 // of its optimizer, of 2 in an iteration
	}{{0, 0, 0, 2}, {0.125, 0, 0.5, 4}, {0.25, 1, 0, 2}, {0.5, 2, 0, 2}, {0.75, 2, 0.5, 4}} {
		if _, err := r.Iterate(t.Context(), test.x); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(l.MLP().Weights(), first[test.network].Weights()) {
			t.Errorf("at %v: not the weights of network %d", test.x, test.network)
		}
		if got := at[len(at)-1]; got != test.fraction {
			t.Errorf("at %v: a fraction of %v of the training of network %d; want %v", test.x, got, test.network, test.fraction)
		}
		for _, s := range l.State() {
			if s.Name == "adam.steps" && s.Data[0] != test.steps {
				t.Errorf("at %v: the optimizer has taken %v steps; want %v", test.x, s.Data[0], test.steps)
			}
		}
		if r.pool.Population != test.network || len(r.pool.mlp) != test.network {
			t.Fatalf("at %v: a population of %d, with %d networks; want %d", test.x, r.pool.Population, len(r.pool.mlp), test.network)
		}
		for k, m := range r.pool.mlp {
			if !slices.Equal(m.Weights(), first[k].Weights()) {
				t.Errorf("at %v: not the weights of network %d of the population", test.x, k)
			}
		}
		if test.network < 2 && r.Model() != l.MLP() {
			t.Errorf("at %v: the model is not the network that is trained", test.x)
		}
	}
	model, obs := r.Model(), make([]float32, own.Shape().Obs)
	for i := range obs {
		obs[i] = float32(i%3) / 2
	}
	value := func(m *models.MLP) float64 {
		values := make([]float32, 2)
		m.Forward(nil, values, obs)
		return float64(values[0])
	}
	want := value(first[0])/4 + value(first[1])/4 + value(own)/2
	if got := value(model); !(math.Abs(got-want) <= 1e-6) {
		t.Errorf("the mean of the networks values a position as %v; want %v", got, want)
	}
	r.pool.cfg.Ensemble = false
	if r.Model() != l.MLP() {
		t.Error("without an ensemble the model is not the network")
	}
	if r.Target() != search.Decision {
		t.Errorf("the network values %v", r.Target())
	}

	// A run whose first iteration is late trains no network of the population.
	late, err := gorgonia.New(own.Clone(), models.DefaultAdam())
	if err != nil {
		t.Fatal(err)
	}
	if r, err = New(cfg, opt, g, late); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Iterate(t.Context(), 0.5); err != nil || r.pool.Population != 2 || !slices.Equal(late.MLP().Weights(), own.Weights()) {
		t.Errorf("after half of a run: a population of %d, %v, or other weights than the network's", r.pool.Population, err)
	}
}
