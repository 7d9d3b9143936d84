package atomicfile

import (
	"fmt"
	"io"
	"os"
)

// Append opens a file to append to, cut back to the size that it had before;
// what was written after that is lost. Size 0 begins a new file, which must not
// exist.
func Append(path string, size int64) (*os.File, error) {
	flag := os.O_WRONLY
	if size == 0 {
		flag |= os.O_CREATE | os.O_EXCL
	}
	f, err := os.OpenFile(path, flag, 0o666)
	if err != nil {
		return nil, err
	}
	if err := cut(f, size); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
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
