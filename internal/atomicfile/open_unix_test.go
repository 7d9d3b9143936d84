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
	"time"

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
			want := path + " is " + what + ", not"
			if path == link { // to an absolute path
				want = "path escapes from parent"
			}
			if _, err := atomicfile.OpenIn(root, filepath.Base(path)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("below the folder %s: %v; want %q", path, err, want)
			}
			if _, err := d.Open(filepath.Base(path)); !errors.Is(err, atomicfile.ErrNotRegular) {
				t.Errorf("in the folder %s: %v", path, err)
			}
		}
	}
}

// TestReadOnce reads pipes: one that ends, one without a writer, and one with too much.
func TestReadOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip(err)
	}
	if b, err := atomicfile.ReadOnce(path, 10); err != nil || len(b) > 0 {
		t.Errorf("without a writer: %q, %v", b, err)
	}
	for _, text := range []string{"0123456789", "0123456789a"} {
		w, err := os.OpenFile(path, os.O_RDWR, 0) // waits for nobody
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.WriteString(text); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(10*time.Millisecond, func() { w.Close() })
		b, err := atomicfile.ReadOnce(path, 10)
		if len(text) == 10 && string(b) != text || len(text) > 10 && !errors.Is(err, atomicfile.ErrTooLarge) {
			t.Errorf("%q is read as %q, %v", text, b, err)
		}
	}
	if _, err := atomicfile.ReadOnce("/dev/zero", 10); !errors.Is(err, atomicfile.ErrNotRegular) {
		t.Errorf("a device: %v", err)
	}
}
