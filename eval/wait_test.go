package eval_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"marsgym/agents"
	"marsgym/env"
)

// slow is a policy that waits.
type slow struct {
	env.Policy
	once           sync.Once
	begun, release chan struct{}
}

func (s *slow) Probs(dst []float64, d env.Decisions) error {
	s.once.Do(func() { close(s.begun) })
	<-s.release
	return s.Policy.Probs(dst, d)
}

// TestWaitCancelled: who waits for another caller's tabulation of an agent can give up, and the
// other goes on.
func TestWaitCancelled(t *testing.T) {
	g := reduced(t, 2)
	s := &slow{Policy: g.random.Policy, begun: make(chan struct{}), release: make(chan struct{})}
	a := &agents.Agent{Name: "slow", Policy: s}
	first := make(chan error, 1)
	go func() {
		_, err := g.evaluator.Cost(t.Context(), a)
		first <- err
	}()
	<-s.begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, wait := range map[string]func() error{
		"Cost":           func() error { _, err := g.evaluator.Cost(ctx, a); return err },
		"Strength":       func() error { _, err := g.evaluator.Strength(ctx, g.greedy); return err },
		"Exploitability": func() error { _, err := g.evaluator.Exploitability(ctx, g.random); return err },
		"WinShares":      func() error { _, err := g.evaluator.WinShares(ctx, []*agents.Agent{a, a}); return err },
	} {
		ended := make(chan error, 1)
		go func() { ended <- wait() }()
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%s waits although its context is done", name)
		}
	}
	close(s.release)
	if err := <-first; err != nil {
		t.Error(err)
	}
}
