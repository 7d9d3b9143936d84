package atomicfile_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"marsgym/internal/atomicfile"
)

// text returns a function that writes s.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// holds fails unless the directory has one file only, of this name and content.
func holds(t *testing.T, dir, name, want string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != name {
		t.Errorf("the directory has %v: want %s only", entries, name)
	}
	if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
		t.Errorf("the file holds %q, error %v: want %q", got, err, want)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, want := range []string{"first", "the second one", ""} {
		if err := atomicfile.Write(path, text(want)); err != nil {
			t.Fatal(err)
		}
		holds(t, dir, "f", want)
	}
	t.Chdir(dir)
	if err := atomicfile.Write("f", text("here")); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "f", "here")
}

// TestCreate: a file is created once, and one that appears meanwhile stays as it is.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	meanwhile := func(w io.Writer) error {
		if err := os.WriteFile(path, []byte("another's"), 0o666); err != nil {
			return err
		}
		return text("late")(w)
	}
	if err := atomicfile.Create(path, meanwhile); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that appears meanwhile: %v; want %v", err, fs.ErrExist)
	}
	holds(t, dir, "f", "another's")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Create(path, text("first")); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Create(path, text("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that exists: %v; want %v", err, fs.ErrExist)
	}
	holds(t, dir, "f", "first")
}

// TestWriteWhileRead: a file is replaced that has a reader for a while, as Windows does not
// do. The reader has the old content.
func TestWriteWhileRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := atomicfile.Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		time.Sleep(100 * time.Millisecond)
		b, err := io.ReadAll(f)
		read <- fmt.Sprint(string(b), errors.Join(err, f.Close()))
	}()
	if err := atomicfile.Write(path, text("new")); err != nil {
		t.Error(err)
	}
	if got := <-read; got != "old<nil>" {
		t.Errorf("the reader has %s", got)
	}
	holds(t, dir, "f", "new")
}

func TestWriteGivesPermissionsOfNewFile(t *testing.T) {
	dir := t.TempDir()
	path, usual := filepath.Join(dir, "f"), filepath.Join(dir, "usual")
	if err := errors.Join(atomicfile.Write(path, text("")), os.WriteFile(usual, nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	got, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.Stat(usual)
	if err != nil {
		t.Fatal(err)
	}
	if got.Mode() != want.Mode() {
		t.Errorf("permissions are %v: want %v", got.Mode(), want.Mode())
	}
}

func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := atomicfile.Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	err := atomicfile.Write(path, func(w io.Writer) error {
		return errors.Join(text("half of the new")(w), full)
	})
	if !errors.Is(err, full) {
		t.Errorf("error %v: want that of the function", err)
	}
	holds(t, dir, "f", "old")

	if err := atomicfile.Write(filepath.Join(dir, "none", "f"), text("")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in a missing directory: error %v: want ErrNotExist", err)
	}
	sub := filepath.Join(t.TempDir(), "folder")
	if err := os.MkdirAll(filepath.Join(sub, "inner"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(sub, text("")); err == nil || !strings.Contains(err.Error(), "rename "+sub) {
		t.Errorf("Write replaces a directory: %v", err)
	}
	if entries, err := os.ReadDir(filepath.Dir(sub)); err != nil || len(entries) != 1 {
		t.Errorf("beside the directory there are %v, error %v", entries, err)
	}
}
