package jobs_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"marsgym/internal/dirlock"
	"marsgym/internal/jobs"
)

// double is a task that other processes can compute: it doubles a text.
type double struct {
	text          string
	result, times string
}

func (d *double) Run(context.Context) error { return errors.New("computed without a job") }
func (d *double) Job() (jobs.Job, error)    { return jobs.Job{Kind: "double", Args: []byte(d.text)}, nil }
func (d *double) Receive(r jobs.Result) error {
	d.result, d.times = string(r.Bytes), string(r.Times)
	return nil
}

// doubling computes the jobs, and counts them. It fails at the text "stop".
func doubling(count *atomic.Int64) jobs.Encoded {
	return jobs.Encoded{Kinds: map[string]jobs.Func{"double": func(_ context.Context, args []byte, _ []*jobs.Blob) (jobs.Result, error) {
		if string(args) == "stop" {
			return jobs.Result{}, errNegative
		}
		count.Add(1)
		return jobs.Result{Bytes: append(args, args...), Times: []byte("1 s")}, nil
	}}}
}

// doAll opens a checkpoint, computes the tasks of some texts, and closes it.
func doAll(t *testing.T, path string, texts []string, count *atomic.Int64) (logged string, err error) {
	t.Helper()
	c, err := jobs.OpenCheckpoint(path, "program 1", doubling(count), func(s string) { logged += s })
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	var tasks []jobs.Task
	for _, text := range texts {
		tasks = append(tasks, &double{text: text})
	}
	err = c.Do(t.Context(), tasks)
	for _, task := range tasks {
		if d := task.(*double); err == nil && (d.result != d.text+d.text || d.times != "1 s") {
			t.Errorf("%q: result %q, times %q", d.text, d.result, d.times)
		}
	}
	return logged, err
}

// TestCheckpoint stops in the middle, and cuts the file at each byte.
func TestCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results")
	texts := []string{"a", "", "bcd"}
	var count atomic.Int64
	if _, err := doAll(t, path, append(texts, "stop"), &count); !errors.Is(err, errNegative) {
		t.Fatalf("error %v; want that of the job", err)
	}
	count.Store(0)
	if _, err := doAll(t, path, texts, &count); err != nil {
		t.Fatal(err)
	}
	count.Store(0)
	if logged, err := doAll(t, path, texts, &count); err != nil || logged != "" || count.Load() != 0 {
		t.Errorf("%d jobs are computed again, %q, %v", count.Load(), logged, err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(whole, '\n') + 1 // of the first result
	var ends []int                            // of the results
	for at := first; at < len(whole); {
		at += 40 + int(binary.LittleEndian.Uint32(whole[at:])) + 4
		ends = append(ends, at)
	}
	for n := range whole {
		if err := os.WriteFile(path, whole[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		count.Store(0)
		logged, err := doAll(t, path, texts, &count)
		if err != nil || count.Load() == 0 {
			t.Errorf("cut to %d bytes: %d jobs are computed again, %v", n, count.Load(), err)
		}
		again, err := os.ReadFile(path)
		if err != nil || len(again) != len(whole) {
			t.Errorf("cut to %d bytes: the file has %d after that, %v; want %d", n, len(again), err, len(whole))
		}
		if said := logged != ""; said != (n > first && !slices.Contains(ends, n)) {
			t.Errorf("cut to %d bytes: it says %q", n, logged)
		}
	}
	for n := first; n < len(whole); n++ { // a changed bit in any result, or in its head
		damaged := slices.Clone(whole)
		damaged[n] ^= 4
		if err := os.WriteFile(path, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := jobs.OpenCheckpoint(path, "program 1", doubling(&count), func(string) {})
		if err == nil {
			c.Close()
		}
		now, readErr := os.ReadFile(path)
		if readErr != nil || !bytes.Equal(now, damaged) {
			t.Errorf("byte %d is damaged: opening changes the file, %v", n, readErr)
		}
		if err != nil {
			continue // the head of a result
		}
		count.Store(0)
		if logged, err := doAll(t, path, texts, &count); err != nil || count.Load() != 1 || logged == "" {
			t.Errorf("byte %d is damaged: %d jobs are computed again, %q, %v", n, count.Load(), logged, err)
		}
	}
}

// TestCheckpointFull ends all tasks when the file cannot be written.
func TestCheckpointFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results")
	var count atomic.Int64
	c, err := jobs.OpenCheckpoint(path, "program 1", doubling(&count), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil { // what is written afterwards fails
		t.Fatal(err)
	}
	d := &double{text: "a"}
	if err := c.Do(t.Context(), []jobs.Task{d}); !errors.Is(err, os.ErrClosed) || d.result != "aa" {
		t.Errorf("error %v, result %q; want that of the file, and the result", err, d.result)
	}
}

func TestCheckpointRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "results")
	open := func(path, identity string) (*jobs.Checkpoint, error) {
		return jobs.OpenCheckpoint(path, identity, jobs.Local{}, func(s string) { t.Error(s) })
	}
	c, err := open(path, "program 1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(path, "program 1"); !errors.Is(err, dirlock.ErrBusy) {
		t.Errorf("opened twice: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"program 2", "program 10", "program"} {
		if _, err := open(path, other); !errors.Is(err, jobs.ErrOtherProgram) {
			t.Errorf("%s: %v", other, err)
		}
	}
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("something else\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		text: "not a file of results; name another file", dir: "not a regular file", filepath.Join(dir, "missing", "results"): "no such file or directory",
	} {
		if _, err := open(path, "program 1"); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", path, err, want)
		}
	}
	const size = 64 << 20 // without a line break
	if err := os.WriteFile(text, []byte("something else"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(text, size); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = open(text, "program 1")
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; err == nil || !strings.Contains(err.Error(), "not a file of results; name another file") || used > size/16 {
		t.Errorf("a file without a line break: %v after %d bytes of memory", err, used)
	}
	if b, err := os.ReadFile(text); err != nil || !strings.HasPrefix(string(b), "something") {
		t.Errorf("a file that is none of results is now %q, %v", b, err)
	}
}
