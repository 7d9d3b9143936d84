// Package golden compares the output of a test with a file that a person has reviewed.
//
// This command updates the files of a package:
//
//	go test ./env/pig -update
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// Check fails t unless got equals the file testdata/name. With -update it writes the
// file.
func Check(t testing.TB, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update to write it", err)
	}
	if bytes.Equal(got, want) {
		return
	}
	gotLines, wantLines := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range max(len(gotLines), len(wantLines)) {
		g, w := line(gotLines, i), line(wantLines, i)
		if g != w {
			t.Errorf("%s:%d:\n got %s\nwant %s\nIf the new text is right, run the test with -update.", path, i+1, g, w)
			return
		}
	}
}

// line returns line i of a text, or a note that the text has ended.
func line(lines [][]byte, i int) string {
	if i >= len(lines) {
		return "(end of text)"
	}
	return string(lines[i])
}
