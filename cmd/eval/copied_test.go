package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
)

// TestCopied interrupts evaluations with -checkpoint, and goes on by the command that they
// print.
func TestCopied(t *testing.T) {
	for _, args := range [][]string{
		{"tournament", "-game", "pig", "greedy", "random", "-games", "40"},
		{"match", "-game", "pig", "-model", "greedy", "-against", "random", "-sequential", "0.4"},
	} {
		args = append(args, "-game-config", config(t, `{"target": 10}`), "-checkpoint", filepath.Join(t.TempDir(), `it's $x & "y"`), "-json")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var stdout, stderr strings.Builder
		status := run(ctx, args, nil, &stdout, &stderr)
		calls := clitest.Copied(t, "eval", stderr.String())
		if status != cli.Interrupted || stdout.Len() > 0 || len(calls) != 1 {
			t.Fatalf("%q: status %d, %q in\n%s", args, status, calls, &stderr)
		}
		want, _, _ := command(t, args...)
		if got, errs, status := command(t, calls[0]...); status != cli.Done || got != want {
			t.Errorf("%q: status %d, %s%s; want %s", calls[0], status, errs, got, want)
		}
	}
}
