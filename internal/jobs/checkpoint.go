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
// there is not computed again. After the process is killed the file holds all results but,
// perhaps, the last.
//
//	the format and the identity of the program, a line
//	for each result:
//	  its length n [4 bytes], the job's digest [32], CRC-32 of these [4]
//	  Bytes and Times [n], CRC-32 of these [4]
type Checkpoint struct {
	executor Executor
	unlock   func() error

	mu    sync.Mutex
	asked int // tasks so far
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

// ErrNotKept is wrapped by the error of [Checkpoint.Do] where a result cannot be written. The
// results before it are in the file.
var ErrNotKept = errors.New("a result cannot be kept")

const (
	checkpointFormat = "marsgym results of jobs, format 1: "
	maxResult        = 1 << 30 // bytes
	headLength       = 4 + len(Digest{}) + 4
)

// OpenCheckpoint opens a file of results, or makes it. The identity is that of all programs
// that find the same bits. Other jobs are computed by an executor that uses what
// [Task.Receive] gets, such as [Encoded]. Log is called about results that are damaged.
func OpenCheckpoint(path, identity string, executor Executor, log func(string)) (_ *Checkpoint, err error) {
	c := &Checkpoint{executor: executor, known: map[Digest]span{}}
	if c.unlock, err = dirlock.LockFile(path); errors.Is(err, dirlock.ErrBusy) {
		return nil, fmt.Errorf("%w; wait until that ends, or name another file", err)
	} else if err != nil {
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
	if err := c.read(identity, log); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// read finds the results in the file. It writes the first line of an empty file, passes over
// damaged results, and cuts off one that is not complete.
func (c *Checkpoint) read(identity string, log func(string)) error {
	want := checkpointFormat + identity + "\n"
	in := bufio.NewReaderSize(c.file, 2*len(want))
	line, err := in.ReadSlice('\n')
	got := string(line)
	switch {
	case err == io.EOF && len(got) < len(want) && want[:len(got)] == got: // empty, or killed in this line
		c.end = int64(len(want))
		_, err := c.file.WriteAt([]byte(want), 0)
		return err
	case err != nil && err != io.EOF && err != bufio.ErrBufferFull:
		return err
	case len(got) < len(checkpointFormat) || got[:len(checkpointFormat)] != checkpointFormat:
		return errors.New("not a file of results; name another file")
	case got != want:
		return fmt.Errorf("%w; name another file", ErrOtherProgram)
	}
	c.end = int64(len(want))
	damaged := 0
	for {
		d, length, intact, err := next(in)
		switch {
		case err == io.EOF:
			if damaged > 0 {
				log(fmt.Sprintf("%d results in %s are damaged, and are computed again", damaged, filepath.Base(c.file.Name())))
			}
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			log(fmt.Sprintf("the last result in %s is not complete, and is computed again", filepath.Base(c.file.Name())))
			return c.file.Truncate(c.end)
		case err != nil:
			return fmt.Errorf("at byte %d: %w; nothing was changed; name another file", c.end, err)
		case intact:
			c.known[d] = span{c.end + int64(headLength), length}
		default:
			damaged++
		}
		c.end += int64(headLength) + int64(length) + 4
	}
}

// next reads a result: its job, its length, and whether its checksum is right. The error is
// io.EOF after the last result, and io.ErrUnexpectedEOF in the middle of it.
func next(in io.Reader) (d Digest, length int, intact bool, err error) {
	head := make([]byte, headLength)
	if _, err := io.ReadFull(in, head); err != nil {
		return d, 0, false, err
	}
	n, sum := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[headLength-4:])
	if sum != crc32.ChecksumIEEE(head[:headLength-4]) || n > maxResult {
		return d, 0, false, errors.New("damaged")
	}
	body := crc32.NewIEEE()
	var tail [4]byte
	if _, err = io.CopyN(body, in, int64(n)); err == nil {
		_, err = io.ReadFull(in, tail[:])
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return Digest(head[4:]), int(n), binary.LittleEndian.Uint32(tail[:]) == body.Sum32(), err
}

// Len returns the number of results in the file.
func (c *Checkpoint) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.known)
}

// Asked returns the number of tasks that Do has been called with.
func (c *Checkpoint) Asked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
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
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.mu.Lock()
	c.asked += len(tasks)
	c.mu.Unlock()
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
			left = append(left, &kept{t, c, d, cancel})
		} else if err := t.Receive(r); err != nil {
			return err
		}
	}
	err := c.executor.Do(ctx, left)
	if cause := context.Cause(ctx); cause != nil && (err == nil || errors.Is(err, context.Canceled)) {
		err = cause
	}
	return err
}

// kept is a task whose result is kept.
type kept struct {
	Task
	in     *Checkpoint
	job    Digest
	failed context.CancelCauseFunc
}

// Receive implements [Task]. That the file cannot be written is no fault of the result, and
// ends all tasks.
func (k *kept) Receive(r Result) error {
	err := k.Task.Receive(r)
	if err == nil {
		if err := k.in.keep(k.job, r); err != nil {
			k.failed(fmt.Errorf("%w: %w", ErrNotKept, err))
		}
	}
	return err
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
	b := append(binary.LittleEndian.AppendUint32(nil, uint32(len(body))), d[:]...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = binary.LittleEndian.AppendUint32(append(b, body...), crc32.ChecksumIEEE(body))
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.known[d]; ok {
		return nil
	}
	if _, err := c.file.WriteAt(b, c.end); err != nil {
		return errors.Join(err, c.file.Truncate(c.end)) // a shorter result may follow
	}
	c.known[d] = span{c.end + int64(headLength), len(body)}
	c.end += int64(len(b))
	return nil
}
