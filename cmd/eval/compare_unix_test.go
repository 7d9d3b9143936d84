//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"marsgym/agents"
	"marsgym/internal/cli"
	"marsgym/train"
)

// TestComparePipes compares run folders whose files are pipes, which would wait for a writer.
func TestComparePipes(t *testing.T) {
	for _, name := range []string{agents.ModelFile, train.MetricsFile} {
		dir := folder(t, "pig", "ppo", `{"steps": 1}`)
		path := filepath.Join(dir, name)
		if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o666)); err != nil {
			t.Skip(err)
		}
		if _, stderr, status := command(t, "compare", dir); status == cli.Done || !strings.Contains(stderr, path+" is a pipe, not a regular file") {
			t.Errorf("%s: status %d, %s", name, status, stderr)
		}
	}
}

// TestCompareNames compares a run folder whose name would clear the terminal.
func TestCompareNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a\x1b[2J\rb")
	if err := os.Rename(folder(t, "pig", "ppo", `{"steps": 1}`), dir); err != nil {
		t.Skip(err)
	}
	stdout, stderr, status := command(t, "compare", dir)
	if status != cli.Done || strings.ContainsAny(stdout+stderr, "\x1b\r") || !strings.Contains(stdout, `a\x1b[2J\x0db`) {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}
