package env_test

import (
	"cmp"
	"path/filepath"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/record"
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

// TestGoldenSession plays recorded games again in a session, with the same history; from the
// middle on, with the history up to there; and it goes back there.
func TestGoldenSession(t *testing.T) {
	goldenGames(t, func(t *testing.T, games []*record.Game) {
		random, err := games[0].Rules.Bot("random")
		if err != nil {
			t.Fatal(err)
		}
		// play plays steps, and returns where the random bot has chosen otherwise.
		play := func(s *env.Session, steps []env.Transition) (other []int) {
			for i, x := range steps {
				if x.Chance() {
					s.Roll()
					continue
				}
				if probs, err := env.ActionProbabilities(t.Context(), random, s.Position(), s.Rules.Spec().Actions); err != nil {
					t.Fatal(err)
				} else if s.Sample(probs) != x.Action {
					other = append(other, i)
				}
				if err := s.Apply(x.Action); err != nil {
					t.Fatal(err)
				}
			}
			return other
		}
		s := env.NewSession(games[0].Rules)
		s.Seed(goldenSeed)
		for i, g := range games {
			s.Begin(g.Rules.Initial())
			other := play(s, g.Steps)
			if !same(s.Steps, g.Steps) || !s.Over() || s.AtLimit() {
				t.Fatalf("game %d: %d steps end at %s, want %d that end at %s", i, len(s.Steps), s.Position(), len(g.Steps), g.Position())
			}
			if g.Seats[0] == "random" && len(other) > 0 {
				t.Errorf("game %d: the bot chose otherwise at %d", i, other)
			}
		}
		half := len(games[0].Steps) / 2
		s.Begin(games[0].Rules.Initial())
		for _, x := range games[0].Steps[:half] { // as from a file
			if x.Chance() {
				s.Chance(x.After)
			} else if err := s.Apply(x.Action); err != nil {
				t.Fatal(err)
			}
		}
		s.Seed(goldenSeed)
		if other := play(s, games[0].Steps[half:]); !same(s.Steps, games[0].Steps) || games[0].Seats[0] == "random" && len(other) > 0 {
			t.Errorf("from step %d on, the game ends at %s, and the bot chose otherwise at %d", half, s.Position(), other)
		}
		for n := range len(s.Steps) + 1 {
			if s.At(n).String() != games[0].At(n).String() {
				t.Errorf("after %d steps the position is %s, want %s", n, s.At(n), games[0].At(n))
			}
		}
		if s.Undo(half); s.Position() != s.At(half) || len(s.Steps) != half || s.Over() {
			t.Errorf("back after %d steps, the position is %s, want %s", half, s.Position(), s.At(half))
		}
	})
}

// same reports whether two histories are the same.
func same(x, y []env.Transition) bool {
	return slices.EqualFunc(x, y, func(a, b env.Transition) bool {
		return a.Before.String() == b.Before.String() && a.Action == b.Action && a.After.String() == b.After.String()
	})
}

// TestGoldenRestart plays the recorded games of matches again, in a session and in a
// restarted row. Game i of a match of two has the random numbers of row i/2.
func TestGoldenRestart(t *testing.T) {
	files, err := filepath.Glob("../eval/testdata/match/*" + record.Suffix)
	if err != nil || len(files) != 3 {
		t.Fatalf("%q, %v; want 3 files", files, err)
	}
	for _, file := range files {
		i := uint64(0)
		for g, err := range record.ReadPath(file, catalog.Open) {
			if err != nil {
				t.Fatal(err)
			}
			s := env.NewSession(g.Rules)
			s.Restart(goldenSeed, i/2)
			b := g.Rules.NewBatch(1, 9)
			b.Reset(1)
			b.Restart(0, goldenSeed, i/2)
			for _, x := range g.Steps {
				if x.Chance() {
					continue
				}
				d := b.Decisions(nil)
				if got := d.Position(0).String(); got != x.Before.String() {
					t.Fatalf("%s, game %d: the row is at %s, want %s", file, i, got, x.Before)
				}
				b.Buffers().Action[0] = x.Action
				if label := d.Relabel(0); label != nil {
					b.Buffers().Action[0] = game.Action(slices.Index(label, x.Action))
				}
				if err := cmp.Or(b.Step(), s.Apply(x.Action)); err != nil {
					t.Fatal(err)
				}
				s.Settle()
			}
			if got := b.Final(0).String(); !same(s.Steps, g.Steps) || got != g.Position().String() {
				t.Errorf("%s, game %d: the session ends at %s and the row at %s, want %s", file, i, s.Position(), got, g.Position())
			}
			i++
		}
		if i != 4 {
			t.Errorf("%s holds %d games; want 4", file, i)
		}
	}
}
