package models

import (
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
)

// Shards finds the gradient of a minibatch shard by shard, for a [Learner]. The
// sum is made in the order of the shards, so its bits do not depend on how many
// goroutines work.
type Shards struct{ grads [][]float32 }

// MostRows is how many rows of D numbers the largest shard has.
// It panics if the numbers do not fit, and returns an error for no rows at all.
func MostRows(shards []Rows, d int) (most int, err error) {
	for i, s := range shards {
		n := len(s.Obs) / d
		if len(s.Obs) != n*d {
			panic(fmt.Sprintf("models: shard %d has %d observed numbers: want a multiple of %d", i, len(s.Obs), d))
		}
		most = max(most, n)
	}
	if most == 0 {
		return 0, errors.New("models: Fit is given no rows")
	}
	return most, nil
}

// Sum runs work on several goroutines. Each is given the shards that are left, one
// after the other, with room for the gradient [size] to fill. The sum is the
// caller's until the next call.
func (s *Shards) Sum(shards, size, workers int, work func(worker int, left iter.Seq2[int, []float32]) error) ([]float32, error) {
	for len(s.grads) < shards {
		s.grads = append(s.grads, make([]float32, size))
	}
	var (
		next atomic.Int64
		errs = make([]error, workers)
		wg   sync.WaitGroup
	)
	left := func(yield func(int, []float32) bool) {
		for i := next.Add(1) - 1; i < int64(shards); i = next.Add(1) - 1 {
			if !yield(int(i), s.grads[i]) {
				return
			}
		}
	}
	for w := range workers {
		wg.Go(func() { errs[w] = work(w, left) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	sum := s.grads[0]
	for _, grad := range s.grads[1:shards] {
		for i, v := range grad {
			sum[i] += v
		}
	}
	return sum, nil
}
