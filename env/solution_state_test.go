package env_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/internal/test/testgames"
)

// unfinished returns the path of the solution of a game that was cancelled halfway, and its content.
func unfinished(t *testing.T, g env.Game) (path string, content []byte) {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := g.SolveCached(ctx, dir, func(done float64) {
		if done > 0.5 {
			cancel()
		}
	}, noWarning(t)); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	path = env.SolutionFile(dir, g.Spec())
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, content
}

// TestUnfinishedSolutions: what an unfinished solution says of itself must be possible.
func TestUnfinishedSolutions(t *testing.T) {
	g := reduced(t, 8)
	path, half := unfinished(t, g)
	if _, err := g.DecodeSolution(t.Context(), half); !errors.Is(err, env.ErrSolutionFile) || !strings.Contains(err.Error(), "it is not complete") {
		t.Errorf("the content of an unfinished solution: %v", err)
	}
	header := func(pattern, now string) []byte {
		return rehashed(t, half, func(head, _ []byte) []byte {
			was := regexp.MustCompile(pattern).Find(head)
			if was == nil {
				t.Fatalf("%s is not in %s", pattern, head)
			}
			return bytes.Replace(head, was, []byte(now), 1)
		})
	}
	blank := func(length int) []byte {
		return append(binary.LittleEndian.AppendUint64(nil, uint64(length)), bytes.Repeat([]byte(" "), length)...)
	}
	for name, bad := range map[string]struct {
		file []byte
		want string
	}{
		"nothing done":      {header(`"done":"[^"]*"`, `"done":"0"`), "and done 0; the game takes"},
		"all done":          {header(`"done":"[^"]*"`, `"done":"1"`), "and done 1; the game takes"},
		"no step":           {header(`"next":"\d+"`, `"next":"0"`), "has next 0 and"},
		"residual":          {header(`"residual":"[^"]*"`, `"residual":"0.01"`), "its residual is 0.01; want 0 to 1e-06"},
		"the longest start": {blank(4096), "its header is damaged"},
		"too long":          {blank(4097), "it does not begin with a header of safetensors"},
	} {
		if err := os.WriteFile(path, bad.file, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := g.SolveCached(t.Context(), filepath.Dir(path), nil, noWarning(t)); !errors.Is(err, env.ErrSolutionFile) || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: %v; want %q", name, err, bad.want)
		}
	}
}

// TestSolutionWithoutWin: a game that counts turns has a solution file too, whose values may be any
// finite numbers.
func TestSolutionWithoutWin(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 1, `{"dice": 4, "target": 6}`)
	dir := t.TempDir()
	want, err := g.SolveCached(t.Context(), dir, nil, noWarning(t))
	if err != nil {
		t.Fatal(err)
	}
	got, err := g.SolveCached(t.Context(), dir, func(float64) { t.Error("a stored solution is solved again") }, noWarning(t))
	if err != nil {
		t.Fatal(err)
	}
	v, err := want.Value(g.Initial())
	if err != nil || !(v[0] < -1) {
		t.Fatalf("the value is %v, %v; want some turns, negated", v, err)
	}
	if w, err := got.Value(g.Initial()); err != nil || w[0] != v[0] {
		t.Errorf("the value from the file is %v, %v; want %v", w, err, v)
	}
	path := env.SolutionFile(dir, g.Spec())
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range map[float64]string{math.Inf(1): "its value 3 is +Inf", math.Inf(-1): "its value 3 is -Inf", 1e9: "violate the optimality equations", -1e9: "violate the optimality equations"} {
		bad := rehashed(t, file, func(head, values []byte) []byte {
			binary.LittleEndian.PutUint64(values[24:], math.Float64bits(x))
			return head
		})
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := g.SolveCached(t.Context(), dir, nil, noWarning(t)); !errors.Is(err, env.ErrSolutionFile) || !strings.Contains(err.Error(), want) {
			t.Errorf("a value of %v: %v; want %q", x, err, want)
		}
	}
}

// TestNotCachedUnseen: a caller that wants no warning gets the solution all the same.
func TestNotCachedUnseen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if s, err := reduced(t, 4).SolveCached(t.Context(), file, nil, nil); err != nil || s == nil {
		t.Errorf("%v", err)
	}
	// Without a folder, and in a game without a solution file, nothing is stored.
	for _, g := range []env.Game{reduced(t, 4), env.NewGame(testgames.NewPig(t, 2, 10))} {
		dir := ""
		if g.Spec().ID == "pig" {
			dir = t.TempDir()
		}
		if _, err := g.SolveCached(t.Context(), dir, nil, noWarning(t)); err != nil {
			t.Errorf("%s: %v", g.Spec().ID, err)
		}
		if dir != "" {
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("%s: the folder holds %v, %v", g.Spec().ID, left, err)
			}
		}
	}
}

// TestSampledEquations: in a game with more equations than are checked, wrong values are found wherever
// they are.
func TestSampledEquations(t *testing.T) {
	g := reduced(t, 20)
	dir := t.TempDir()
	if _, err := g.SolveCached(t.Context(), dir, nil, noWarning(t)); err != nil {
		t.Fatal(err)
	}
	path := env.SolutionFile(dir, g.Spec())
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, wrong := range map[string]func(i, n int) bool{"none": func(int, int) bool { return false }, "the first half": func(i, n int) bool { return 2*i < n }, "the second half": func(i, n int) bool { return 2*i >= n }} {
		bad := rehashed(t, good, func(head, values []byte) []byte {
			n := len(values) / 8
			if n < 3*2048 {
				t.Fatalf("%d values; want more than are checked", n)
			}
			for i := range n {
				if b := values[8*i:]; wrong(i, n) {
					binary.LittleEndian.PutUint64(b, math.Float64bits(0.999*math.Float64frombits(binary.LittleEndian.Uint64(b))))
				}
			}
			return head
		})
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := g.SolveCached(t.Context(), dir, nil, noWarning(t))
		if found := errors.Is(err, env.ErrSolutionFile) && strings.Contains(err.Error(), "violate the optimality equations"); found != (name != "none") {
			t.Errorf("wrong values in %s: %v", name, err)
		}
	}
}
