package env_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/test/testgames"
)

// A row that is held stays as it is, and the games of all rows are those without holding.
func TestHold(t *testing.T) {
	for name, g := range map[string]env.Game{
		"pig":                       env.NewGame(testgames.LimitedPig{Rules: testgames.NewPig(t, 2, 20), Moves: 30}),
		"pig without optional ones": env.NewGame(testgames.PlainPig{Rules: testgames.NewPig(t, 2, 20)}),
		"martian dice":              env.NewGame(testgames.NewMartianDice(t, 2, 5, 5)),
	} {
		const rows = 3
		want := make([][]transition, rows)
		plain, b := g.NewBatch(rows, 0), g.NewBatch(rows, 0)
		plain.Reset(5)
		for range 100 {
			act(plain)
			if err := plain.Step(); err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				want[i] = append(want[i], readRow(plain, i))
			}
		}
		b.Reset(5)
		var got [rows][]transition
		for k := range 100 {
			before := make([]transition, rows)
			noise := slices.Clone(b.Buffers().Noise)
			act(b)
			for i := range rows {
				before[i] = readRow(b, i)
				if k%(i+2) == 0 {
					b.Buffers().Action[i], b.Buffers().Noise[i] = env.Hold, noise[i]
				}
			}
			if err := b.Step(); err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				at := readRow(b, i)
				if k%(i+2) != 0 {
					got[i] = append(got[i], at)
				} else if b.Buffers().Terminated[i] || b.Buffers().Truncated[i] || !slices.Equal(at.obs, before[i].obs) {
					t.Fatalf("%s, step %d: held row %d has changed", name, k, i)
				}
			}
		}
		b.Buffers().Action[0], b.Buffers().Action[1] = env.Hold, game.Action(b.Spec().Actions)
		before := readRow(b, 0)
		if err := b.Step(); !errors.Is(err, game.ErrIllegalAction) || !readRow(b, 0).equal(before) {
			t.Errorf("%s: an illegal action beside a held row: %v", name, err)
		}
		for i := range rows {
			if !slices.EqualFunc(got[i], want[i][:len(got[i])], transition.equal) {
				t.Errorf("%s: row %d plays other games if it is held now and then", name, i)
			}
		}
	}
}

// Begin seeds a row as Reset does, and changes no other row.
func TestBegin(t *testing.T) {
	for name, g := range map[string]env.Game{
		"pig":          env.NewGame(testgames.NewPig(t, 2, 20)),
		"martian dice": env.NewGame(testgames.NewMartianDice(t, 2, 5, 5)),
	} {
		seeds := []uint64{7, 8, 7}
		got := g.NewBatch(3, 2)
		got.Reset(1)
		got.Begin([]int{0, 2}, []uint64{7, 7})
		got.Begin([]int{1}, []uint64{8})
		want := make([]env.Batch, 3)
		for i := range want {
			want[i] = g.NewBatch(3, 2)
			want[i].Reset(seeds[i])
		}
		for range 100 {
			for i, b := range append(want, got) {
				act(b)
				if err := b.Step(); err != nil {
					t.Fatal(i, err)
				}
			}
			for i := range want {
				if !readRow(got, i).equal(readRow(want[i], i)) {
					t.Fatalf("%s: row %d plays other games than after Reset with its seed", name, i)
				}
			}
		}
	}
}

// Rewind returns to the games that Mark kept, also where a game has ended since, by its rules or by
// the limit of moves.
func TestRewind(t *testing.T) {
	for name, g := range map[string]env.Game{
		"pig":          env.NewGame(testgames.LimitedPig{Rules: testgames.NewPig(t, 2, 20), Moves: 7}),
		"martian dice": env.NewGame(testgames.NewMartianDice(t, 2, 5, 5)),
	} {
		b := g.NewBatch(3, 0)
		b.Reset(1)
		play := func() []transition { return playRows(t, b, 100, 0, 2) }
		play()
		before := readRow(b, 1)
		b.Mark()
		want := play()
		b.Rewind()
		if at := readRow(b, 1); !slices.Equal(at.obs, before.obs) {
			t.Errorf("%s: row 1 is not what it was", name)
		}
		if !slices.EqualFunc(play(), want, transition.equal) {
			t.Errorf("%s: the games differ after Rewind", name)
		}
	}
}

// Place continues a row from a position; a position where no decision follows changes none.
func TestPlace(t *testing.T) {
	g := env.NewGame(testgames.NewPig(t, 2, 20))
	b := g.NewBatch(2, 0)
	b.Reset(1)
	at, err := g.Parse("7-3@1")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Place(1, at); err != nil {
		t.Fatal(err)
	}
	if got := b.Decisions([]int{1}).Position(0); got.String() != "7-3@1" || b.Buffers().Player[1] != 1 {
		t.Errorf("row 1 is at %s", got)
	}
	other := env.NewGame(testgames.NewMartianDice(t, 2, 5, 5)).Initial()
	played := g.NewBatch(1, 0)
	played.Reset(1)
	for !played.Buffers().Terminated[0] {
		act(played)
		if err := played.Step(); err != nil {
			t.Fatal(err)
		}
	}
	over := played.Final(0)
	for wrong, want := range map[env.Position]string{
		other: "is a position of another game; want one of pig", over: "no decision follows in the game from " + over.String(),
	} {
		if err := b.Place(1, wrong); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a game from %s: %v; want %q", wrong, err, want)
		}
	}
	if got := b.Decisions([]int{1}).Position(0); got.String() != "7-3@1" {
		t.Errorf("after errors row 1 is at %s", got)
	}
}
