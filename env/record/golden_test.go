package record_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGolden reads and writes the games that package env holds: the same bytes.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("../testdata/games/*.games")
	if err != nil || len(files) != 4 {
		t.Fatalf("%q, %v; want 4 files", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		games, err := parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := write(t, games...); got != string(text) {
			t.Errorf("%s: written, it is\n%s", file, got)
		}
	}
}
