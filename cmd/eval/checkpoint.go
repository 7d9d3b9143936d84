package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"marsgym/internal/atomicfile"
	"marsgym/internal/cli"
	"marsgym/internal/cluster/registry"
	"marsgym/internal/jobs"
)

func (s *session) openCheckpoint() (*jobs.Checkpoint, error) {
	identity, err := programIdentity()
	if err != nil {
		return nil, err
	}
	by := s.executor
	if by == nil {
		by = jobs.Encoded{Kinds: registry.All()}
	}
	c, err := jobs.OpenCheckpoint(s.checkpoint, identity, by, func(line string) { fmt.Fprintln(s.bar, s.Name()+": "+line) })
	if errors.Is(err, jobs.ErrOtherProgram) {
		err = &cli.UsageError{Err: err}
	}
	if err != nil {
		return nil, fmt.Errorf("-checkpoint: %w", err)
	}
	return c, nil
}

// programIdentity identifies the file of this program and the arithmetic of this machine,
// which decide every bit of a result.
var programIdentity = sync.OnceValues(func() (string, error) {
	fingerprint, err := registry.Fingerprint()
	if err != nil {
		return "", err
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := atomicfile.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("program %.12x, arithmetic %.12v", h.Sum(nil), fingerprint), nil
})
