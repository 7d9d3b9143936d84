package record_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/env/catalog"
	"marsgym/env/record"
)

// TestByteOrderMark: a mark is skipped before every game, as in files that were joined, and
// UTF-16 is named.
func TestByteOrderMark(t *testing.T) {
	text := sample(t)
	if games, err := parse("\ufeff" + text + "\ufeff" + text); err != nil || len(games) != 2 {
		t.Errorf("%d games, %v; want 2", len(games), err)
	}
	for _, text := range []string{"\xff\xfem\x00a\x00r\x00\n\x00", "\xfe\xff\x00m\x00a\x00r\x00\n", "m\x00a\x00r\x00s\x00\n\x00"} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), "line 1: the text is in UTF-16") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// read returns the number of the complete games of a text, and of the others.
func read(t *testing.T, text string) (complete, incomplete int) {
	t.Helper()
	for _, err := range record.Read(strings.NewReader(text), catalog.Open) {
		switch {
		case err == nil:
			complete++
		case errors.Is(err, record.ErrIncomplete):
			incomplete++
		default:
			t.Fatalf("%q: %v", text, err)
		}
	}
	return complete, incomplete
}

// TestIncomplete: a game that breaks off at any byte costs no other game, before or after it.
func TestIncomplete(t *testing.T) {
	text := sample(t)
	seats := strings.Index(text, "seat 0")
	for n := len("marsgym game 1\n"); n < len(strings.TrimSpace(text)); n++ {
		if complete, incomplete := read(t, text+text[:n]); complete != 1 || incomplete != 1 {
			t.Errorf("%q at the end: %d complete games and %d others; want 1 and 1", text[:n], complete, incomplete)
		}
		if complete, incomplete := read(t, text+text[:n]+"\n"+text); complete != 2 || incomplete != 1 {
			t.Errorf("%q and a line break before another game: %d complete games and %d others; want 2 and 1", text[:n], complete, incomplete)
		}
		if n >= seats && n <= seats+len("seat 0 Ann\nseat 1 greedy") {
			continue // the first line of the next game could be part of a name
		}
		if complete, incomplete := read(t, text+text[:n]+text); complete != 2 || incomplete != 1 {
			t.Errorf("%q before another game: %d complete games and %d others; want 2 and 1", text[:n], complete, incomplete)
		}
	}
	// What is not cut off is not passed over.
	for want, wrong := range map[string]string{
		`"1 roll", but seat 0 is to move`:                 strings.Replace(text, "0 roll", "1 roll", 1),
		`the result is "-1 1"; by the rules it is "1 -1"`: strings.Replace(text, "result 1 -1", "result -1 1", 1),
	} {
		if games, err := parse(wrong + text); err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, record.ErrIncomplete) || len(games) > 0 {
			t.Errorf("%q: %d games, %v; want %q", wrong, len(games), err, want)
		}
	}
}

// TestAppend appends games to files, one of which ends in the middle of a line.
func TestAppend(t *testing.T) {
	text := sample(t)
	games, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.games")
	for _, before := range []string{"", text, text + text[:len(text)-30]} {
		if err := os.WriteFile(path, []byte(before), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := games[0].Append(f); err != nil {
				t.Error(err)
			}
		}
		f.Close()
		want := before + text + text
		if before != "" && !strings.HasSuffix(before, "\n") {
			want = before + "\n" + text + text
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
}
