// In package main, which cannot be imported.
package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
)

func TestPlot(t *testing.T) {
	file := clitest.Config(t, reduced)
	dir := filepath.Join(t.TempDir(), "charts")
	stdout, stderr, status := command(t, "-model", "greedy", "-game-config", file, "-plot", dir, "-json")
	if status != cli.Done || !json.Valid([]byte(stdout)) {
		t.Fatalf("status %d, %s %s", status, stdout, stderr)
	}
	for _, name := range []string{"regret-first.svg", "regret-first.png", "regret-second.svg", "regret-second.png"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 || !strings.Contains(stderr, name) {
			t.Errorf("%s: %v, %s", name, err, stderr)
		}
	}

	tests := []struct {
		args   string
		status int
		want   string
	}{
		{"-model greedy", cli.Failed, "exists; name another folder"},
		{"-model greedy -players 3", cli.Failed, "no charts"},
		{"-model greedy -players 3 -games 2", cli.Misuse, "-plot are exact"},
		{"table", cli.Misuse, "unknown flag -plot"},
	}
	for _, tt := range tests {
		_, stderr, status := command(t, append(strings.Fields(tt.args), "-game-config", file, "-plot", dir)...)
		if status != tt.status || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %s; want %d and %q", tt.args, status, stderr, tt.status, tt.want)
		}
	}
}
