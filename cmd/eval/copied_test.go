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
		args = append(args, "-game-config", clitest.Config(t, `{"target": 10}`), "-checkpoint", filepath.Join(t.TempDir(), `it's $x & "y"`), "-json")
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

// TestLost: an interrupted evaluation says what is lost, and does not offer to go on where nothing
// is kept.
func TestLost(t *testing.T) {
	for _, test := range []struct{ model, want string }{
		{"greedy", "no part had ended, so nothing is kept; to begin again:"},
		{"search:1ms", "no part had ended, so nothing is kept; to begin again:"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var stdout, stderr strings.Builder
		args := []string{"match", "-game", "pig", "-model", test.model, "-against", "random", "-checkpoint", filepath.Join(t.TempDir(), "file")}
		status := run(ctx, args, nil, &stdout, &stderr)
		if status != cli.Interrupted || !strings.Contains(stderr.String(), test.want) || strings.Contains(stderr.String(), "to go on") {
			t.Errorf("%s: status %d, %s; want %q", test.model, status, &stderr, test.want)
		}
	}
}
