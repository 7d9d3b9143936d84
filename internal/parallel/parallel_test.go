package parallel_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"marsgym/internal/parallel"
)

func TestFor(t *testing.T) {
	for _, n := range []int{0, 1, 7, 100} {
		for _, size := range []int{1, 3, 100, 1000} {
			calls := make([]atomic.Int64, n)
			parallel.For(n, size, func(from, to int) {
				if to-from > size || from >= to || from%size != 0 {
					t.Errorf("range %d to %d of %d, size %d", from, to, n, size)
				}
				for i := from; i < to; i++ {
					calls[i].Add(1)
				}
			})
			for i := range calls {
				if got := calls[i].Load(); got != 1 {
					t.Errorf("index %d of %d is covered %d times", i, n, got)
				}
			}
		}
	}
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

	// Calls that run beside the one that fails may end; no other call begins.
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
