//go:build gotch && cgo

package main

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"marsgym/agents"
	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/models"
)

// TestGotch trains with either backend to about the same exact strength, and twice
// with the same backend to the same bits.
func TestGotch(t *testing.T) {
	file := clitest.Config(t, quick)
	trained := func(backend string) *models.File {
		dir := filepath.Join(t.TempDir(), "run")
		status, out, errs := command(t, "-config", file, "-backend", backend, "-out", dir)
		if status != cli.Done {
			t.Fatalf("%s: status %d\n%s%s", backend, status, out, errs)
		}
		f, err := models.Load(filepath.Join(dir, agents.ModelFile))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	want, got, again := trained("gorgonia"), trained("gotch"), trained("gotch")
	t.Logf("exploitability %v, and %v with gotch", want.Meta.Exact.Exploitability, got.Meta.Exact.Exploitability)
	if d := got.Meta.Exact.Exploitability - want.Meta.Exact.Exploitability; !(math.Abs(d) <= 0.01) {
		t.Errorf("the exploitability differs by %v", d)
	}
	if slices.Equal(got.MLP.Weights(), want.MLP.Weights()) {
		t.Error("the backends give the same bits, as if they were one")
	}
	if !slices.Equal(again.MLP.Weights(), got.MLP.Weights()) {
		t.Error("a repeated run gives other bits")
	}
}
