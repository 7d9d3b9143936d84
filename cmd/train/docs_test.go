// In package main, which cannot be imported.
package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/internal/test/fulltest"
)

func TestDocs(t *testing.T) { clitest.Docs(t, "train", run) }

// TestYardsticks checks that the settings of the yardsticks can be trained.
func TestYardsticks(t *testing.T) {
	fulltest.Gate(t)
	t.Parallel()
	files, _ := filepath.Glob("../../docs/yardsticks/*.json")
	if len(files) == 0 {
		t.Fatal("there are no files")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c call
		if err = c.complete(text, "", cli.NewFlags("", "").Game()); err == nil {
			err = c.Train.Check(c.game)
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		network := strings.TrimSuffix(file, "json") + "safetensors"
		if _, err := agents.Open(t.Context(), network, agents.Options{Game: c.game}); err != nil {
			t.Errorf("%v; train it again by its settings", err)
		}
	}
}
