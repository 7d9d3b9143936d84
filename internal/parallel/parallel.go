// Package parallel runs a loop on several goroutines.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// For calls f with consecutive ranges, from <= i < to, that together cover
// 0 <= i < n. Each has size indices, and the last one what is left; size must be
// at least 1. Up to GOMAXPROCS calls run at the same time, one of them on the
// caller's goroutine, and For returns when all have returned.
//
// Which goroutine handles a range, and in which order ranges are handled, is not
// defined, so results must not depend on it.
func For(n, size int, f func(from, to int)) {
	if r := recorder.Load(); r != nil {
		r.run(n, size, f)
		return
	}
	var (
		next   atomic.Int64
		ranges sync.WaitGroup // that have not returned: For does not wait for goroutines that come too late
	)
	handle := func(from int) {
		defer ranges.Done()
		f(from, min(from+size, n))
	}
	work := func() {
		for from := int(next.Add(int64(size))) - size; from < n; from = int(next.Add(int64(size))) - size {
			handle(from)
		}
	}
	all := (n + size - 1) / size
	ranges.Add(all)
	for range min(runtime.GOMAXPROCS(0), all) - 1 {
		go work()
	}
	work()
	ranges.Wait()
}

// ForContext is [For] with an f that may fail. After a call has failed or ctx is done, it
// makes no further calls; it returns the first error.
func ForContext(ctx context.Context, n, size int, f func(from, to int) error) error {
	var (
		failed atomic.Bool
		once   sync.Once
		first  error
	)
	For(n, size, func(from, to int) {
		if failed.Load() {
			return
		}
		err := ctx.Err()
		if err == nil {
			err = f(from, to)
		}
		if err != nil {
			once.Do(func() { first = err })
			failed.Store(true)
		}
	})
	return first
}
