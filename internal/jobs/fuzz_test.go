package jobs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"marsgym/internal/jobs"
)

// FuzzOpenCheckpoint opens any file. It is refused and stays as it is, or the results are
// right, and all of them are in it afterwards.
func FuzzOpenCheckpoint(f *testing.F) {
	path := filepath.Join(f.TempDir(), "results")
	run := func(t testing.TB) (opened bool, computed int64, err error) {
		var count atomic.Int64
		c, err := jobs.OpenCheckpoint(path, "program 1", doubling(&count), func(string) {})
		if err != nil {
			return false, 0, err
		}
		defer c.Close()
		a, b := &double{text: "a"}, &double{text: "bc"}
		if err = c.Do(t.Context(), []jobs.Task{a, b}); err == nil && (a.result != "aa" || b.result != "bcbc") {
			t.Errorf("results %q and %q", a.result, b.result)
		}
		return true, count.Load(), err
	}
	if _, n, err := run(f); err != nil || n != 2 {
		f.Fatal(n, err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)-3])
	f.Add(append(bytes.Clone(whole), whole[bytes.IndexByte(whole, '\n')+1:]...))
	f.Add([]byte("marsgym results of jobs, format 1: program 2\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		opened, _, err := run(t)
		if !opened {
			if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, b) {
				t.Fatalf("the file is refused, and changed: %v", err)
			}
			return
		}
		if err != nil { // a result with a right checksum that is none
			return
		}
		if opened, n, err := run(t); !opened || n != 0 || err != nil {
			t.Fatalf("the second time %v, %d jobs computed, %v", opened, n, err)
		}
	})
}
