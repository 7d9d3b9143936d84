// Package atomicfile writes files whole or not at all, and opens those of a
// folder without following links.
package atomicfile

import (
	"errors"
	"io"
	"path/filepath"
)

// Write gives the file at path the content that write writes, with the
// permissions of a new file; a link there is replaced. After a crash or an error
// the path holds either that or what was there before: the content goes to a
// temporary file in the same folder, which is synced and then takes the name. An
// error removes the temporary file. The writer that write is given is not
// buffered.
func Write(path string, write func(io.Writer) error) error {
	d, err := OpenDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Write(filepath.Base(path), write)
}

// Probe returns the error that Write would return at once, without writing the
// file.
func Probe(path string) error {
	d, err := OpenDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	temp := temporaryName(filepath.Base(path))
	f, err := d.begin(temp)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), d.Remove(temp))
}

// Clean removes what writers of the file at path have left behind, once they can
// be taken to be dead. What cannot be removed does no harm, and stays.
func Clean(path string) {
	if d, err := OpenDir(filepath.Dir(path)); err == nil {
		d.Clean(filepath.Base(path), dead)
		d.Close()
	}
}
