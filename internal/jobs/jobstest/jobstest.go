// Package jobstest computes jobs in tests as other processes would.
package jobstest

import (
	"context"
	"sync/atomic"

	"marsgym/internal/jobs"
)

// Encoded returns an executor that goes from bytes to bytes, and the number of jobs that it
// has begun. If alter is not nil, tasks receive what it makes of their results.
func Encoded(kinds map[string]jobs.Func, alter func([]byte) []byte) (jobs.Encoded, *atomic.Int64) {
	count := new(atomic.Int64)
	e := jobs.Encoded{Kinds: map[string]jobs.Func{}}
	for kind, compute := range kinds {
		e.Kinds[kind] = func(ctx context.Context, args []byte, inputs []*jobs.Blob) (jobs.Result, error) {
			count.Add(1)
			r, err := compute(ctx, args, inputs)
			if err == nil && alter != nil {
				r.Bytes = alter(r.Bytes)
			}
			return r, err
		}
	}
	return e, count
}
