// Package atomicfile writes files atomically and opens files for reading. All files that this
// module reads are opened here. Only [ReadOnce] opens files that are not regular.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ErrTooLarge is wrapped by the error for a file above the size limit.
var ErrTooLarge = errors.New("the file is too large")

// ReadFile returns the content of a regular file of at most limit bytes.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, limit)
}

// Read is [ReadFile] for an open file.
func Read(f *os.File, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("%s: %w; want at most %d bytes", f.Name(), ErrTooLarge, limit)
	}
	return b, nil
}

// Write replaces the file at path by a new one, with the permissions of a new file and
// the content that write writes. A link at path is replaced, not followed. After a crash or an error path holds either
// the new content or the old one: the content is written to a temporary file in the
// same directory, which is synced and then renamed. After an error the temporary file
// is removed. The writer is not buffered.
func Write(path string, write func(io.Writer) error) error {
	d, err := OpenDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Write(filepath.Base(path), write)
}

// Create is [Write] for a file that must not exist: else it changes nothing and returns an error that
// wraps [io/fs.ErrExist], also if the file appears while it writes.
func Create(path string, write func(io.Writer) error) error {
	d, err := OpenDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Create(filepath.Base(path), write)
}

// WriteBytes is [Write] for content in memory.
func WriteBytes(path string, b []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// Probe returns the error that Write would return before it writes anything, such as a
// missing directory or permission.
func Probe(path string) error {
	d, err := OpenDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	temp := temporaryName(filepath.Base(path))
	f, err := d.create(temp)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), d.Remove(temp))
}

// Clean removes the temporary files of killed writers of the file at path that have not
// been written to for an hour. Files that cannot be removed are harmless and remain.
func Clean(path string) {
	if d, err := OpenDir(filepath.Dir(path)); err == nil {
		d.Clean(filepath.Base(path), abandoned)
		d.Close()
	}
}
