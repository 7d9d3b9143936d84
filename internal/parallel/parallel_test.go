package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"marsgym/internal/parallel"
)

// eachProcs runs f with GOMAXPROCS from 1 to 8.
func eachProcs(t *testing.T, f func(t *testing.T, procs int)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for procs := 1; procs <= 8; procs++ {
		runtime.GOMAXPROCS(procs)
		t.Run(fmt.Sprint("procs=", procs), func(t *testing.T) { f(t, procs) })
	}
}

func TestForCoversEachIndexOnce(t *testing.T) {
	eachProcs(t, func(t *testing.T, procs int) {
		for _, n := range []int{0, 1, 2, 7, 1000, 100_003} {
			for _, size := range []int{1, 3, 64, 1000, 1 << 20} {
				var (
					calls = make([]int, n) // not atomic: the race detector finds an index that two goroutines handle
					count atomic.Int64
				)
				parallel.For(n, size, func(from, to int) {
					count.Add(1)
					if from%size != 0 || to != min(from+size, n) {
						t.Errorf("n %d, size %d: range %d to %d", n, size, from, to)
						return
					}
					for i := from; i < to; i++ {
						calls[i]++
					}
				})
				if want := int64((n + size - 1) / size); count.Load() != want {
					t.Errorf("n %d, size %d: %d calls, want %d", n, size, count.Load(), want)
				}
				if i := slices.IndexFunc(calls, func(c int) bool { return c != 1 }); i >= 0 {
					t.Errorf("n %d, size %d: index %d is handled %d times", n, size, i, calls[i])
				}
			}
		}
	})
}

// TestForUsesAllProcessors: GOMAXPROCS calls, and no more, run at the same time. Each
// of the first calls waits for the others, so too few goroutines would never return.
func TestForUsesAllProcessors(t *testing.T) {
	eachProcs(t, func(t *testing.T, procs int) {
		var (
			running atomic.Int64
			barrier sync.WaitGroup
		)
		barrier.Add(procs)
		parallel.For(100*procs, 1, func(from, _ int) {
			if n := running.Add(1); n > int64(procs) {
				t.Errorf("%d calls run at the same time", n)
			}
			defer running.Add(-1)
			if from < procs {
				barrier.Done()
				barrier.Wait()
			}
			runtime.Gosched()
		})
	})
}

func TestForContext(t *testing.T) {
	const n = 10_000
	var sum atomic.Int64
	add := func(from, to int) error {
		for i := from; i < to; i++ {
			sum.Add(int64(i))
		}
		return nil
	}
	if err := parallel.ForContext(t.Context(), n, 7, add); err != nil || sum.Load() != n*(n-1)/2 {
		t.Errorf("the indices sum to %d, error %v; want %d", sum.Load(), err, n*(n-1)/2)
	}

	// Calls that run at the same time as the one that fails may end. There are no others.
	goroutines := int64(runtime.GOMAXPROCS(0))
	bad := errors.New("bad")
	var calls atomic.Int64
	err := parallel.ForContext(t.Context(), n, 1, func(int, int) error {
		calls.Add(1)
		return bad
	})
	if !errors.Is(err, bad) || calls.Load() > goroutines {
		t.Errorf("%d calls, error %v; want %d at most, and %v", calls.Load(), err, goroutines, bad)
	}

	ctx, cancel := context.WithCancel(t.Context())
	calls.Store(0)
	err = parallel.ForContext(ctx, n, 1, func(int, int) error {
		calls.Add(1)
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || calls.Load() > goroutines {
		t.Errorf("cancelled: %d calls, error %v; want %d at most, and %v", calls.Load(), err, goroutines, context.Canceled)
	}
}

func TestQueue(t *testing.T) {
	eachProcs(t, func(t *testing.T, procs int) {
		for _, n := range []int{0, 1, 7, 1000} {
			times, calls := make([]atomic.Int32, n), atomic.Int64{}
			err := parallel.Queue(t.Context(), n, 5, func(next func() (int, bool), _ func(error)) {
				calls.Add(1)
				for i, ok := next(); ok; i, ok = next() {
					times[i].Add(1)
				}
			})
			if want := int64(min(5, procs)); err != nil || calls.Load() != want {
				t.Fatalf("n %d: %d calls, %v; want %d", n, calls.Load(), err, want)
			}
			for i := range times {
				if k := times[i].Load(); k != 1 {
					t.Errorf("n %d: index %d taken %d times", n, i, k)
				}
			}
		}
	})

	bad, late := errors.New("bad"), 0
	err := parallel.Queue(t.Context(), 100, 1, func(next func() (int, bool), fail func(error)) {
		for i, ok := next(); ok; i, ok = next() {
			if late = i; i == 10 {
				fail(bad)
				fail(errors.New("worse"))
			}
		}
	})
	if err != bad || late != 10 {
		t.Errorf("error %v after index %d; want %v after 10", err, late, bad)
	}
	ctx, cancel := context.WithCancel(t.Context())
	take := func(next func() (int, bool), _ func(error)) {
		for _, ok := next(); ok; _, ok = next() {
			cancel()
		}
	}
	if err := parallel.Queue(ctx, 100, 1, take); err != context.Canceled {
		t.Errorf("cancelled: error %v; want %v", err, context.Canceled)
	}
	if err := parallel.Queue(ctx, 0, 1, take); err != nil {
		t.Errorf("nothing left: error %v; want none", err)
	}
}
