package models_test

import (
	"math"
	"slices"
	"testing"

	"marsgym/models"
)

func TestSoftmax(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		name         string
		scores, want []float64
	}{
		{"one", []float64{-3}, []float64{1}},
		{"equal", []float64{7, 7, 7, 7}, []float64{0.25, 0.25, 0.25, 0.25}},
		{"logarithms", []float64{0, math.Log(2), math.Log(5)}, []float64{1. / 8, 2. / 8, 5. / 8}},
		{"very low", []float64{-1000, -1000 + math.Log(2), -1000 + math.Log(5)}, []float64{1. / 8, 2. / 8, 5. / 8}},
		{"very high", []float64{1000, 1000 + math.Log(2), 1000 + math.Log(5)}, []float64{1. / 8, 2. / 8, 5. / 8}},
		{"far apart", []float64{-1000, 1000}, []float64{0, 1}},
		{"minus infinity", []float64{-inf, 1, 1}, []float64{0, 0.5, 0.5}},
		{"none", nil, nil},
	}
	for _, tt := range tests {
		probs := slices.Repeat([]float64{9}, len(tt.scores))
		models.Softmax(probs, tt.scores)
		inPlace := slices.Clone(tt.scores)
		models.Softmax(inPlace, inPlace)
		for i, want := range tt.want {
			if !(math.Abs(probs[i]-want) <= 1e-12) {
				t.Errorf("%s: %v, want %v", tt.name, probs, tt.want)
			}
			if inPlace[i] != probs[i] {
				t.Errorf("%s: %v in place, %v otherwise", tt.name, inPlace, probs)
			}
		}
	}
}

func TestLogSoftmax(t *testing.T) {
	for _, scores := range [][]float64{{0}, {1, 2, 3}, {-700, 800}, {5, math.Inf(-1)}} {
		probs, logs, want := make([]float64, len(scores)), slices.Clone(scores), make([]float64, len(scores))
		models.LogSoftmax(probs, logs)
		models.Softmax(want, scores)
		if !slices.Equal(probs, want) {
			t.Errorf("probabilities of %v are %v: want %v", scores, probs, want)
		}
		for i, p := range probs {
			if got := math.Exp(logs[i]); !(math.Abs(got-p) <= 1e-15) {
				t.Errorf("the logarithm of %v is %v", p, logs[i])
			}
		}
	}
}

func TestChoose(t *testing.T) {
	nan := math.NaN()
	scores, first := []float64{1, 3, 2, 5, 5, nan, 7}, []uint32{0, 3, 5, 7}
	for greedy, want := range map[bool][]float64{true: {0, 1, 0, 1, 0, 0, 0}, false: {0.09003057317038046, 0.6652409557748219, 0.24472847105479764, 0.5, 0.5, nan, nan}} {
		probs := slices.Repeat([]float64{9}, len(scores))
		models.Choose(probs, scores, first, greedy)
		for i, p := range probs {
			if w := want[i]; !(math.Abs(p-w) <= 1e-15 || p != p && w != w) {
				t.Errorf("greedy %v: %v, want %v", greedy, probs, want)
				break
			}
		}
	}
}

// valueLogits are value outputs of the kind ValueShares for two observations of a game
// for three players, and shares are the shares that they mean.
var (
	valueLogits = []float32{0, float32(math.Log(2)), float32(math.Log(5)), -100, 0, 0}
	shares      = []float64{1. / 8, 2. / 8, 5. / 8, 0, 0.5, 0.5}
)

func TestSharesOf(t *testing.T) {
	got := make([]float64, 3)
	for i := 0; i < len(valueLogits); i += 3 {
		models.SharesOf(got, valueLogits[i:i+3])
		for j, want := range shares[i : i+3] {
			if !(math.Abs(got[j]-want) <= 1e-6) {
				t.Errorf("shares of observation %d are %v, want %v", i/3, got, shares[i:i+3])
			}
		}
	}
}

func TestSharesToReturns(t *testing.T) {
	values := slices.Clone(valueLogits)
	models.SharesToReturns(values, 3, func(share float64) float64 { return 3*share - 1 })
	for i, share := range shares {
		if want := 3*share - 1; !(math.Abs(float64(values[i])-want) <= 1e-6) {
			t.Errorf("return %d is %v, want %v", i, values[i], want)
		}
	}
	models.SharesToReturns(nil, 3, nil) // no rows
}
