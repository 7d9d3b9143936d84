// Package atomicfile writes files whole or not at all.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// Write gives the file at path the content that write writes, with the
// permissions of a new file. After a crash or an error the path holds either
// that or what was there before: the content goes to a temporary file in the
// same folder, which is synced and then takes the name. An error removes the
// temporary file. The writer that write is given is not buffered.
func Write(path string, write func(io.Writer) error) error {
	temp := path + "." + rand.Text()[:8] + ".tmp"
	err := create(temp, write)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		if rm := os.Remove(temp); !errors.Is(rm, os.ErrNotExist) {
			err = errors.Join(err, rm)
		}
		return err
	}
	return syncDir(filepath.Dir(path))
}

// create writes and syncs a new file.
func create(path string, write func(io.Writer) error) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
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

// syncDir makes a rename in the folder last.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
