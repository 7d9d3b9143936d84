package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// exporter is the name of the variable with which this test program exports the page to a folder.
const exporter = "MARSGYM_TEST_EXPORT"

// TestExportKilled kills an export while it works, and looks at what it leaves: nothing. What a writer
// that was killed in its last moment leaves is gone after the next one.
func TestExportKilled(t *testing.T) {
	if dir := os.Getenv(exporter); dir != "" {
		runCommand(t, "-export", dir, "-cache", "none")
		return
	}
	if runtime.GOOS == "windows" {
		t.Skip("a script kills the export")
	}
	tools, parent := t.TempDir(), t.TempDir()
	dir := filepath.Join(parent, "site")
	// The export calls Go for minutes of work.
	if err := os.WriteFile(filepath.Join(tools, "go"), []byte("#!/bin/sh\nkill -9 $PPID\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0], "-test.run=^TestExportKilled$")
	c.Env = append(os.Environ(), exporter+"="+dir, "PATH="+tools+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the export was not killed: %v, %s", err, out)
	}
	left := func(want ...string) {
		t.Helper()
		entries, err := os.ReadDir(parent)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if err != nil || strings.Join(names, " ") != strings.Join(want, " ") {
			t.Errorf("there are %q, %v; want %q", names, err, want)
		}
	}
	left()
	unfinished := filepath.Join(dir+".unfinished", "site", "part")
	if err := os.MkdirAll(unfinished, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := writeFolder(t.Context(), dir, map[string][]byte{"a/b": []byte("new")}); err != nil {
		t.Fatal(err)
	}
	left("site")
	if b, err := os.ReadFile(filepath.Join(dir, "a", "b")); err != nil || string(b) != "new" {
		t.Errorf("the file is %q, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "part")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder has a part of what was left, or %v", err)
	}
}

// TestExportLicences: the exported page has the licence of each part of its program.
func TestExportLicences(t *testing.T) {
	text, err := licences(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"marsgym, LICENSE", "go1.", "Copyright 2009 The Go Authors", "gonum.org/v1/gonum v", "github.com/maruel/safetensors v"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the licences lack %q", want)
		}
	}
	bare, err := licencesIn("example.org/bare v1.2.3", t.TempDir())
	if want := "example.org/bare v1.2.3\n\nNo licence text was found where it was built.\n"; err != nil || len(bare) != 1 || bare[0] != want {
		t.Errorf("of a module without a licence: %q, %v; want %q", bare, err, want)
	}
}
