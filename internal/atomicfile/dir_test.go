package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"marsgym/internal/atomicfile"
)

func open(t *testing.T, dir string) *atomicfile.Dir {
	t.Helper()
	d, err := atomicfile.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// TestDirFollowsNoLink: in the place of files there are links, to a file outside the
// directory and to one inside.
func TestDirFollowsNoLink(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "precious")
	inside := filepath.Join(dir, "other")
	for _, path := range []string{outside, inside} {
		if err := os.WriteFile(path, []byte("precious"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d := open(t, dir)
	for name, target := range map[string]string{"absolute": outside, "inward": "other", "loop": "loop", "folder": "."} {
		link := filepath.Join(dir, name)
		if err := os.Symlink(target, link); err != nil {
			t.Skip("no links here:", err)
		}
		if _, err := d.Open(name); !errors.Is(err, atomicfile.ErrNotRegular) || !strings.Contains(err.Error(), link) {
			t.Errorf("%s is opened: %v", name, err)
		}
		for size, want := range map[int64]error{0: fs.ErrExist, 4: atomicfile.ErrNotRegular} {
			if _, err := d.Append(name, size); !errors.Is(err, want) || !strings.Contains(err.Error(), link) {
				t.Errorf("%s is appended to at %d: %v; want %v", name, size, err, want)
			}
		}
	}
	if err := d.Write("absolute", text("new")); err != nil {
		t.Fatal(err)
	}
	if err := d.Remove("inward"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{outside: "precious", inside: "precious", filepath.Join(dir, "absolute"): "new"} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", path, got, err, want)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Open("sub"); !errors.Is(err, atomicfile.ErrNotRegular) {
		t.Errorf("a directory is opened: %v", err)
	}
	if _, err := d.Open("none"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), filepath.Join(dir, "none")) {
		t.Errorf("a missing file is opened: %v", err)
	}
	f, err := d.Open("other")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, err := io.ReadAll(f); err != nil || string(b) != "precious" {
		t.Errorf("a file reads %q, %v", b, err)
	}
}

// TestClean: Clean removes the temporary files of killed writers and nothing else. The
// name of the directory is a pattern that matches the name of a sibling.
func TestClean(t *testing.T) {
	base := t.TempDir()
	dir, sibling := filepath.Join(base, "a[b]"), filepath.Join(base, "ab")
	const stale, fresh = "f.ABCDEFGH.tmp", "f.ZYXW7654.tmp"
	others := []string{"f", "notes.tmp", "f.tmp", "f.ijklmnop.tmp", "f.ABCDEFG1.tmp", "f.ABCDEFGHI.tmp", "g.ABCDEFGH.tmp", "f.ABCDEFGH.tmp.bak"}
	all := append(slices.Clone(others), stale, fresh)
	for _, dir := range []string{dir, sibling} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, name := range all {
			path := filepath.Join(dir, name)
			long := time.Now().Add(-24 * time.Hour)
			err := os.WriteFile(path, []byte("old"), 0o666)
			if name != fresh && err == nil {
				err = os.Chtimes(path, long, long)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	holds := func(want ...string) {
		t.Helper()
		for _, name := range all {
			_, err := os.Stat(filepath.Join(dir, name))
			if got, want := err == nil, slices.Contains(want, name); got != want {
				t.Errorf("%s exists: %v; want %v", name, got, want)
			}
		}
	}
	if err := atomicfile.Write(filepath.Join(dir, "f"), text("new")); err != nil {
		t.Fatal(err)
	}
	holds(append(slices.Clone(others), fresh)...)
	if err := open(t, dir).Clean("f", 0); err != nil {
		t.Fatal(err)
	}
	holds(others...)
	if left, err := os.ReadDir(sibling); err != nil || len(left) != len(all) {
		t.Errorf("the sibling has %v, error %v", left, err)
	}
}
