package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"marsgym/internal/machine"
)

// limitMemory makes the garbage collector work harder near the limit of this process's memory,
// instead of ending there, unless GOMEMLIMIT is set.
func limitMemory() {
	if n := machine.Usable(); n > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(n))
	}
}

// ErrMemory is wrapped by the cause of a context of [LimitMemory] that has ended.
var ErrMemory = errors.New("out of memory")

// LimitMemory returns a context that ends when this process uses more memory than it may: a number
// of bytes that a source sets, or with 0 [machine.Usable]. Near that the garbage collector works
// harder. The caller calls stop at the end.
func LimitMemory(ctx context.Context, limit uint64, source string) (_ context.Context, stop func()) {
	if limit == 0 {
		limit, source = machine.Usable(), machine.Source
	}
	if limit == 0 {
		return ctx, func() {}
	}
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, int64(limit)))
	ctx, cancel := context.WithCancelCause(ctx)
	go watchMemory(ctx, limit, func() {
		cancel(fmt.Errorf("%w: more than the %.3g GiB that %s", ErrMemory, float64(limit)/(1<<30), source))
	})
	return ctx, func() {
		cancel(nil)
		debug.SetMemoryLimit(before)
	}
}

// watchMemory calls full and returns when more memory is in use than the limit, and the garbage
// collector has not changed that for a while.
func watchMemory(ctx context.Context, limit uint64, full func()) {
	const pause, patience = 20 * time.Millisecond, 5 // chosen
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	in := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for over := 0; over < patience; over++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if metrics.Read(in); in[0].Value.Uint64()-in[1].Value.Uint64() <= limit {
			over = -1
		}
	}
	full()
}
