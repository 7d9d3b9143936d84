package main // the command has no exported names

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env/catalog"
	"marsgym/models"
)

func TestRelease(t *testing.T) {
	g, err := catalog.Open("pig", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	meta := agents.MetaOf(g.Spec())
	meta.Net.Hidden, meta.Net.Head = []int{4}, models.Logits
	mlp, err := models.NewMLP(meta.Net, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	meta.ValueTarget = "decision"
	run, to := t.TempDir(), t.TempDir()
	if err := (&models.File{Meta: meta, MLP: mlp}).Save(filepath.Join(run, agents.ModelFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(run, "config.json"), []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for play, want := range map[string]string{"lookahead:2": "", "": "", "lookahead:-1": "want 0 to", "fast": "unknown agent"} {
		err := release([]string{"-to", to, "-play", play, run}, io.Discard, io.Discard)
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q", play, err, want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		f, err := models.Load(filepath.Join(to, "pig-2.safetensors"))
		if err != nil || f.Meta.Play != play {
			t.Errorf("it plays %q, %v; want %q", f.Meta.Play, err, play)
		}
		if text, err := os.ReadFile(filepath.Join(to, "pig-2.json")); err != nil || string(text) != "{}\n" {
			t.Errorf("settings %q, %v", text, err)
		}
	}
}
