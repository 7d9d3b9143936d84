package agents_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train/expert"
)

// network returns a small random network for a game.
func network(t testing.TB, spec game.Spec, head models.Head) *models.MLP {
	t.Helper()
	shape := agents.MetaOf(spec).Net
	shape.Hidden, shape.Head = []int{8}, head
	mlp, err := models.NewMLP(shape, rand.NewPCG(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	for i := range mlp.Weights() { // a new network plays almost uniformly
		mlp.Weights()[i] *= 3
	}
	return mlp
}

// save writes a model of a game, with altered metadata, to a run folder.
func save(t testing.TB, spec game.Spec, alter func(*models.Meta)) (dir string) {
	t.Helper()
	f := models.File{Meta: agents.MetaOf(spec), MLP: network(t, spec, models.Score)}
	if alter != nil {
		alter(&f.Meta)
	}
	dir = t.TempDir()
	if err := f.Save(filepath.Join(dir, agents.ModelFile)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestOpen(t *testing.T) {
	g := testgames.Reduced(t)
	dir := save(t, g.Spec(), nil)
	for _, name := range append(agents.Names(g), dir, filepath.Join(dir, agents.ModelFile)) {
		a, err := agents.Open(t.Context(), name, agents.Options{Game: g})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if a.Name != name {
			t.Errorf("%s is named %s", name, a.Name)
		}
		p := g.Initial().Sample(rand.NewPCG(1, 1))
		if probs, err := env.ActionProbabilities(t.Context(), a, p, g.Spec().Actions); err != nil || !(math.Abs(sum(probs)-1) <= 1e-12) {
			t.Errorf("%s returns %v, %v", name, probs, err)
		}
	}
}

// TestOpenSample: a network takes its best action or samples.
func TestOpenSample(t *testing.T) {
	g := testgames.Reduced(t)
	dir := save(t, g.Spec(), nil)
	p, err := g.Parse("3-5@0 roll R2H1C1")
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range []bool{false, true} {
		a, err := agents.Open(t.Context(), dir, agents.Options{Game: g, Sample: sample})
		if err != nil {
			t.Fatal(err)
		}
		probs, err := env.ActionProbabilities(t.Context(), a, p, g.Spec().Actions)
		if certain := slices.Contains(probs, 1); err != nil || certain == sample {
			t.Errorf("sample %t: %v, %v", sample, probs, err)
		}
	}
}

func sum(xs []float64) (total float64) {
	for _, x := range xs {
		total += x
	}
	return total
}

// TestOpenExact: Options.Solve is called once.
func TestOpenExact(t *testing.T) {
	g := testgames.Reduced(t)
	calls := 0
	solve := func(ctx context.Context) (env.Solution, error) {
		calls++
		return g.Solve(ctx, nil)
	}
	if _, err := agents.Open(t.Context(), agents.Exact, agents.Options{Game: g, Solve: solve}); err != nil || calls != 1 {
		t.Errorf("%v after %d calls of Solve", err, calls)
	}
	unsolved := testgames.Open(t, "martian-dice", 0, `{"max_rounds": 3}`)
	if _, err := agents.Open(t.Context(), agents.Exact, agents.Options{Game: unsolved}); !errors.Is(err, game.ErrNoSolution) {
		t.Errorf("of a game without a solution: %v", err)
	}
}

func TestOpenUnknown(t *testing.T) {
	g := testgames.Reduced(t)
	_, err := agents.Open(t.Context(), "gredy", agents.Options{Game: g})
	if !errors.Is(err, agents.ErrUnknown) || !strings.Contains(err.Error(), "exact, random, greedy, search, search:800, search:100ms, search:800:MODEL, lookahead:3:MODEL, a model file, a run folder") {
		t.Errorf("an unknown name: %v", err)
	}
	empty := t.TempDir()
	_, err = agents.Open(t.Context(), empty, agents.Options{Game: g})
	if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, agents.ErrUnknown) || !strings.Contains(err.Error(), "not a run folder with a model") {
		t.Errorf("a folder without a model: %v", err)
	}
}

func TestOpenMismatch(t *testing.T) {
	g := testgames.Reduced(t)
	tests := []struct {
		name  string
		alter func(*models.Meta)
		want  string
	}{
		{"another game", func(m *models.Meta) { m.Game = "pig" }, `it plays "pig", not martian-dice`},
		{"other rules", func(m *models.Meta) { m.RulesVersion++ }, "version 2 of the rules"},
		{"another config", func(m *models.Meta) { m.RulesHash = strings.Repeat("0", 64) }, "other settings"},
		{"another observation", func(m *models.Meta) { m.ObsHash = strings.Repeat("0", 64) }, "in another order"},
	}
	for _, tt := range tests {
		_, err := agents.Open(t.Context(), save(t, g.Spec(), tt.alter), agents.Options{Game: g})
		if !errors.Is(err, models.ErrMismatch) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v; want %q", tt.name, err, tt.want)
		}
	}
	three := testgames.Open(t, "martian-dice", 0, `{"dice": 4, "target": 6, "players": 3}`)
	if _, err := agents.Open(t.Context(), save(t, g.Spec(), nil), agents.Options{Game: three}); !errors.Is(err, models.ErrMismatch) || !strings.Contains(err.Error(), "it plays martian-dice for 2 players, not 3") {
		t.Errorf("with more players: %v", err)
	}
}

// TestOpenDamaged: a file that has changed since it was written is refused, and so are
// weights that are NaN, even with a valid checksum.
func TestOpenDamaged(t *testing.T) {
	g := testgames.Reduced(t)
	whole, err := os.ReadFile(filepath.Join(save(t, g.Spec(), nil), agents.ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.safetensors")
	refused := func(what string, b []byte, want string) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := agents.Open(t.Context(), path, agents.Options{Game: g}); !errors.Is(err, models.ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", what, err, want)
		}
	}
	for _, n := range []int{0, 7, 8, len(whole) / 2, len(whole) - 1} {
		refused("a short file", whole[:n], "truncated")
	}
	for i := 0; i < len(whole); i += len(whole) / 50 {
		b := bytes.Clone(whole)
		b[i] ^= 1
		refused("a flipped bit", b, "")
	}
	b := bytes.Clone(whole)
	binary.LittleEndian.PutUint32(b[len(b)-4:], math.Float32bits(float32(math.NaN())))
	refused("NaN with a valid checksum", withChecksum(b), "is NaN")
	if f, err := models.Load(filepath.Join(save(t, g.Spec(), nil), agents.ModelFile)); err != nil {
		t.Error(err)
	} else {
		f.MLP.Weights()[0] = float32(math.NaN())
		if err := f.Save(path); err == nil || !strings.Contains(err.Error(), "weight 0 of ") || !strings.Contains(err.Error(), "is NaN") {
			t.Errorf("NaN was saved: %v", err)
		}
	}
	if err := os.WriteFile(path, withChecksum(whole), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := agents.Open(t.Context(), path, agents.Options{Game: g}); err != nil {
		t.Errorf("a new checksum without a change: %v", err)
	}
}

// withChecksum writes the SHA-256 of a file into its header.
func withChecksum(b []byte) []byte {
	b = bytes.Clone(b)
	i := bytes.Index(b, []byte(`"sha256":"`)) + len(`"sha256":"`)
	copy(b[i:], strings.Repeat("0", 64))
	h := sha256.Sum256(b)
	hex.Encode(b[i:i+64], h[:])
	return b
}

// TestCommonMeta: models of one game can play each other; models of different games
// cannot.
func TestCommonMeta(t *testing.T) {
	a, b := save(t, testgames.Reduced(t).Spec(), nil), save(t, testgames.Reduced(t).Spec(), nil)
	three := save(t, testgames.Open(t, "martian-dice", 0, `{"dice": 4, "target": 6, "players": 3}`).Spec(), nil)
	pig := save(t, testgames.Open(t, "pig", 0, `{"target": 20}`).Spec(), nil)
	for _, test := range []struct {
		names []string
		game  string
		want  []string // of the error
	}{
		{nil, "", nil},
		{[]string{"greedy", "no/such/file"}, "", nil},
		{[]string{"greedy", a, "search:10:" + b}, "martian-dice", nil},
		{[]string{a, pig}, "", []string{a + ` plays "martian-dice" for 2`, pig + ` plays "pig" for 2`}},
		{[]string{a, "random", "search:10:" + three}, "", []string{"for 2", "for 3", "want models of one game with the same settings"}},
	} {
		meta, err := agents.CommonMeta(test.names)
		if err == nil && (test.want != nil || meta.Game != test.game) {
			t.Errorf("%q: game %q", test.names, meta.Game)
		}
		for _, want := range test.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v; want %q", test.names, err, want)
			}
		}
		if test.want == nil && err != nil {
			t.Errorf("%q: %v", test.names, err)
		}
	}
}

// TestWithoutGame: errors of a caller are no panics.
func TestWithoutGame(t *testing.T) {
	for _, name := range []string{"exact", "greedy", "search", "search:8:x", "lookahead:1:x", agents.Pretrained, "x", ""} {
		if _, err := agents.Open(t.Context(), name, agents.Options{}); err == nil || !strings.Contains(err.Error(), "Options.Game is nil") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := agents.OpenEvaluator(agents.Pretrained, agents.Options{}); err == nil || !strings.Contains(err.Error(), "Options.Game is nil") {
		t.Errorf("an evaluator without a game: %v", err)
	}
	if _, _, err := agents.SearchOf("search:8:x", agents.Options{}); err == nil || !strings.Contains(err.Error(), "Options.Game is nil") {
		t.Errorf("a search without a game: %v", err)
	}
}

// TestSearchWithOlderNetworks: networks of all algorithms can be evaluators, also in files that
// do not name the target of their values.
func TestSearchWithOlderNetworks(t *testing.T) {
	g := testgames.Reduced(t)
	wins, err := g.Parse("6-5@1 aside H2")
	if err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range []string{string(expert.Turn), "one-ply", "ppo"} {
		dir := save(t, g.Spec(), func(m *models.Meta) { m.Algorithm = algorithm })
		a, err := agents.Open(t.Context(), "search:100:"+dir, agents.Options{Game: g, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		probs, err := env.ActionProbabilities(t.Context(), a, wins, g.Spec().Actions)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.ActionName(game.Action(slices.Index(probs, 1))); got != "stop" {
			t.Errorf("network of %s: %s", algorithm, got)
		}
	}
}
