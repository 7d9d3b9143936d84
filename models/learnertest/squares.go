package learnertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"marsgym/models"
)

// squares is a shard with the loss Σ (output − target)² / 2.
type squares struct {
	shape  models.Shape
	obs    []float32 // [n, D]
	policy []float32 // [n, K] targets
	values []float32 // [n, P] targets
}

// newSquares returns n rows. With ten numbers or more, their observations are mostly
// zeros.
func newSquares(s models.Shape, r *rand.Rand, n int) squares {
	obs := noise(r, n*s.Obs)
	for i := range obs {
		if s.Obs >= 10 && r.IntN(4) > 0 {
			obs[i] = 0
		}
	}
	return squares{s, obs, noise(r, n*s.PolicyWidth()), noise(r, n*s.Players)}
}

// slice returns the rows from <= i < to.
func (q squares) slice(from, to int) squares {
	s, k, p := q.shape, q.shape.PolicyWidth(), q.shape.Players
	return squares{s, q.obs[from*s.Obs : to*s.Obs], q.policy[from*k : to*k], q.values[from*p : to*p]}
}

func (q squares) shard() models.Shard {
	return models.Shard{Obs: models.NewObservations(q.shape.Obs, q.obs), Loss: func(p, v, dp, dv []float32) {
		for i := range p {
			dp[i] = p[i] - q.policy[i]
		}
		for i := range v {
			dv[i] = v[i] - q.values[i]
		}
	}}
}

// loss returns the loss for weights in the order of MLP.Weights, computed in float64.
func (q squares) loss(weights []float64) float64 {
	sum := 0.0
	for i := 0; i < len(q.obs); i += q.shape.Obs {
		var x []float64
		for _, v := range q.obs[i : i+q.shape.Obs] {
			x = append(x, float64(v))
		}
		rest := weights
		for l := range len(q.shape.Hidden) + 1 {
			out, head := q.shape.PolicyWidth()+q.shape.Players, l == len(q.shape.Hidden)
			if !head {
				out = q.shape.Hidden[l]
			}
			y := slices.Clone(rest[len(x)*out:][:out])
			for j, v := range x {
				for c := range y {
					y[c] += v * rest[j*out+c]
				}
			}
			for c := range y {
				if !head {
					y[c] = max(y[c], 0)
				}
			}
			x, rest = y, rest[(len(x)+1)*out:]
		}
		row, k := i/q.shape.Obs, q.shape.PolicyWidth()
		for c, v := range x {
			target := 0.0
			if c < k {
				target = float64(q.policy[row*k+c])
			} else {
				target = float64(q.values[row*q.shape.Players+c-k])
			}
			sum += (v - target) * (v - target) / 2
		}
	}
	return sum
}

// differences returns the gradient of the sum of the losses, by central differences.
func differences(weights []float32, qs ...squares) []float32 {
	w := make([]float64, len(weights))
	for i, v := range weights {
		w[i] = float64(v)
	}
	sum := func() (s float64) {
		for _, q := range qs {
			s += q.loss(w)
		}
		return s
	}
	const h = 1e-6
	grad := make([]float32, len(w))
	for i, v := range w {
		w[i] = v + h
		up := sum()
		w[i] = v - h
		down := sum()
		w[i] = v
		grad[i] = float32((up - down) / (2 * h))
	}
	return grad
}

// gradient returns the gradient that Fit computes, and its norm. With Beta1 = 0, Adam's
// mean gradient is the last gradient.
func gradient(new New, mlp *models.MLP, shards ...models.Shard) (grad []float32, norm float64, err error) {
	cfg := models.DefaultAdam()
	cfg.Beta1 = 0
	l, err := new(mlp.Clone(), cfg)
	if err != nil {
		return nil, 0, err
	}
	if norm, err = l.Fit(context.Background(), shards, 0); err != nil {
		return nil, 0, err
	}
	grad, err = moment(l)
	return grad, norm, err
}

// moment returns Adam's mean gradient from the learner's state.
func moment(l models.Learner) ([]float32, error) {
	for _, t := range l.State() {
		if t.Name == "adam.m" {
			return t.Data, nil
		}
	}
	return nil, errors.New("no tensor adam.m in State")
}

// near returns an error unless got differs from want by at most tol times the largest
// number of want.
func near(got, want []float32, tol float64) error {
	scale := 0.0
	for _, w := range want {
		scale = max(scale, math.Abs(float64(w)))
	}
	if !(scale > 0) || len(got) != len(want) {
		return fmt.Errorf("%d numbers, want %d, the largest %v", len(got), len(want), scale)
	}
	for i, w := range want {
		if !(math.Abs(float64(got[i]-w)) <= tol*scale) {
			return fmt.Errorf("number %d is %v: want %v", i, got[i], w)
		}
	}
	return nil
}

// noise returns n normal numbers.
func noise(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// network returns a network with normal weights, in which the biases and the policy head
// are not small. It panics if the shape is not valid.
func network(s models.Shape, seed uint64) *models.MLP {
	mlp, err := models.NewMLP(s, rand.NewPCG(seed, 0))
	if err != nil {
		panic(err)
	}
	copy(mlp.Weights(), noise(rand.New(rand.NewPCG(seed, 1)), len(mlp.Weights())))
	return mlp
}

// trained returns a new learner after a number of updates.
func trained(new New, s models.Shape, seed uint64, updates int) (models.Learner, error) {
	l, err := new(network(s, seed), settings)
	if err != nil {
		return nil, err
	}
	return l, train(l, 0, updates)
}

// train calls Fit for updates from to to-1, with shards of different sizes.
func train(l models.Learner, from, to int) error {
	s := l.MLP().Shape()
	for u := from; u < to; u++ {
		r := rand.New(rand.NewPCG(uint64(u), 2))
		shards := []models.Shard{newSquares(s, r, 40+u).shard(), newSquares(s, r, 30).shard(), newSquares(s, r, u%3).shard()}
		if _, err := l.Fit(context.Background(), shards, 1e-3); err != nil {
			return err
		}
	}
	return nil
}

// snapshot returns copies of all that a checkpoint stores of a learner.
func snapshot(l models.Learner) []models.Tensor { return append(l.MLP().Tensors(), l.State()...) }

// same returns an error unless weights and states are equal to the bit.
func same(got, want models.Learner) error { return equal(snapshot(got), snapshot(want)) }

// equal returns an error unless all numbers are equal to the bit.
func equal(got, want []models.Tensor) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d tensors: want %d", len(got), len(want))
	}
	for i, w := range want {
		if got[i].Name != w.Name || !slices.Equal(got[i].Data, w.Data) {
			return fmt.Errorf("%s has wrong numbers", w.Name)
		}
	}
	return nil
}
