package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/record"
)

// play records a random game of at most so many steps.
func play(t testing.TB, g env.Game, seed uint64, steps int) *record.Game {
	t.Helper()
	names := make([]string, g.Spec().Players)
	for i := range names {
		names[i] = fmt.Sprint("player ", i)
	}
	rec, dice := record.New(g, names), rand.NewPCG(seed, 1)
	for len(rec.Steps) < steps {
		at := rec.Position()
		switch at.CurrentPlayer() {
		case game.Terminal:
			return rec
		case game.Chance:
			rec.Chance(at.Sample(dice))
		default:
			legal := at.Legal()
			if err := rec.Apply(legal[dice.Uint64()%uint64(len(legal))]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return rec
}

func write(t testing.TB, games ...*record.Game) string {
	t.Helper()
	var b bytes.Buffer
	for _, g := range games {
		if err := g.Write(&b); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// all reads all games.
func all(games iter.Seq2[*record.Game, error]) (list []*record.Game, err error) {
	for g, e := range games {
		if e != nil {
			return list, e
		}
		list = append(list, g)
	}
	return list, nil
}

func parse(text string) ([]*record.Game, error) {
	return all(record.Read(strings.NewReader(text), catalog.Open))
}

// TestRoundTrip writes and reads games of the whole catalog: ended, truncated and
// unfinished ones.
func TestRoundTrip(t *testing.T) {
	var want []*record.Game
	for _, id := range catalog.IDs() {
		g, err := catalog.Open(id, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(3) {
			rec := play(t, g, seed, 400*int(seed))
			rec.Truncated = seed == 2 && rec.Position().CurrentPlayer() != game.Terminal
			if seed > 0 {
				rec.Seed = &seed
			}
			want = append(want, rec)
		}
	}
	text := write(t, want...)
	got, err := parse(text)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d of %d games, %v", len(got), len(want), err)
	}
	for i, g := range got {
		w := want[i]
		if len(g.Steps) != len(w.Steps) || g.Truncated != w.Truncated || (g.Seed == nil) != (w.Seed == nil) {
			t.Fatalf("game %d has %d steps, want %d", i, len(g.Steps), len(w.Steps))
		}
		for k, s := range g.Steps {
			if s.After.String() != w.Steps[k].After.String() || !s.Chance() && s.Action != w.Steps[k].Action {
				t.Fatalf("game %d, step %d: %s, want %s", i, k, s.After, w.Steps[k].After)
			}
		}
	}
	if again := write(t, got...); again != text {
		t.Error("the games that were read are written in another way")
	}
}

// sample is a whole game of Pig.
func sample(t testing.TB) string {
	g, err := catalog.Open("pig", 2, []byte(`{"target": 6}`))
	if err != nil {
		t.Fatal(err)
	}
	rec := record.New(g, []string{"Ann", "greedy"})
	for _, move := range []string{"roll", "5", "hold", "roll", "1", "roll", "4"} {
		at := rec.Position()
		if at.CurrentPlayer() == game.Chance {
			next, err := at.Outcome(move)
			if err != nil {
				t.Fatal(err)
			}
			rec.Chance(next)
			continue
		}
		a := game.Action(0)
		if move == "hold" {
			a = 1
		}
		if err := rec.Apply(a); err != nil {
			t.Fatal(err)
		}
	}
	return write(t, rec)
}

func TestText(t *testing.T) {
	const want = `marsgym game 1
game pig
rules 1 HASH
config {"players":2,"target":6}
seat 0 Ann
seat 1 greedy

0 roll
chance 5
0 hold
1 roll
chance 1
0 roll
chance 4
result 1 -1

`
	g, _ := catalog.Open("pig", 2, []byte(`{"target": 6}`))
	if got := strings.Replace(sample(t), g.Spec().RulesHash(), "HASH", 1); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestErrors(t *testing.T) {
	text := sample(t)
	tests := []struct{ old, new, want string }{
		{"marsgym game 1", "marsgym game 2", `line 1: version "2" of the format; this program reads version 1`},
		{"marsgym game 1", "PGN", `line 1: a game begins with the line "marsgym game 1"`},
		{"game pig", "game chess", `line 4: unknown game "chess"`},
		{"game pig", "game martian-dice", `line 3: the game has the rules`},
		{`"target"`, `"goal"`, `line 4: game config: unknown field "goal"`},
		{"rules 1", "rules 2", `line 3: the game has the rules "2 `},
		{"rules 1 ", "rules 1 f", `line 3: the game has the rules`},
		{`"target":6`, `"target":7`, `line 3: the game has the rules`},
		{`"target":6`, `"target":1`, `line 4: pig config: target is 1`},
		{"config", "setup", `line 4: want a line "config" with a value`},
		{"seat 0 Ann\n", "", `line 5: want a line "seat 0" with a name`},
		{"seat 0 Ann", "seat 0 ", `line 5: the name of seat 0: it is empty`},
		{"seat 0 Ann", "seat 0 A\x01n", `line 5: the name of seat 0: it holds characters`},
		{"seat 0 Ann", "seed x\nseat 0 Ann", `line 5: the seed is "x"`},
		{"0 roll", "1 roll", `line 8: "1 roll", but seat 0 is to move`},
		{"0 roll", "chance 3", `line 8: a chance transition, but seat 0 is to move`},
		{"0 roll", "0 hold", `line 8: a turn begins with a roll: illegal action`},
		{"0 roll", "0 rol", `line 8: no action is named "rol"; did you mean roll?`},
		{"chance 5", "0 hold", `line 9: "0 hold", but chance is to move`},
		{"chance 5", "chance 7", `line 9: "7" is no outcome of "0-0@0 rolling"`},
		{"result 1 -1", "0 roll\nresult 1 -1", `line 15: "0 roll", but the game is over`},
		{"result 1 -1", "result -1 1", `line 15: the result is "-1 1"; by the rules it is "1 -1"`},
		{"result 1 -1", "result truncated", `line 15: the result is "truncated"; by the rules it is "1 -1"`},
		{"chance 4\nresult 1 -1", "result 1 -1", `line 14: the result is "1 -1"; by the rules it is "unfinished"`},
		{"result 1 -1", "", `the file ends before the result of a game`},
		{"0 roll", strings.Repeat("x", 1<<20), `line 8: it is longer than`},
	}
	for _, tt := range tests {
		games, err := parse(text + strings.Replace(text, tt.old, tt.new, 1))
		want := tt.want
		if n, rest, ok := strings.Cut(strings.TrimPrefix(want, "line "), ":"); ok && n != want {
			var line int
			fmt.Sscan(n, &line)
			want = fmt.Sprintf("line %d:%s", line+16, rest)
		}
		if err == nil || !strings.Contains(err.Error(), want) || len(games) != 1 {
			t.Errorf("%q for %q: %d games, %v; want %s", tt.new, tt.old, len(games), err, want)
		}
	}
	broken := errors.New("broken")
	if _, err := all(record.Read(io.MultiReader(strings.NewReader(text), brokenReader{broken}), catalog.Open)); !errors.Is(err, broken) {
		t.Errorf("a failing reader: %v", err)
	}
	if games, err := parse("\n# no game\n\n"); err != nil || len(games) != 0 {
		t.Errorf("an empty file: %d games, %v", len(games), err)
	}
}

type brokenReader struct{ error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.error }

func TestWriteErrors(t *testing.T) {
	g, err := catalog.Open("pig", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		names []string
		want  string
	}{
		{[]string{"one"}, "a record of 1 seats in a game for 2 players"},
		{[]string{"", "b"}, `the name "" of seat 0: it is empty`},
		{[]string{"a\nb", "b"}, `the name "a\nb" of seat 0: it holds characters that are no text`},
		{[]string{" a", "b"}, `the name " a" of seat 0: it is empty, or begins or ends with a space`},
		{[]string{"a", strings.Repeat("b", 5000)}, "of seat 1: it has 5000 bytes; want at most 4096"},
		{[]string{"\xff", "b"}, `the name "\xff" of seat 0: it holds characters that are no text`},
	} {
		if err := record.New(g, test.names).Write(io.Discard); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("the names %.40q: %v; want %q", test.names, err, test.want)
		}
	}
	placed := record.New(g, []string{"a", "b"})
	at, err := g.Parse("7-3@1")
	if err != nil {
		t.Fatal(err)
	}
	placed.Begin(at)
	if err := placed.Write(io.Discard); err == nil || !strings.Contains(err.Error(), "the game begins at 7-3@1; a record holds games from their beginning") {
		t.Errorf("a game from another position: %v", err)
	}
	if err := record.New(g, []string{"a", "b"}).Apply(1); !errors.Is(err, game.ErrIllegalAction) {
		t.Errorf("an illegal action: %v", err)
	}
}

func TestReadPath(t *testing.T) {
	name := "a[b]*"
	if runtime.GOOS != "windows" {
		name += `\c`
	}
	dir, text := filepath.Join(t.TempDir(), name), sample(t)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	read := func(path string) (int, error) {
		games, err := all(record.ReadPath(path, catalog.Open))
		return len(games), err
	}
	if _, err := read(dir); err == nil || !strings.Contains(err.Error(), "ends in .games") {
		t.Errorf("an empty folder: %v", err)
	}
	for name, text := range map[string]string{"a.games": text, "b.games": text + text, "notes.txt": "no game"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := read(dir); n != 3 || err != nil {
		t.Errorf("a folder: %d games, %v; want 3", n, err)
	}
	if n, err := read(filepath.Join(dir, "b.games")); n != 2 || err != nil {
		t.Errorf("a file: %d games, %v; want 2", n, err)
	}
	if _, err := read(filepath.Join(dir, "notes.txt")); err == nil || !strings.Contains(err.Error(), "notes.txt: line 1:") {
		t.Errorf("another file: %v", err)
	}
	if _, err := read(filepath.Join(dir, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// FuzzRead reads any text. Games that are accepted are written and read again as the
// same text.
func FuzzRead(f *testing.F) {
	f.Add(sample(f))
	for _, id := range catalog.IDs() {
		if g, err := catalog.Open(id, 0, nil); err != nil {
			f.Fatal(err)
		} else {
			f.Add(write(f, play(f, g, 1, 12)))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		games, _ := parse(text)
		once := write(t, games...)
		again, err := parse(once)
		if err != nil || write(t, again...) != once {
			t.Errorf("%q is written as %q, which is read as %d games, %v", text, once, len(again), err)
		}
	})
}
