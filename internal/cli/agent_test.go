package cli_test

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env/catalog"
	"marsgym/internal/cli"
	"marsgym/models"
)

// TestOpenAgent: an error names the flag that helps, if one does.
func TestOpenAgent(t *testing.T) {
	g, err := catalog.Open("pig", 2, []byte(`{"target": 20}`))
	if err != nil {
		t.Fatal(err)
	}
	save := func(alter func(*models.Meta)) string {
		t.Helper()
		meta := agents.MetaOf(g.Spec())
		meta.Net.Hidden, meta.Net.Head = []int{2}, models.Score
		mlp, err := models.NewMLP(meta.Net, rand.NewPCG(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		alter(&meta)
		path := filepath.Join(t.TempDir(), agents.ModelFile)
		if err := (&models.File{Meta: meta, MLP: mlp}).Save(path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		name string
		want string // of the error; "" is none
		flag bool   // whether it names a flag
	}{
		{"greedy", "", false},
		{save(func(*models.Meta) {}), "", false},
		{"gredy", `unknown agent "gredy"; want one of: exact, random, greedy, search, search:800, search:100ms, search:800:MODEL, lookahead:3:MODEL, a model file, a run folder, RUN@best, RUN@STEP; did you mean greedy?`, false},
		{"search:9:none", `unknown agent "none"`, false},
		{"search:1e3:" + save(func(*models.Meta) {}), `unknown agent "search:1e3:`, false},
		{save(func(m *models.Meta) { m.Game = "martian-dice" }), `it plays "martian-dice", not pig; open it with -game "martian-dice"`, true},
		{save(func(m *models.Meta) { m.RulesVersion++ }), "under version 2 of the rules", false},
		{save(func(m *models.Meta) { m.RulesHash = "" }), "other settings of pig: {", true},
		{save(func(m *models.Meta) { m.ObsHash = "" }), "in another order", false},
	} {
		if _, err := (&cli.Agents{Game: g, Played: true}).Open(t.Context(), tt.name); err != nil && strings.Contains(err.Error(), "open it with") {
			t.Errorf("%s, with the game of a record: %v", tt.name, err)
		}
		a, err := (&cli.Agents{Game: g}).Open(t.Context(), tt.name)
		if tt.want == "" {
			if err != nil || a.Name != tt.name {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), " -") != tt.flag {
			t.Errorf("%s: %v; want %q", tt.name, err, tt.want)
		}
		var usage *cli.UsageError
		if unknown := strings.Contains(tt.want, "unknown agent"); errors.As(err, &usage) != unknown || errors.Is(err, models.ErrMismatch) == unknown {
			t.Errorf("%s: %v is of the wrong type", tt.name, err)
		}
	}
}
