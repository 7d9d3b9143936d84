package env_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"marsgym/env"
)

// TestSolveInWithoutRoom solves where the system lets a process write less than
// the solution, as on a full disk. The limit holds for the whole process, so a
// child does it.
func TestSolveInWithoutRoom(t *testing.T) {
	const key = "ENV_TEST_DIR"
	g := reduced(t, 8)
	if dir := os.Getenv(key); dir != "" {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}); err != nil {
			t.Fatal(err)
		}
		var warnings []error
		s, err := g.SolveIn(t.Context(), dir, nil, func(err error) { warnings = append(warnings, err) })
		if err != nil {
			t.Fatal(err)
		}
		if v, err := s.Value(g.Initial()); err != nil || len(v) != 3 {
			t.Errorf("the value is %v, %v", v, err)
		}
		if len(warnings) != 1 || !errors.Is(warnings[0], env.ErrNotKept) || !errors.Is(warnings[0], syscall.EFBIG) {
			t.Errorf("warnings %v; want EFBIG", warnings)
		}
		return
	}
	dir := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestSolveInWithoutRoom$")
	child.Env = append(os.Environ(), key+"="+dir)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}
