package models

import (
	"errors"
	"fmt"

	"marsgym/internal/kernel/sgemm"
	"marsgym/internal/parallel"
)

// GradientAccumulator computes the gradient of a minibatch for a [Learner]: that of
// each shard by itself, and their sum in the order of the shards. So its bits do not
// depend on GOMAXPROCS. The zero value is ready for use, by one goroutine.
type GradientAccumulator struct {
	grads []float32 // [shards, weights]
	sum   []float32 // [weights]
}

// Sum calls gradient for each shard, up to GOMAXPROCS of them at the same time, to
// fill grad [weights] with the gradient of that shard. It returns the sum, which is
// valid until the next call, or the errors of all the calls.
func (g *GradientAccumulator) Sum(shards, weights int, gradient func(shard int, grad []float32) error) ([]float32, error) {
	if need := shards * weights; len(g.grads) < need || len(g.sum) != weights {
		g.grads, g.sum = make([]float32, need), make([]float32, weights)
	}
	errs := make([]error, shards)
	parallel.For(shards, 1, func(i, _ int) { errs[i] = gradient(i, g.grads[i*weights:][:weights]) })
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	sgemm.ColumnSums(shards, weights, g.grads, g.sum)
	return g.sum, nil
}

// LargestShard returns the number of rows of the largest shard, where an observation
// has d numbers. It panics if those of a shard have another length, and returns an
// error if there are no rows at all.
func LargestShard(shards []Shard, d int) (rows int, err error) {
	for i, s := range shards {
		if s.Len() == 0 {
			continue
		}
		if got := s.Obs.rows.Columns(); got != d {
			panic(fmt.Sprintf("models: the observations of shard %d have %d numbers: want %d", i, got, d))
		}
		rows = max(rows, s.Len())
	}
	if rows == 0 {
		return 0, errors.New("models: Fit needs at least one row")
	}
	return rows, nil
}

// WeightGradient sets dw [In, Out] to xᵀ·dz, for x [n, In] and dz [n, Out].
func (l Layer) WeightGradient(dw, x, dz []float32) {
	sgemm.SparseT(l.In, l.Out, len(dz)/l.Out, x, dz, dw)
}

// WeightGradientObservations is [Layer.WeightGradient] for x the observations.
func (l Layer) WeightGradientObservations(dw []float32, obs *Observations, dz []float32) {
	obs.mulT(l.Out, dz, dw)
}
