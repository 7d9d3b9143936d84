//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"marsgym/internal/atomicfile"
)

// TestOpen opens what is no regular file in every way, each under its name and by a link. A
// pipe would wait for its other end, and the device has no end.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	pipe, socket, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "socket"), filepath.Join(dir, "file")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o666), os.WriteFile(file, []byte("text"), 0o666)); err != nil {
		t.Skip(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	d := open(t, dir)
	if err := os.Symlink("file", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(dir, "link")} {
		f, err := atomicfile.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if f, err = atomicfile.OpenIn(root, filepath.Base(path)); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	for what, path := range map[string]string{"a pipe": pipe, "a socket": socket, "a directory": dir, "a device": "/dev/zero"} {
		link := filepath.Join(dir, "link to "+what)
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{path, link} {
			if _, err := atomicfile.Open(path); !errors.Is(err, atomicfile.ErrNotRegular) || !strings.Contains(err.Error(), path+" is "+what+", not") {
				t.Errorf("%s: %v", path, err)
			}
			if filepath.Dir(path) != dir {
				continue
			}
			if _, err := atomicfile.OpenIn(root, filepath.Base(path)); err == nil {
				t.Errorf("below the folder %s is opened", path)
			}
			if _, err := d.Open(filepath.Base(path)); !errors.Is(err, atomicfile.ErrNotRegular) {
				t.Errorf("in the folder %s: %v", path, err)
			}
		}
	}
}
