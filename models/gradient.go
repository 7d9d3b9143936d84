package models

import (
	"context"
	"errors"
	"fmt"

	"marsgym/internal/kernel/sgemm"
	"marsgym/internal/parallel"
)

// GradientAccumulator computes the gradient of a minibatch for a [Learner]: that of
// each part by itself, and their sum in the order of the parts. So its bits do not
// depend on GOMAXPROCS. The zero value is ready for use, by one goroutine.
type GradientAccumulator struct {
	grads []float32 // [parts, weights]
	sum   []float32 // [weights]
}

// Sum calls gradient for each part, up to GOMAXPROCS of them at the same time, to
// fill grad [weights] with the gradient of that part. It returns the sum, which is
// valid until the next call, or the errors of all the calls.
func (g *GradientAccumulator) Sum(ctx context.Context, parts, weights int, gradient func(part int, grad []float32) error) ([]float32, error) {
	if need := parts * weights; len(g.grads) < need || len(g.sum) != weights {
		g.grads, g.sum = make([]float32, need), make([]float32, weights)
	}
	errs := make([]error, parts)
	parallel.For(parts, 1, func(i, _ int) {
		if errs[i] = ctx.Err(); errs[i] == nil {
			errs[i] = gradient(i, g.grads[i*weights:][:weights])
		}
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if parts == 1 {
		return g.grads[:weights], nil
	}
	parallel.For(weights, weightRange, func(from, to int) {
		sum := g.sum[from:to]
		copy(sum, g.grads[from:])
		for i := 1; i < parts; i++ {
			for j, x := range g.grads[i*weights+from:][:len(sum)] {
				sum[j] += x
			}
		}
	})
	return g.sum, nil
}

// GroupRows is the number of rows whose gradients a [Learner] sums before it adds them to those
// of others. Chosen: the outputs of two layers and their gradients stay in a cache of a few MiB,
// and adding the sums takes little time beside computing them.
const (
	GroupRows = 2048
	MaxGroups = 64 // chosen; a minibatch with more rows has larger groups
)

// weightRange is the number of weights that one goroutine handles at a time. Chosen: some
// microseconds.
const weightRange = 1 << 14

// stepRange is the number of weights of which one goroutine takes a step at a time. Chosen: a step
// takes longer than a sum, so a smaller range occupies more cores.
const stepRange = weightRange / 4

// Groups divides the shards with rows into groups of consecutive ones, and returns the number of
// rows of the largest group. It panics if the observations of a shard have another length than
// d, and returns an error if there are no rows at all.
func Groups(shards []Shard, d int) (groups [][]Shard, rows int, err error) {
	n, all := 0, 0
	for _, s := range shards {
		all += s.Len()
	}
	most := max(GroupRows, all/MaxGroups)
	for i, s := range shards {
		if s.Len() == 0 {
			continue
		}
		if got := s.Obs.rows.Columns(); got != d {
			panic(fmt.Sprintf("models: the observations of shard %d have %d numbers: want %d", i, got, d))
		}
		if n += s.Len(); groups == nil || n > most {
			groups, n = append(groups, nil), s.Len()
		}
		last := &groups[len(groups)-1]
		*last = append(*last, s)
		rows = max(rows, n)
	}
	if rows == 0 {
		err = errors.New("models: Fit needs at least one row")
	}
	return groups, rows, err
}

// WeightGradient sets dw [to-from, Out] to the rows from <= i < to of xᵀ·dz, for x [n, In] and
// dz [n, Out].
func (l Layer) WeightGradient(dw []float32, from, to int, x, dz []float32) {
	sgemm.SparseT(to-from, l.Out, len(dz)/l.Out, x[from:], l.In, dz, dw)
}
