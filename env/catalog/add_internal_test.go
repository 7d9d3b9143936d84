package catalog

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/tablegame"
)

// TestAddTable: a table of [Add] is opened by its id, and other tables with that id by
// their digests.
func TestAddTable(t *testing.T) {
	t.Cleanup(func() { opened.added = nil }) // which other tests list
	table := func(about string) *tablegame.Rules {
		r, err := tablegame.New(&tablegame.Table{
			Name: "take", About: about, Players: 2, Actions: 1, Action: []uint16{0},
			Graph: tablegame.Graph{Mover: []game.Player{0, game.Terminal}, First: []uint32{0, 0}, Count: []uint16{1, 0}, Next: []uint32{1}, Returns: []float64{1, -1}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	path, r := filepath.Join(t.TempDir(), "x.game"), table("added")
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	if err := Add(path); err != nil {
		t.Fatal(err)
	}
	digest := r.Digest()
	g := OpenTable(table("other"))
	other := g.Rules().(*tablegame.Rules).Digest()
	for config, want := range map[string]string{"": digest, fmt.Sprintf(`{"table":%q}`, digest): digest, fmt.Sprintf(`{"table":%q}`, other): other} {
		var b []byte
		if config != "" {
			b = []byte(config)
		}
		got, err := Open(g.Spec().ID, 2, b)
		if err != nil {
			t.Errorf("config %s: %v", config, err)
		} else if have := got.Rules().(*tablegame.Rules).Digest(); have != want {
			t.Errorf("config %s opens %s; want %s", config, have, want)
		}
		if _, err := Open(g.Spec().ID, 3, b); err == nil || !strings.Contains(err.Error(), "is for 2 players") {
			t.Errorf("config %s for three: %v", config, err)
		}
	}
	runtime.KeepAlive(g)
}
