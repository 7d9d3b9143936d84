// In package main, which cannot be imported.
package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
)

func TestPlot(t *testing.T) {
	file := clitest.Config(t, `{"dice": 5, "target": 4}`)
	dir := filepath.Join(t.TempDir(), "charts")
	stdout, stderr, status := command(t, "-game-config", file, "-plot", dir)
	if status != cli.Done || !strings.Contains(stdout, "under best play") {
		t.Fatalf("status %d, %s %s", status, stdout, stderr)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 6 {
		t.Errorf("%d files %v, %v; want three charts as SVG and PNG", len(files), files, err)
	}
	for _, name := range files {
		if !strings.Contains(stderr, "wrote "+name) {
			t.Errorf("standard error does not name %s: %s", name, stderr)
		}
	}

	before, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	_, stderr, status = command(t, "-game-config", file, "-plot", dir)
	if status != cli.Failed || !strings.Contains(stderr, "exists; name another folder") {
		t.Errorf("a second time: status %d, %s", status, stderr)
	}
	if after, err := os.Stat(files[0]); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("%s was overwritten: %v", files[0], err)
	}

	_, stderr, status = command(t, "-players", "3", "-game-config", file, "-plot", dir)
	if status != cli.Failed || !strings.Contains(stderr, "no charts") {
		t.Errorf("for three players: status %d, %s; want no charts", status, stderr)
	}
}
