package clitest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/internal/cli"
)

// UnusableCache checks that a command first warns in one line and then answers if
// the cache folder is a file. work returns the arguments of one call, for which the
// command solves a game whose solutions are cached.
func UnusableCache(t *testing.T, run Command, work func() []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "sub")} {
		out, errs, status := run.Run(t, "quit\n", append(work(), "-cache", dir)...)
		if status != cli.Done || out == "" {
			t.Errorf("-cache %s: status %d, %s", dir, status, errs)
		}
		first, _, _ := strings.Cut(errs, "\n")
		if !strings.Contains(first, "not stored") || !strings.Contains(first, file) || !strings.Contains(first, "-cache none") || strings.Count(errs, "not stored") != 1 {
			t.Errorf("-cache %s: standard error is %q; want one warning, before everything else", dir, errs)
		}
	}
}
