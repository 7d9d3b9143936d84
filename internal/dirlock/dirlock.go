// Package dirlock lets one process at a time work in a folder, or on a file.
package dirlock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"
)

// ErrBusy is wrapped by the error of [Lock] and [LockFile] if this process or another holds
// the lock.
var ErrBusy = errors.New("another command uses it")

// name is the file that is locked. It is empty.
const name = ".lock"

// Lock locks a folder until release is called or the process ends, in whatever
// way. The lock is on a file named .lock in the folder, which release removes.
// After a process that was killed the file stays; it is not locked then, and the
// next call takes it over. Where the system or the file system has no locks,
// nothing is locked.
func Lock(dir string) (release func() error, err error) {
	return lock(filepath.Join(dir, name), dir)
}

// LockFile locks a file, as Lock does, by one beside it with the suffix ".lock".
func LockFile(path string) (release func() error, err error) {
	return lock(path+name, path)
}

// lock locks the file at path; what is locked by that is named in errors.
func lock(path, what string) (release func() error, err error) {
	for {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is not a regular file; remove it", path)
		}
		f := flock.New(path)
		locked, err := f.TryLock()
		var open *fs.PathError
		switch {
		case err == nil && !locked:
			return nil, &fs.PathError{Op: "lock", Path: what, Err: ErrBusy}
		case errors.As(err, &open) && !errors.Is(err, errors.ErrUnsupported):
			return nil, err
		case err != nil:
			return func() error { return nil }, nil
		}
		got, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Unlock())
		}
		if at, err := os.Lstat(path); err == nil && os.SameFile(got, at) {
			return func() error { return remove(f) }, nil
		}
		// Its last owner has removed the file between the opening and the locking.
		if err := f.Unlock(); err != nil {
			return nil, err
		}
	}
}

// remove unlocks the file and removes it. It stays where it cannot be removed,
// which does no harm.
func remove(f *flock.Flock) error {
	if runtime.GOOS != "windows" {
		// While it is locked: afterwards it may be another's.
		os.Remove(f.Path())
		return f.Unlock()
	}
	// Windows removes no open file, neither one's own nor another's.
	err := f.Unlock()
	os.Remove(f.Path())
	return err
}
