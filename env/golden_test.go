package env_test

import (
	"path/filepath"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/record"
)

// goldenGames calls f with the games of each file of testdata/games, which cmd/play has
// played one after the other with the seed 7. Other packages read them too.
func goldenGames(t *testing.T, f func(t *testing.T, games []*record.Game)) {
	files, err := filepath.Glob("testdata/games/*" + record.Suffix)
	if err != nil || len(files) != 4 {
		t.Fatalf("%q, %v; want 4 files", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var games []*record.Game
			for g, err := range record.ReadPath(file, catalog.Open) {
				if err != nil {
					t.Fatal(err)
				}
				games = append(games, g)
			}
			if len(games) != 2 || *games[0].Seed != goldenSeed {
				t.Fatalf("%d games; want 2 of the seed %d", len(games), goldenSeed)
			}
			f(t, games)
		})
	}
}

const goldenSeed = 7

// TestGoldenEnv plays recorded games again in an Env: the dice fall as they did.
func TestGoldenEnv(t *testing.T) {
	goldenGames(t, func(t *testing.T, games []*record.Game) {
		e := env.New(games[0].Rules)
		e.Reset(goldenSeed)
		for i, g := range games {
			if i > 0 {
				e.Next()
			}
			for _, s := range g.Steps {
				if s.Chance() {
					continue
				}
				if e.Position() != s.Before {
					t.Fatalf("game %d: the position is %s, want %s", i, e.Position(), s.Before)
				}
				if _, err := e.Step(s.Action); err != nil {
					t.Fatal(err)
				}
			}
			if e.Position() != g.Position() {
				t.Fatalf("game %d: the end is %s, want %s", i, e.Position(), g.Position())
			}
		}
	})
}

// TestGoldenBatch plays recorded games again in row 0 of a batch.
func TestGoldenBatch(t *testing.T) {
	goldenGames(t, func(t *testing.T, games []*record.Game) {
		b := games[0].Rules.NewBatch(2, 0)
		b.Reset(goldenSeed)
		buf, n := b.Buffers(), b.Spec().Actions
		for i, g := range games {
			for _, s := range g.Steps {
				if s.Chance() {
					continue
				}
				d := b.Decisions([]int{0})
				if d.Position(0).String() != s.Before.String() { // they have handles of their own
					t.Fatalf("game %d: the position is %s, want %s", i, d.Position(0), s.Before)
				}
				buf.Action[0], buf.Action[1] = s.Action, game.Action(slices.Index(buf.Mask[n:], true))
				if label := d.Relabel(0); label != nil {
					buf.Action[0] = game.Action(slices.Index(label, s.Action))
				}
				if err := b.Step(); err != nil {
					t.Fatal(err)
				}
			}
			if !buf.Terminated[0] || b.Final(0).String() != g.Position().String() {
				t.Fatalf("game %d: the end is %s, want %s", i, b.Final(0), g.Position())
			}
		}
	})
}
