package jobs

import (
	"context"
	"fmt"
	"sync"

	"marsgym/internal/parallel"
)

// Encoded computes tasks in this process as another one would, from bytes to bytes, up to
// GOMAXPROCS of them at the same time.
type Encoded struct {
	Kinds map[string]Func
}

// Do implements [Executor].
func (e Encoded) Do(ctx context.Context, tasks []Task) error {
	var receiving sync.Mutex
	return parallel.ForContext(ctx, len(tasks), 1, func(k, _ int) error {
		j, err := tasks[k].Job()
		if err != nil {
			return err
		}
		compute := e.Kinds[j.Kind]
		if compute == nil {
			return fmt.Errorf("jobs: no function for jobs of kind %s", j.Kind)
		}
		r, err := compute(ctx, j.Args, j.Inputs)
		if err != nil {
			return err
		}
		receiving.Lock()
		defer receiving.Unlock()
		return tasks[k].Receive(r)
	})
}
