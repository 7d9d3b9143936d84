//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package models_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"marsgym/models"
)

// TestLoadPipe: Load refuses a named pipe without opening it, which would wait for a
// writer.
func TestLoadPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip(err)
	}
	if _, err := models.Load(path); !errors.Is(err, models.ErrFormat) {
		t.Errorf("a pipe: error %v: want ErrFormat", err)
	}
}
