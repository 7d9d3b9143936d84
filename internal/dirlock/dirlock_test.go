//go:build unix || windows

package dirlock_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"marsgym/internal/dirlock"
)

// TestMain lets the test be the other process, which holds a folder for good.
func TestMain(m *testing.M) {
	if dir := os.Getenv("HOLD"); dir != "" {
		release, err := dirlock.Lock(dir)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("held")
		time.Sleep(time.Hour)
		release()
	}
	os.Exit(m.Run())
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // a lock given back can be taken again
		release, err := dirlock.Lock(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := dirlock.Lock(dir); !errors.Is(err, dirlock.ErrBusy) {
			t.Errorf("a second lock: %v; want %v", err, dirlock.ErrBusy)
		}
		if err := release(); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := dirlock.Lock(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestLockRemoves locks from many goroutines at once, while each removes the file
// that others are opening. One at a time may hold the folder.
func TestLockRemoves(t *testing.T) {
	dir := t.TempDir()
	var holders, locks atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 500 {
				release, err := dirlock.Lock(dir)
				if errors.Is(err, dirlock.ErrBusy) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d hold the folder", n)
				}
				runtime.Gosched()
				holders.Add(-1)
				locks.Add(1)
				if err := release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if locks.Load() == 0 {
		t.Error("nobody has held the folder")
	}
}

// TestLockOfNoFile: a link is not followed, and a folder is not locked in place of
// the file.
func TestLockOfNoFile(t *testing.T) {
	for kind, put := range map[string]func(path string) error{
		"link":   func(path string) error { return os.Symlink("other", path) },
		"folder": func(path string) error { return os.Mkdir(path, 0o777) },
	} {
		dir := t.TempDir()
		if err := put(filepath.Join(dir, ".lock")); err != nil {
			t.Skipf("%s: %v", kind, err)
		}
		if _, err := dirlock.Lock(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", kind, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "other")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the file that it points to: %v", kind, err)
		}
	}
}

// TestLockKilled: a process that is killed no longer holds its folder.
func TestLockKilled(t *testing.T) {
	dir := t.TempDir()
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), "HOLD="+dir)
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Errorf("the other process says %q, %v", line, err)
	}
	if _, err := dirlock.Lock(dir); !errors.Is(err, dirlock.ErrBusy) {
		t.Errorf("while the other process holds it: %v", err)
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	other.Wait() // which says that it was killed
	release, err := dirlock.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
}
