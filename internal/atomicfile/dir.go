package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// ErrNotRegular is what an error wraps where a link, a folder or a device has the
// name of a file.
var ErrNotRegular = errors.New("it is a link, or no file; put the file itself in its place")

// Dir is a folder whose files are used by their names in it. No link is followed,
// not even one that leads to another file of the folder.
type Dir struct{ root *os.Root }

// OpenDir opens a folder; the path to it may lead over links.
func OpenDir(path string) (*Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Dir{root}, nil
}

// Close closes the folder, and not the files opened in it.
func (d *Dir) Close() error { return d.root.Close() }

// Open opens a file to read. Its error wraps ErrNotRegular where that is none.
func (d *Dir) Open(name string) (*os.File, error) {
	return d.open(name, os.O_RDONLY)
}

// open opens a file that exists. To be portable it looks before and after: what
// took the file's place in between is not used.
func (d *Dir) open(name string, flag int) (*os.File, error) {
	want, err := d.root.Lstat(name)
	if err != nil {
		return nil, d.named("open", err, name)
	}
	if !want.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", d.path(name), ErrNotRegular)
	}
	f, err := d.root.OpenFile(name, flag, 0)
	if err != nil {
		return nil, d.named("open", err, name)
	}
	got, err := f.Stat()
	if err == nil && !os.SameFile(got, want) {
		err = fmt.Errorf("%s: %w", d.path(name), ErrNotRegular)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Append opens a file to append to, cut back to the size that it had before;
// what was written after that is lost. Size 0 begins a new file, which must not
// exist.
func (d *Dir) Append(name string, size int64) (f *os.File, err error) {
	if size == 0 {
		f, err = d.begin(name)
	} else {
		f, err = d.open(name, os.O_WRONLY)
	}
	if err != nil {
		return nil, err
	}
	if err := cut(f, size); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// begin opens a new file.
func (d *Dir) begin(name string) (*os.File, error) {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	return f, d.named("create", err, name)
}

// cut drops what lies beyond size, and goes there.
func cut(f *os.File, size int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < size {
		return fmt.Errorf("%s has %d bytes, and had %d before; restore it, or start a new run", f.Name(), info.Size(), size)
	}
	if err := f.Truncate(size); err != nil {
		return err
	}
	_, err = f.Seek(size, io.SeekStart)
	return err
}

// Remove removes a file, or a link in its place, if there is one.
func (d *Dir) Remove(name string) error {
	err := d.root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return d.named("remove", err, name)
}

// Write is [Write] for a file of the folder. What earlier writers of the file
// have left behind is removed once they can be taken to be dead.
func (d *Dir) Write(name string, write func(io.Writer) error) error {
	d.Clean(name, dead) // what cannot be removed does no harm
	temp := temporaryName(name)
	err := d.create(temp, write)
	if err == nil {
		err = d.named("rename", d.root.Rename(temp, name), name)
	}
	if err != nil {
		return errors.Join(err, d.Remove(temp))
	}
	return d.sync()
}

// create writes and syncs a new file.
func (d *Dir) create(name string, write func(io.Writer) error) (err error) {
	f, err := d.begin(name)
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

// sync makes a rename in the folder last.
func (d *Dir) sync() error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

const (
	// temporary ends the names of temporary files: that of the file to be written,
	// a dot, eight letters or digits of base 32, and this.
	temporary = ".tmp"

	// dead is for how long a writer has not added to its temporary file when it is
	// taken to be dead. Chosen: far more than a slow disk takes for a write.
	dead = time.Hour
)

// Clean removes what writers of a file that were killed have left behind, if it
// was last written to so long ago. Age 0 is for who knows that nobody writes.
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

// path is the path of a file.
func (d *Dir) path(name string) string { return filepath.Join(d.root.Name(), name) }

// named tells of an error of the root, which names a file within the folder, by
// the path of the file.
func (d *Dir) named(op string, err error, name string) error {
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
