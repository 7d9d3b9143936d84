package agents_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/test/testgames"
)

// FuzzOpen opens agents by any name, in a folder with a model and a run folder. An agent
// that is opened returns probabilities or the error of its cancelled context.
func FuzzOpen(f *testing.F) {
	g := testgames.Reduced(f)
	dir := f.TempDir()
	run := save(f, g.Spec(), nil)
	b, err := os.ReadFile(filepath.Join(run, agents.ModelFile))
	if err != nil {
		f.Fatal(err)
	}
	for path, content := range map[string][]byte{"m": b, "run/" + agents.ModelFile: b, "bad": b[:len(b)-1], "empty/none": nil} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			f.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			f.Fatal(err)
		}
	}
	s, err := g.Solve(f.Context(), nil)
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range append(agents.Names(g), "", "m", "run", "bad", "empty", "pretrained", "run/"+agents.ModelFile,
		"search", "search:8", "search:1ms", "search:100h", "search:8:m", "search:8:run", "search:1ms:m", "search:8:bad", "search:8:search:8",
		"search:10000000", "search:10000001", "search:0", "search:-1ms", "search:9223372036854775807:m", "search:") {
		f.Add(name)
	}
	p := g.Initial()
	for p.CurrentPlayer() == game.Chance {
		p = p.Outcomes()[0].State
	}
	cancelled, cancel := context.WithCancel(f.Context())
	cancel()
	f.Fuzz(func(t *testing.T, name string) {
		t.Chdir(dir)
		a, err := agents.Open(t.Context(), name, agents.Options{
			Game: g, Solve: func(context.Context) (env.Solution, error) { return s, nil },
		})
		if err != nil {
			return
		}
		if a.Name != name {
			t.Fatalf("%q is opened as %q", name, a.Name)
		}
		ctx := t.Context()
		if strings.HasPrefix(name, agents.Search+":") {
			ctx = cancelled // which can take long
		}
		probs, err := env.ActionProbabilities(ctx, a, p, g.Spec().Actions)
		if errors.Is(err, context.Canceled) {
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		total := 0.0
		for _, a := range p.Legal() {
			total += probs[a]
		}
		if !(math.Abs(total-1) <= 1e-9) {
			t.Fatalf("the legal actions of %q have the total probability %v", name, total)
		}
	})
}
