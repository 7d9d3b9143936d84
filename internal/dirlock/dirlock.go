// Package dirlock lets one process at a time work in a folder.
package dirlock

import (
	"errors"
	"io/fs"
	"os"
)

// ErrBusy is what an error wraps where another process has the folder.
var ErrBusy = errors.New("another process works in this folder")

// Lock takes a folder until release is called or the process ends, in whatever
// way. It leaves nothing in the folder. Where the system, or the kind of file
// system, has no such locks, nothing is locked.
func Lock(dir string) (release func() error, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, &fs.PathError{Op: "lock", Path: dir, Err: err}
	}
	return f.Close, nil
}
