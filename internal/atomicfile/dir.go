package atomicfile

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// ErrNotRegular is wrapped by the error for a directory, a pipe, a device or a socket in
// the place of a file, which could keep a reader waiting for ever or never end. Where
// links are not followed, it is wrapped by the error for a link too.
var ErrNotRegular = errors.New("not a regular file; put the file itself in its place")

// Open opens a regular file for reading. It follows links. The error wraps ErrNotRegular
// if there is something else.
func Open(path string) (*os.File, error) {
	return open(path, func() (fs.FileInfo, error) { return os.Stat(path) }, func() (*os.File, error) { return os.Open(path) })
}

// OpenIn is [Open] for a file below root. It follows links to files below root only.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	return open(filepath.Join(root.Name(), name), func() (fs.FileInfo, error) { return root.Stat(name) }, func() (*os.File, error) { return root.Open(name) })
}

// open opens a regular file. It looks at it before, since to open a pipe waits for its
// other end, and after, since it could be replaced in between.
func open(path string, stat func() (fs.FileInfo, error), open func() (*os.File, error)) (*os.File, error) {
	info, err := stat()
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		return nil, err
	}
	f, err := open()
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func regular(path string, info fs.FileInfo) error {
	kind := "a device"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a directory"
	case mode&fs.ModeSymlink != 0:
		kind = "a link"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return fmt.Errorf("%s is %s, %w", path, kind, ErrNotRegular)
}

// Dir is an open directory. Its methods take the names of files in it and follow no
// links, not even links to other files of the directory.
type Dir struct{ root *os.Root }

// OpenDir opens a directory. It follows links in path.
func OpenDir(path string) (*Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Dir{root}, nil
}

// Close closes the directory, but not the files opened in it.
func (d *Dir) Close() error { return d.root.Close() }

// Open opens a file for reading. The error wraps ErrNotRegular if name is not a regular
// file.
func (d *Dir) Open(name string) (*os.File, error) {
	return d.open(name, os.O_RDONLY)
}

// ReadFile returns the content of a file of at most limit bytes.
func (d *Dir) ReadFile(name string, limit int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, limit)
}

// open opens an existing file. To be portable it checks the file before and after
// opening it, and refuses a file that was replaced in between.
func (d *Dir) open(name string, flag int) (*os.File, error) {
	var want fs.FileInfo
	f, err := open(d.path(name), func() (_ fs.FileInfo, err error) {
		want, err = d.root.Lstat(name)
		return want, d.pathError("open", err, name)
	}, func() (*os.File, error) {
		f, err := d.root.OpenFile(name, flag, 0)
		return f, d.pathError("open", err, name)
	})
	if err != nil {
		return nil, err
	}
	if got, err := f.Stat(); err != nil || !os.SameFile(got, want) {
		f.Close()
		return nil, cmp.Or(err, fmt.Errorf("%s was replaced while it was opened; try again", d.path(name)))
	}
	return f, nil
}

// Append opens a file for appending, truncated to the size that it had before; later
// content is lost. With size 0 it creates the file, which must not exist.
func (d *Dir) Append(name string, size int64) (f *os.File, err error) {
	if size == 0 {
		f, err = d.create(name)
	} else {
		f, err = d.open(name, os.O_WRONLY)
	}
	if err != nil {
		return nil, err
	}
	if err := truncate(f, size); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (d *Dir) create(name string) (*os.File, error) {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	return f, d.pathError("create", err, name)
}

// truncate truncates f to size, and moves to its end.
func truncate(f *os.File, size int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < size {
		return fmt.Errorf("%s has %d bytes, but had %d before; restore it, or start a new run", f.Name(), info.Size(), size)
	}
	if err := f.Truncate(size); err != nil {
		return err
	}
	_, err = f.Seek(size, io.SeekStart)
	return err
}

// Remove removes a file or a link. It is no error if name does not exist.
func (d *Dir) Remove(name string) error {
	err := d.root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return d.pathError("remove", err, name)
}

// Write is [Write] for a file of the directory. It also removes abandoned temporary files
// of that file.
func (d *Dir) Write(name string, write func(io.Writer) error) error {
	return d.write(name, write, func(temp string) error {
		return d.pathError("rename", d.rename(temp, name), name)
	})
}

// Create is [Create] for a file of the directory. It also removes abandoned temporary files of
// that file.
func (d *Dir) Create(name string, write func(io.Writer) error) error {
	return d.write(name, write, func(temp string) error {
		err := d.root.Link(temp, name)
		if err == nil {
			d.Remove(temp) // if it remains, it counts as abandoned
			return nil
		}
		if _, found := d.root.Lstat(name); errors.Is(found, fs.ErrNotExist) { // a file system without links
			err = d.rename(temp, name)
		}
		return d.pathError("create", err, name)
	})
}

// write writes a temporary file, calls place, which gives it its name, and syncs the directory.
// After an error it removes the file.
func (d *Dir) write(name string, write func(io.Writer) error, place func(temp string) error) error {
	d.Clean(name, abandoned) // files that cannot be removed are harmless
	temp := temporaryName(name)
	err := d.writeNew(temp, write)
	if err == nil {
		err = place(temp)
	}
	if err != nil {
		return errors.Join(err, d.Remove(temp))
	}
	return d.sync()
}

// rename replaces a file by another. Windows does not replace a file that a process has
// open, as one that reads a model during training. Reads are short, so rename waits there.
func (d *Dir) rename(from, to string) error {
	const sharingViolation = syscall.Errno(32) // on Windows
	for begun := time.Now(); ; time.Sleep(pause) {
		err := d.root.Rename(from, to)
		open := errors.Is(err, fs.ErrPermission) || errors.Is(err, sharingViolation)
		if runtime.GOOS != "windows" || !open || time.Since(begun) > patience {
			return err
		}
	}
}

func (d *Dir) writeNew(name string, write func(io.Writer) error) (err error) {
	f, err := d.create(name)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	return f.Sync()
}

// sync makes a rename in the directory durable.
func (d *Dir) sync() error {
	if runtime.GOOS == "windows" {
		return nil // which cannot sync directories
	}
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

const (
	// patience is the longest time that a rename waits for readers: that of the go command,
	// in cmd/internal/robustio. The pause between two attempts is chosen.
	patience = 2 * time.Second
	pause    = 10 * time.Millisecond

	// temporary is the suffix of temporary files. Before it are the name of the file to
	// be written, a dot and eight characters of base 32.
	temporary = ".tmp"

	// abandoned is the time without a write after which the writer of a temporary file
	// counts as killed. Chosen: far longer than a slow disk takes for a write.
	abandoned = time.Hour
)

// Clean removes the temporary files of killed writers of a file that have not been
// written to for that time. With age 0, which a caller may use who knows that there are
// no writers, it removes all temporary files.
func (d *Dir) Clean(name string, age time.Duration) error {
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if !e.Type().IsRegular() || !temporaryOf(name, e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) >= age {
			errs = append(errs, d.Remove(e.Name()))
		}
	}
	return errors.Join(errs...)
}

func temporaryName(name string) string { return name + "." + rand.Text()[:8] + temporary }

// temporaryOf reports whether temp is a name that temporaryName returns.
func temporaryOf(name, temp string) bool {
	rest, ok := strings.CutPrefix(temp, name+".")
	random, tmp := strings.CutSuffix(rest, temporary)
	return ok && tmp && len(random) == 8 && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

func (d *Dir) path(name string) string { return filepath.Join(d.root.Name(), name) }

// pathError returns an error of the root with the path of the file, where err has only
// its name in the directory.
func (d *Dir) pathError(op string, err error, name string) error {
	switch e := err.(type) {
	case *fs.PathError:
		err = e.Err
	case *os.LinkError:
		err = e.Err
	case nil:
		return nil
	}
	return &fs.PathError{Op: op, Path: d.path(name), Err: err}
}
