package env_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"marsgym/env"
)

// A folder in which not even root can create a file, and a broken link instead of a
// folder.
func TestSolveCachedUnwritable(t *testing.T) {
	g := reduced(t, 4)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"/proc/self", link} {
		var warnings []error
		_, err := g.SolveCached(t.Context(), dir, func(float64) {
			if len(warnings) == 0 {
				t.Fatalf("%s: the solver starts without a warning", dir)
			}
		}, func(err error) { warnings = append(warnings, err) })
		if err != nil || len(warnings) != 1 || !errors.Is(warnings[0], env.ErrNotCached) || !strings.Contains(warnings[0].Error(), dir) {
			t.Errorf("%s: %v, warnings %v", dir, err, warnings)
		}
	}
}

// A process that may write fewer bytes than the solution has, as on a full disk. The
// limit is one of the whole process, so a child process solves.
func TestSolveCachedFullDisk(t *testing.T) {
	const key = "ENV_TEST_DIR"
	g := reduced(t, 8)
	if dir := os.Getenv(key); dir != "" {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}); err != nil {
			t.Fatal(err)
		}
		var warnings []error
		s, err := g.SolveCached(t.Context(), dir, nil, func(err error) { warnings = append(warnings, err) })
		if err != nil {
			t.Fatal(err)
		}
		if v, err := s.Value(g.Initial()); err != nil || len(v) != 3 {
			t.Errorf("the value is %v, error %v", v, err)
		}
		if len(warnings) != 1 || !errors.Is(warnings[0], env.ErrNotCached) || !errors.Is(warnings[0], syscall.EFBIG) {
			t.Errorf("warnings %v; want EFBIG", warnings)
		}
		return
	}
	dir := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestSolveCachedFullDisk$")
	child.Env = append(os.Environ(), key+"="+dir)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the folder holds %v, error %v", left, err)
	}
}
