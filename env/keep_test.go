package env_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
)

func TestSolveIn(t *testing.T) {
	open := func(config string) env.Game {
		g, err := catalog.Open("martian-dice", 3, []byte(config))
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	const config = `{"dice": 4, "target": 8}`
	g := open(config)
	want, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := env.SolutionFile(dir, g.Spec())

	// Cancelled halfway, it keeps what it has; then it goes on and is done.
	ctx, cancel := context.WithCancel(t.Context())
	half := 0.0
	_, err = g.SolveIn(ctx, dir, func(done float64) {
		if done > 0.5 && half == 0 {
			half = done
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
	first := 0.0
	got, err := g.SolveIn(t.Context(), dir, func(done float64) {
		if first == 0 {
			first = done
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if !(first > half) {
		t.Errorf("it went on at %v; it had been cancelled at %v", first, half)
	}
	// The third time it need not solve anything.
	again, err := g.SolveIn(t.Context(), dir, func(float64) { t.Error("it solves again") })
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

	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flip := func(i int) []byte {
		b := bytes.Clone(good)
		b[i] ^= 1
		return b
	}
	for name, bad := range map[string][]byte{
		"empty":             nil,
		"truncated":         good[:len(good)-8],
		"a byte too many":   append(bytes.Clone(good), 0),
		"damaged values":    flip(len(good) - 3),
		"damaged header":    flip(bytes.Index(good, []byte("residual")) + 11),
		"damaged beginning": flip(3),
	} {
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := g.SolveIn(t.Context(), dir, nil); !errors.Is(err, env.ErrSolutionFile) {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := open(`{"dice": 4, "target": 7}`)
	if err := os.WriteFile(env.SolutionFile(dir, other.Spec()), good, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := other.SolveIn(t.Context(), dir, nil); !errors.Is(err, env.ErrSolutionFile) {
		t.Errorf("of other rules: %v", err)
	}
}
