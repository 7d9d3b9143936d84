// Package dirlock lets one at a time work in a folder.
package dirlock

import (
	"errors"
	"io/fs"
	"os"
)

// ErrBusy is what an error wraps where somebody else has the folder, in this
// process or in another.
var ErrBusy = errors.New("somebody else works in this folder")

// Lock takes a folder until release is called or the process ends, in whatever
// way; release must be kept until then. It leaves nothing in the folder. Where
// the system, or the kind of file system, has no such locks, nothing is locked.
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
