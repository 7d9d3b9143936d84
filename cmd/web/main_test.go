package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
)

// runCommand runs web and returns what it wrote and its exit status.
func runCommand(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	return clitest.Command(run).Run(t, "", args...)
}

// TestRefusedFlags calls the command with flags that it must refuse before it does
// anything.
func TestRefusedFlags(t *testing.T) {
	full := t.TempDir()
	kept := filepath.Join(full, "kept")
	if err := os.WriteFile(kept, []byte("kept"), 0o666); err != nil {
		t.Fatal(err)
	}
	folders := t.TempDir() // one that is empty, and a link to it
	if err := errors.Join(os.Mkdir(filepath.Join(folders, "empty"), 0o777), os.Symlink("empty", filepath.Join(folders, "link"))); err != nil {
		t.Skip("no links here:", err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-export", filepath.Join(folders, "link")}, "is a link or a file, which is not replaced; name a new folder"},
		{[]string{"-export", filepath.Join(folders, "link") + "/"}, "is a link or a file"},
		{[]string{"-export", filepath.Join(folders, "no", "new")}, "make the folder that holds it first"},
		{[]string{"-export", full}, "is not empty; name a new folder"},
		{[]string{"-export", kept}, "-export"},
		{[]string{"-export", filepath.Join(full, "new"), "-listen", "127.0.0.1:0"}, "leave out -listen"},
		{[]string{"-runs", kept}, "is no folder"},
		{[]string{"-url", "https://example.org/"}, "want the address of the folder of -export"},
		{[]string{"-export", filepath.Join(full, "new"), "-url", "https://example.org"}, "want the address of the folder"},
		{[]string{"-limit", "0s"}, "want above 0"},
		{[]string{"-listen", "256.0.0.1:1"}, "name another address"},
		{[]string{"pig"}, "unexpected argument"},
	} {
		stdout, stderr, status := runCommand(t, test.args...)
		if status != cli.Misuse || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%q: status %d, %q, %q; want %q", test.args, status, stdout, stderr, test.want)
		}
	}
	entries, err := os.ReadDir(full)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}
