package env_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
)

// TestDecodeSolution compares the solution from the content of a file with the solved game,
// and decodes damaged content.
func TestDecodeSolution(t *testing.T) {
	g, err := catalog.Open("martian-dice", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	solved, err := g.SolveCached(t.Context(), dir, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(env.SolutionFile(dir, g.Spec()))
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := g.DecodeSolution(t.Context(), content)
	if err != nil {
		t.Fatal(err)
	}
	at, err := g.Parse("13-17@1 aside T3R2H4 roll R2C1K1")
	if err != nil {
		t.Fatal(err)
	}
	want, err := solved.Options(at)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := decoded.Options(at); err != nil || !slices.Equal(got, want) {
		t.Errorf("the options are worth %v, %v; want %v", got, err, want)
	}
	damaged := slices.Clone(content)
	damaged[len(damaged)-1] ^= 1
	for want, b := range map[string][]byte{
		"its SHA-256 is wrong": damaged,
		fmt.Sprintf("it has %d bytes; want %d", len(content)-8, len(content)): content[:len(content)-8],
		"it does not begin with a header of safetensors":                      nil,
	} {
		if _, err := g.DecodeSolution(t.Context(), b); !errors.Is(err, env.ErrSolutionFile) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %v; want %q", len(b), err, want)
		}
	}
	pig, err := catalog.Open("pig", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pig.DecodeSolution(t.Context(), content); !errors.Is(err, game.ErrNoSolution) {
		t.Errorf("a game without solution files: %v", err)
	}
}
