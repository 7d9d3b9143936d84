// Package parallel runs a loop on several goroutines.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// For calls f with consecutive ranges, from <= i < to, that together cover
// 0 <= i < n. Each has size indices, and the last one what is left; size must be
// at least 1. Up to GOMAXPROCS calls run at the same time, one of them on the
// caller's goroutine, and For returns when all have returned.
//
// Which goroutine handles a range, and in which order ranges are handled, is not
// defined, so results must not depend on it.
func For(n, size int, f func(from, to int)) {
	all := (n + size - 1) / size
	cores := runtime.GOMAXPROCS(0)
	helpers := min(cores, all) - 1
	if helpers <= 0 {
		for from := 0; from < n; from += size {
			f(from, min(from+size, n))
		}
		return
	}
	c := &call{f: f, n: n, size: size, patience: patience(cores)}
	c.left.Store(int64(all))
	c.ended.Add(1)
	dispatch(c, helpers)
	c.work()
	if !c.await(func() bool { return c.left.Load() == 0 }) {
		c.asleep.Store(true)
		c.ended.Wait()
	}
}

// call is a call of [For].
type call struct {
	f        func(from, to int)
	n, size  int
	patience time.Duration
	next     atomic.Int64   // the start of the next range
	left     atomic.Int64   // ranges that have not returned: For does not wait for goroutines that come too late
	ended    sync.WaitGroup // waits until left is 0
	asleep   atomic.Bool    // the caller waits there
}

// work handles ranges until none is left to begin.
func (c *call) work() {
	for from := c.take(); from < c.n; from = c.take() {
		c.handle(from)
	}
}

func (c *call) take() int { return int(c.next.Add(int64(c.size))) - c.size }

func (c *call) handle(from int) {
	defer func() {
		if c.left.Add(-1) == 0 {
			c.ended.Done()
			if c.asleep.Load() {
				runtime.Gosched() // to the caller, who runs next on this processor
			}
		}
	}()
	c.f(from, min(from+c.size, c.n))
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

// Queue calls f on up to GOMAXPROCS goroutines, and at most calls times. Each call takes
// indices 0 <= i < n by next, until that reports false: when none is left, when ctx is done, or
// after fail. Queue returns the first error given to fail, or the error of ctx if indices are
// left. Which call takes an index is not defined, so results must not depend on it.
//
// It is for calls that work on several indices at once; for others there is [ForContext].
func Queue(ctx context.Context, n, calls int, f func(next func() (i int, ok bool), fail func(error))) error {
	var (
		taken  atomic.Int64
		failed atomic.Bool
		once   sync.Once
		first  error
	)
	fail := func(err error) {
		once.Do(func() { first = err })
		failed.Store(true)
	}
	next := func() (int, bool) {
		if failed.Load() || ctx.Err() != nil {
			return 0, false
		}
		i := int(taken.Add(1)) - 1
		return i, i < n
	}
	For(min(calls, runtime.GOMAXPROCS(0)), 1, func(int, int) { f(next, fail) })
	if first == nil && int(taken.Load()) < n {
		return ctx.Err()
	}
	return first
}
