// In package registry, whose evaluators are not exported.
package registry

import (
	"context"
	"errors"
	"testing"

	"marsgym/env/catalog"
	"marsgym/internal/parallel"
)

// TestWaitCancelled: a job does not wait for the solver of another one when it is cancelled.
func TestWaitCancelled(t *testing.T) {
	g, err := catalog.Open("pig", 2, []byte(`{"target": 10}`))
	if err != nil {
		t.Fatal(err)
	}
	e := &evaluators{solving: parallel.NewLock()}
	if err := e.solving.Acquire(t.Context()); err != nil { // as a job that solves
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.of(ctx, g); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	e.solving.Release()
	if f, err := e.of(t.Context(), g); f == nil || err != nil {
		t.Errorf("after the other job: %v", err)
	}
}
