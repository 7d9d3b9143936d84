package agents_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/models"
)

// TestPlay opens a network as its file says.
func TestPlay(t *testing.T) {
	g, err := catalog.Open("pig", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	meta := agents.MetaOf(g.Spec())
	meta.Net.Hidden, meta.Net.Head, meta.ValueTarget = []int{4}, models.Logits, "decision"
	mlp, err := models.NewMLP(meta.Net, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	at := g.Initial()
	for play, want := range map[string]string{
		"lookahead:1": "", "search:20": "", "lookahead:x": "does not know", "lookahead:99": "want 0 to", "search:1s": "does not know",
		"search:0": "unknown agent", "greedy:1": "does not know",
	} {
		meta.Play = play
		opt := agents.Options{Game: g, Seed: 3, Load: func(string) (*models.File, error) { return &models.File{Meta: meta, MLP: mlp}, nil }}
		a, err := agents.Open(t.Context(), agents.Pretrained, opt)
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v; want %q", play, err, want)
			}
			continue
		}
		if err != nil || a.Name != "pretrained ("+play+")" {
			t.Errorf("%s: %v, %v", play, a, err)
			continue
		}
		named, err := agents.Open(t.Context(), play+":"+agents.Pretrained, opt)
		if err != nil {
			t.Fatal(err)
		}
		got, err := env.ActionProbabilities(t.Context(), a.Policy, at, g.Spec().Actions)
		if err != nil {
			t.Fatal(err)
		}
		want, err := env.ActionProbabilities(t.Context(), named.Policy, at, g.Spec().Actions)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: probabilities %v; want %v", play, got, want)
			}
		}
	}
}
