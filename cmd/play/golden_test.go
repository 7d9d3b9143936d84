// In package main, which cannot be imported.
package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/internal/cli"
)

// TestGolden plays the recorded games of package env again, from the start and from the
// middle of the first of them.
func TestGolden(t *testing.T) {
	for id, agents := range map[string]string{"pig": "random", "martian-dice": "greedy,random", "mars-is-ours-fast": "random", "martian-risk-tiny": "random"} {
		text, err := os.ReadFile("../../env/testdata/games/" + id + ".games")
		if err != nil {
			t.Fatal(err)
		}
		again := func(args ...string) string {
			t.Helper()
			file := filepath.Join(t.TempDir(), "a.games")
			_, stderr, status := command(t, "", append(args, "-record", file, "-cache", "none")...)
			got, err := os.ReadFile(file)
			if status != cli.Done || stderr != "" || err != nil {
				t.Fatalf("%s: status %d, %s, %v", id, status, stderr, err)
			}
			return string(got)
		}
		if got := again("-watch", "-game", id, "-opponent", agents, "-seed", "7", "-games", "2"); got != string(text) {
			t.Errorf("%s: the games are\n%s", id, got)
		}
		first, _, _ := strings.Cut(string(text), "\n\nmarsgym")
		lines := strings.SplitAfter(first, "\n")
		half := filepath.Join(t.TempDir(), "half.games")
		if err := os.WriteFile(half, []byte(strings.Join(lines[:len(lines)/2], "")+"result unfinished\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := again("-resume", half); got != first+"\n\n" {
			t.Errorf("%s: from the middle on, the game is\n%s", id, got)
		}
	}
}
