// In package registry, whose evaluators are not exported.
package registry

import (
	"context"
	"errors"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
)

// slow is a game that is not solved until it is released.
type slow struct {
	env.Game
	release chan struct{}
}

func (s slow) Solve(ctx context.Context, progress func(done float64)) (env.Solution, error) {
	<-s.release
	return s.Game.Solve(ctx, progress)
}

// TestWaitCancelled: a job does not wait for the solver when it is cancelled. The solver goes on for
// the next job.
func TestWaitCancelled(t *testing.T) {
	g, err := catalog.Open("pig", 2, []byte(`{"target": 10}`))
	if err != nil {
		t.Fatal(err)
	}
	x := slow{g, make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var e evaluators
	for _, job := range []string{"the job that solves", "a job that waits for it"} {
		if _, err := e.of(ctx, x); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", job, err)
		}
	}
	close(x.release)
	if f, err := e.of(t.Context(), g); f == nil || err != nil {
		t.Errorf("the next job: %v", err)
	}
}
