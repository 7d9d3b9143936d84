package models_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/models"
)

func TestMean(t *testing.T) {
	for _, s := range []models.Shape{score, logits} {
		r := rand.New(rand.NewPCG(1, 0))
		weights := []float32{0.5, 0.2, 0.3}
		var networks []*models.MLP
		for range weights {
			m := newMLP(t, s, 0)
			copy(m.Weights(), noise(r, len(m.Weights())))
			networks = append(networks, m)
		}
		mean, err := models.Mean(networks, weights)
		if err != nil {
			t.Fatal(err)
		}
		obs := noise(r, s.Obs)
		outputs := func(m *models.MLP) []float32 {
			policy, values := make([]float32, s.PolicyWidth()), make([]float32, s.Players)
			m.Forward(policy, values, obs)
			return slices.Concat(policy, values)
		}
		want := make([]float64, s.PolicyWidth()+s.Players)
		for k, m := range networks {
			for j, y := range outputs(m) {
				want[j] += float64(weights[k]) * float64(y)
			}
		}
		for j, y := range outputs(mean) {
			if !(math.Abs(float64(y)-want[j]) <= 1e-5*(1+math.Abs(want[j]))) {
				t.Errorf("%s: output %d is %v; want %v", s.Head, j, y, want[j])
			}
		}
	}
	small, other := newMLP(t, score, 1), newMLP(t, logits, 1)
	wide := score
	wide.Hidden = []int{40_000, 1}
	for name, test := range map[string]struct {
		networks []*models.MLP
		weights  []float32
		want     string
	}{
		"none":    {nil, nil, "0 weights for 0 networks"},
		"weights": {[]*models.MLP{small}, nil, "0 weights for 1 networks"},
		"shapes":  {[]*models.MLP{small, other}, []float32{0.5, 0.5}, "networks of shapes"},
		"width":   {[]*models.MLP{newMLP(t, wide, 1), newMLP(t, wide, 2)}, []float32{0.5, 0.5}, "hidden[0] is 80000"},
	} {
		if _, err := models.Mean(test.networks, test.weights); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v; want it to contain %q", name, err, test.want)
		}
	}
}
