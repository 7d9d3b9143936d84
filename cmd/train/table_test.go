package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"marsgym/env/tablegame"
	"marsgym/internal/cli"
	"marsgym/internal/test/testgames"
)

// TestTable: a run of a table holds it, goes on without -game, and is refused if the table has changed.
// A run that has lost it goes on by -game.
func TestTable(t *testing.T) {
	folder := t.TempDir()
	path, dir := filepath.Join(folder, "ttt.game"), filepath.Join(folder, "run")
	if err := testgames.NewTicTacToe().Save(path); err != nil {
		t.Fatal(err)
	}
	refused := func(want string, args ...string) {
		t.Helper()
		if status, _, errs := command(t, args...); status != cli.Misuse || !strings.Contains(errs, want) {
			t.Errorf("%q: status %d, %s; want %q", args, status, errs, want)
		}
	}
	refused("-players does not go with the table", "-game", path, "-players", "2", "-out", dir)
	refused("-cluster: workers do not have the table of", "-game", path, "-algorithm", "one-move", "-cluster", "127.0.0.1:1", "-out", dir)
	if _, err := os.Lstat(dir); err == nil {
		t.Error("a refused run leaves its folder")
	}
	short := func(args ...string) {
		t.Helper()
		if status, _, errs := command(t, append(args, "-steps", "500")...); status != 0 {
			t.Fatalf("%q: status %d, %s", args, status, errs)
		}
	}
	short("-game", path, "-set", "train.evaluations=0", "-out", dir)
	own := filepath.Join(dir, "tic_tac_toe.game")
	kept, err := tablegame.Load(own)
	if err != nil || kept.Digest() != testgames.NewTicTacToe().Digest() {
		t.Fatalf("the table of the run: %v", err)
	}
	short("-resume", dir)
	if err := os.Rename(own, filepath.Join(folder, "moved.game")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		runtime.GC() // another process has not opened the table
	}
	refused("with the SHA-256 "+kept.Digest(), "-resume", dir, "-steps", "500")
	short("-resume", dir, "-game", filepath.Join(folder, "moved.game"))
	other := testgames.TicTacToe()
	other.About = "another"
	changed, err := tablegame.New(other)
	if err == nil {
		os.Remove(own)
		err = changed.Save(own)
	}
	if err != nil {
		t.Fatal(err)
	}
	refused(changed.Digest()+", not "+kept.Digest(), "-resume", dir, "-steps", "500")
}
