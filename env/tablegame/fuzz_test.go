package tablegame_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"marsgym/env/game/gametest"
	"marsgym/env/tablegame"
	"marsgym/internal/tensorfile"
)

// FuzzLoad: a file with the right SHA-256 is refused, or holds a game that keeps the contract as far as
// its observations allow.
func FuzzLoad(f *testing.F) {
	path := filepath.Join(f.TempDir(), "coin.game")
	r, err := tablegame.New(coin())
	if err == nil {
		err = r.Save(path)
	}
	if err != nil {
		f.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add(bytes.Replace(content, []byte(`"actions":"3"`), []byte(`"actions":"9"`), 1))
	f.Fuzz(func(t *testing.T, b []byte) {
		const key = `"sha256":"`
		if i := bytes.Index(b, []byte(key)) + len(key); i >= len(key) && i+64 <= len(b) {
			b = bytes.Clone(b)
			copy(b[i:], tensorfile.NoSum())
			tensorfile.Seal(b)
		}
		path := filepath.Join(t.TempDir(), "x.game")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := tablegame.Load(path)
		if err != nil || len(r.Table().Mover) > 1000 || r.Spec().ObsLen() > 10_000 || r.Spec().Actions > 1000 || r.Table().Observation.Len > 0 {
			return
		}
		if err := gametest.Check(r, gametest.Games(3), gametest.Length(1_000_000)); err != nil && !bytes.Contains([]byte(err.Error()), []byte("games end")) {
			t.Error(err)
		}
	})
}
