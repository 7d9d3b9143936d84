//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package dirlock_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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
