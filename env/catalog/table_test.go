package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"marsgym/env/catalog"
	"marsgym/env/tablegame"
	"marsgym/internal/test/testgames"
)

// saveTable saves tic-tac-toe with a line about it, so that the digests of tests differ.
func saveTable(t *testing.T, about string) (path, digest string) {
	t.Helper()
	x := testgames.TicTacToe()
	x.About = about
	r, err := tablegame.New(x)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "tic_tac_toe.game")
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	return path, r.Digest()
}

// TestOpenTable: a table is opened by its file, and from then on by its id and digest; another file, and
// another number of players or settings, are refused.
func TestOpenTable(t *testing.T) {
	path, digest := saveTable(t, "a")
	changed, other := saveTable(t, "b")
	config := func(digest string) []byte { return fmt.Appendf(nil, `{"table": %q}`, digest) }
	refused := func(name string, players int, config []byte, want ...string) {
		t.Helper()
		_, err := catalog.OpenNamed(name, players, config)
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v; want %q", name, err, part)
			}
		}
	}
	const id = "tic_tac_toe.game"
	refused(id, 0, config(digest), `there is no table "tic_tac_toe.game" here, with the SHA-256 `+digest)
	if _, err := catalog.Open(id, 0, config(digest)); err == nil || !strings.Contains(err.Error(), "its file is needed, with the SHA-256 "+digest) {
		t.Errorf("before it is opened: %v", err)
	}
	g, err := catalog.OpenNamed(path, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := g.Spec(); s.ID != id || s.ConfigJSON() != fmt.Sprintf(`{"table":%q}`, digest) {
		t.Errorf("%+v", s)
	}
	for _, name := range []string{id, "elsewhere/" + id} {
		again, err := catalog.OpenNamed(name, 0, config(digest))
		if err != nil || again.Rules() != g.Rules() {
			t.Errorf("%s: %v; want the table that is open", name, err)
		}
	}
	refused("elsewhere/tic_tac_toe", 0, nil, `there is no table "elsewhere/tic_tac_toe"; give the path of its file`)
	refused(path, 3, nil, "the number of players of", "is fixed")
	refused(path, 0, []byte(`{"size": 4}`), "has no settings, since it is a table")
	refused(changed, 0, config(digest), "has changed, or is another table", other, digest)
	refused("tictactoe", 0, nil, "unknown game")
	refused(filepath.Dir(path), 0, nil, "not a usable table of a game")
	runtime.KeepAlive(g)
}

// TestSaveTable: the table of a run lies in its folder, and other games leave nothing there.
func TestSaveTable(t *testing.T) {
	path, digest := saveTable(t, "c")
	g, err := catalog.OpenNamed(path, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := catalog.SaveTable("pig", nil, dir); err != nil {
		t.Error(err)
	}
	if err := catalog.SaveTable(g.Spec().ID, []byte(g.Spec().ConfigJSON()), dir); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d files, %v; want 1", len(list), err)
	}
	if r, err := tablegame.Load(filepath.Join(dir, list[0].Name())); err != nil || r.Digest() != digest {
		t.Errorf("%v; want the digest %s", err, digest)
	}
	runtime.KeepAlive(g)
}
