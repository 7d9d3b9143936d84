package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	d := open(t, filepath.Dir(path))
	add := func(size int64, text string) error {
		f, err := d.Append("log", size)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteString(text)
		return err
	}
	if err := add(0, "one two and much more"); err != nil {
		t.Fatal(err)
	}
	if err := add(0, "again"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("an existing file is appended to at size 0: %v", err)
	}
	if err := add(4, "three"); err != nil {
		t.Fatal(err)
	}
	if err := add(100, "more"); err == nil || !strings.Contains(err.Error(), "restore it") {
		t.Errorf("a file that is too short is appended to: %v", err)
	}
	if _, err := d.Append("log.missing", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file is appended to: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "one three" {
		t.Errorf("the file holds %q, %v", got, err)
	}
}
