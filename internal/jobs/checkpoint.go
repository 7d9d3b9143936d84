package jobs

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"marsgym/internal/dirlock"
)

// Checkpoint is an executor that keeps the results of jobs in a file. A job whose result is
// there is not computed again. After a crash the file holds all results but, perhaps, the
// last.
//
//	the format and the identity of the program, a line
//	for each result: its length n [4 bytes], the job's digest [32], Bytes and Times [n], CRC-32 of all that [4]
type Checkpoint struct {
	executor Executor
	unlock   func() error

	mu    sync.Mutex
	file  *os.File
	end   int64 // of the last result
	known map[Digest]span
}

// span is where a result is in the file.
type span struct {
	at     int64
	length int
}

// ErrOtherProgram is wrapped by the error of [OpenCheckpoint] if the results in the file
// are those of another program.
var ErrOtherProgram = errors.New("the results are those of another build, or of another kind of machine")

const (
	checkpointFormat = "marsgym results of jobs, format 1: "
	maxResult        = 1 << 30 // bytes
	headLength       = 4 + len(Digest{})
)

// OpenCheckpoint opens a file of results, or makes it. The identity is that of all programs
// that find the same bits. Other jobs are computed by an executor that uses what
// [Task.Receive] gets, such as [Encoded]. Log is called if the end of the file is damaged.
func OpenCheckpoint(path, identity string, executor Executor, log func(string)) (_ *Checkpoint, err error) {
	c := &Checkpoint{executor: executor, known: map[Digest]span{}}
	if c.unlock, err = dirlock.LockFile(path); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	if c.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, err
	}
	if err := c.read(identity); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	info, err := c.file.Stat()
	if err == nil && info.Size() > c.end {
		log(fmt.Sprintf("%s: the last %d bytes are no complete result, and are computed again", filepath.Base(path), info.Size()-c.end))
		err = c.file.Truncate(c.end)
	}
	return c, err
}

// read finds the results in the file, up to the first that is damaged. It writes the first
// line of an empty file.
func (c *Checkpoint) read(identity string) error {
	want := checkpointFormat + identity + "\n"
	in := bufio.NewReader(c.file)
	got, err := in.ReadString('\n')
	switch {
	case err == io.EOF && len(got) < len(want) && want[:len(got)] == got: // empty, or killed in this line
		c.end = int64(len(want))
		_, err := c.file.WriteAt([]byte(want), 0)
		return err
	case err != nil && err != io.EOF:
		return err
	case len(got) < len(checkpointFormat) || got[:len(checkpointFormat)] != checkpointFormat:
		return errors.New("not a file of results; name another file")
	case got != want:
		return fmt.Errorf("%w; name another file", ErrOtherProgram)
	}
	c.end = int64(len(want))
	for {
		head := make([]byte, headLength)
		if _, err := io.ReadFull(in, head); err != nil {
			return nil
		}
		n := binary.LittleEndian.Uint32(head)
		if n > maxResult {
			return nil
		}
		sum := crc32.NewIEEE()
		sum.Write(head)
		if copied, err := io.CopyN(sum, in, int64(n)); err != nil || copied < int64(n) {
			return nil
		}
		var tail [4]byte
		if _, err := io.ReadFull(in, tail[:]); err != nil || binary.LittleEndian.Uint32(tail[:]) != sum.Sum32() {
			return nil
		}
		c.known[Digest(head[4:])] = span{c.end + int64(headLength), int(n)}
		c.end += int64(headLength) + int64(n) + 4
	}
}

// Len returns the number of results in the file.
func (c *Checkpoint) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.known)
}

// Close closes the file.
func (c *Checkpoint) Close() error {
	var err error
	if c.file != nil {
		err = c.file.Close()
	}
	return errors.Join(err, c.unlock())
}

// Do implements [Executor].
func (c *Checkpoint) Do(ctx context.Context, tasks []Task) error {
	var left []Task
	for _, t := range tasks {
		j, err := t.Job()
		if err != nil {
			return err
		}
		d := j.Digest()
		r, ok, err := c.find(d)
		if err != nil {
			return err
		}
		if !ok {
			left = append(left, &kept{t, c, d})
		} else if err := t.Receive(r); err != nil {
			return err
		}
	}
	return c.executor.Do(ctx, left)
}

// kept is a task whose result is kept.
type kept struct {
	Task
	in  *Checkpoint
	job Digest
}

// Receive implements [Task].
func (k *kept) Receive(r Result) error {
	if err := k.Task.Receive(r); err != nil {
		return err
	}
	return k.in.keep(k.job, r)
}

// find returns the result of a job, if the file has it.
func (c *Checkpoint) find(d Digest) (Result, bool, error) {
	c.mu.Lock()
	s, ok := c.known[d]
	c.mu.Unlock()
	if !ok {
		return Result{}, false, nil
	}
	both := make([]byte, s.length)
	if _, err := c.file.ReadAt(both, s.at); err != nil {
		return Result{}, false, err
	}
	first, times, err := CutSlice[byte](both)
	if err != nil {
		return Result{}, false, err
	}
	if len(times) == 0 {
		times = nil
	}
	return Result{Bytes: first, Times: times}, true, nil
}

// keep appends a result to the file.
func (c *Checkpoint) keep(d Digest, r Result) error {
	body := append(AppendSlice(nil, r.Bytes), r.Times...)
	if len(body) > maxResult {
		return nil // it is computed again
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(body)))
	b = append(append(b, d[:]...), body...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.known[d]; ok {
		return nil
	}
	if _, err := c.file.WriteAt(b, c.end); err != nil {
		return err
	}
	c.known[d] = span{c.end + int64(headLength), len(body)}
	c.end += int64(len(b))
	return nil
}
