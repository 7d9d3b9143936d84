package agents // the networks of the module are embedded, so no other file can be opened as one

import (
	"math/rand/v2"
	"strings"
	"testing"

	"marsgym/env/catalog"
	"marsgym/models"
)

func TestOpenPlay(t *testing.T) {
	g, err := catalog.Open("pig", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	meta := MetaOf(g.Spec())
	meta.Net.Hidden, meta.Net.Head, meta.ValueTarget = []int{4}, models.Logits, "decision"
	mlp, err := models.NewMLP(meta.Net, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	for play, want := range map[string]string{
		"lookahead:1": "", "lookahead:x": "does not know", "lookahead:99": "want 0 to", "search:9": "does not know",
	} {
		meta.Play = play
		a, err := openPlay(Pretrained, &models.File{Meta: meta, MLP: mlp}, g)
		switch {
		case want == "" && (err != nil || a.Name != "pretrained (lookahead:1)"):
			t.Errorf("%s: %v, %v", play, a, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: error %v; want %q", play, err, want)
		}
	}
}
