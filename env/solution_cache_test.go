package env_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"marsgym/env"
	"marsgym/env/catalog"
)

// reduced is Martian Dice for three with fewer dice and points.
func reduced(t *testing.T, target int) env.Game {
	t.Helper()
	g, err := catalog.Open("martian-dice", 3, fmt.Appendf(nil, `{"dice": 4, "target": %d}`, target))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// noWarning fails if a solution is not cached.
func noWarning(t *testing.T) func(error) {
	return func(err error) { t.Errorf("not cached: %v", err) }
}

func TestSolveCached(t *testing.T) {
	g := reduced(t, 8)
	want, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()

	// The first call is cancelled halfway, the second resumes it.
	ctx, cancel := context.WithCancel(t.Context())
	half := 0.0
	_, err = g.SolveCached(ctx, dir, func(done float64) {
		if done > 0.5 && half == 0 {
			half = done
			cancel()
		}
	}, noWarning(t))
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
	first := 0.0
	got, err := g.SolveCached(t.Context(), dir, func(done float64) {
		if first == 0 {
			first = done
		}
	}, noWarning(t))
	if err != nil {
		t.Fatal(err)
	}
	if !(first > half) {
		t.Errorf("it resumed at %v; it was cancelled at %v", first, half)
	}
	// The third call loads the complete solution.
	again, err := g.SolveCached(t.Context(), dir, func(float64) { t.Error("a complete solution is solved again") }, noWarning(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"0-0-0@0", "3-7-1@1", "9-4-2@1 aside R1H2"} {
		p, err := g.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		w, err := want.Value(p)
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range map[string]env.Solution{"resumed": got, "loaded": again} {
			v, err := s.Value(p)
			if err != nil {
				t.Fatal(err)
			}
			for i := range w {
				if v[i] != w[i] {
					t.Errorf("%s, %s, seat %d: %v; want %v", text, name, i, v[i], w[i])
				}
			}
			if s.Residual() != want.Residual() {
				t.Errorf("%s: residual %v; want %v", name, s.Residual(), want.Residual())
			}
		}
	}
}

// Paths that cannot be folders.
func TestSolveCachedUnusable(t *testing.T) {
	g := reduced(t, 4)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "sub")} {
		var warnings []error
		started := false
		s, err := g.SolveCached(t.Context(), dir, func(float64) {
			if !started && len(warnings) == 0 {
				t.Errorf("%s: the solver starts without a warning", dir)
			}
			started = true
		}, func(err error) { warnings = append(warnings, err) })
		if err != nil || s == nil {
			t.Fatalf("%s: %v", dir, err)
		}
		if len(warnings) != 1 || !errors.Is(warnings[0], env.ErrNotCached) || !strings.Contains(warnings[0].Error(), file) {
			t.Errorf("%s: warnings %v", dir, warnings)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "precious" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

// Old temporary files of the solution are removed; new ones, and files of other names,
// stay.
func TestSolveCachedCleans(t *testing.T) {
	g, dir := reduced(t, 4), t.TempDir()
	if _, err := g.SolveCached(t.Context(), dir, nil, noWarning(t)); err != nil {
		t.Fatal(err)
	}
	path := env.SolutionFile(dir, g.Spec())
	old, fresh, other := path+".ABCDEFGH.tmp", path+".BCDEFGHI.tmp", filepath.Join(dir, "notes.tmp")
	past := time.Now().Add(-24 * time.Hour)
	for _, path := range []string{old, fresh, other} {
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if path != fresh {
			if err := os.Chtimes(path, past, past); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := g.SolveCached(t.Context(), dir, nil, noWarning(t)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{old: false, fresh: true, other: true, env.SolutionFile(dir, g.Spec()): true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v; want it to exist: %v", path, err, want)
		}
	}
}

// TestSolveCachedSaves: an unfinished solution is written each minute.
func TestSolveCachedSaves(t *testing.T) {
	g, dir := reduced(t, 8), t.TempDir()
	path := env.SolutionFile(dir, g.Spec())
	synctest.Test(t, func(t *testing.T) {
		var written []int // calls of progress at which the file has changed
		var last []byte
		calls := 0
		_, err := g.SolveCached(t.Context(), dir, func(float64) {
			if file, err := os.ReadFile(path); err == nil && !bytes.Equal(file, last) {
				written, last = append(written, calls), file
			}
			calls++
			time.Sleep(25 * time.Second)
		}, noWarning(t))
		if err != nil {
			t.Fatal(err)
		}
		// The third call after a write is 75 seconds later, and the file is seen in the next one.
		for i, at := range written {
			if want := 3 * (i + 1); at != want {
				t.Errorf("write %d is seen in call %d; want %d", i, at, want)
			}
		}
		if len(written) < calls/3-1 || calls < 20 {
			t.Errorf("%d writes in %d calls", len(written), calls)
		}
	})
}

// TestSolveCachedMemory: to resume a solve needs the memory of the values once.
func TestSolveCachedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("counts bytes, of which the race detector, run in short mode, adds some")
	}
	g, dir := reduced(t, 45), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := g.SolveCached(ctx, dir, func(done float64) {
		if done > 0.9 {
			cancel()
		}
	}, noWarning(t))
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	e, _ := g.Estimate()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := g.SolveCached(t.Context(), dir, nil, noWarning(t)); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	const rest = 3 << 20 // a buffer of 1 MB for the file, one layer, and the solved turns
	if got := after.TotalAlloc - before.TotalAlloc; got < uint64(e.Bytes) || got > uint64(e.Bytes)+rest || e.Bytes < 2*rest {
		t.Errorf("%d bytes are allocated; the values take %d", got, e.Bytes)
	}
}
