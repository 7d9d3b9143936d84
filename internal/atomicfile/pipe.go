package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// pipePatience is the longest time that the writer of a pipe may take. Chosen: people do not wait
// longer for a settings file.
const pipePatience = time.Minute

// ReadOnce is [ReadFile] also for a pipe, such as that of <(COMMAND) in a shell, which nobody can
// read again.
func ReadOnce(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return ReadFile(path, limit)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0) // a pipe without a writer is empty
	if err != nil {
		return nil, err
	}
	defer f.Close()
	f.SetReadDeadline(time.Now().Add(pipePatience)) // where that is possible
	b, err := Read(f, limit)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, fmt.Errorf("%s: the pipe has no end after %v; write a file instead", path, pipePatience)
	}
	return b, err
}
