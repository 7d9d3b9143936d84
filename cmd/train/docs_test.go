// In package main, which cannot be imported.
package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env/catalog"
	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/train"
)

func TestDocs(t *testing.T) { clitest.Docs(t, "train", run) }

// TestYardsticks checks that the settings of the yardsticks can be trained.
func TestYardsticks(t *testing.T) {
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
		set, g, err := train.ParseSettings(text, "", opener(cli.NewFlags("", "").Game(catalog.IDs())))
		if err == nil {
			err = set.Train.Check(g)
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		network := strings.TrimSuffix(file, "json") + "safetensors"
		if _, err := agents.Open(t.Context(), network, agents.Options{Game: g}); err != nil {
			t.Errorf("%v; train it again by its settings", err)
		}
	}
}
