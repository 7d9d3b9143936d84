package atomicfile_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"marsgym/internal/atomicfile"
)

// TestWriteWithoutRoom writes more than the system allows the process, as on a full disk.
// The limit is for a whole process, so a child process does it.
func TestWriteWithoutRoom(t *testing.T) {
	const key = "ATOMICFILE_TEST_PATH"
	if path := os.Getenv(key); path != "" {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}); err != nil {
			t.Fatal(err)
		}
		if err := atomicfile.Write(path, text(strings.Repeat("new", 4096))); !errors.Is(err, syscall.EFBIG) {
			t.Errorf("error %v: want EFBIG", err)
		}
		return
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := atomicfile.Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestWriteWithoutRoom$")
	child.Env = append(os.Environ(), key+"="+path)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	holds(t, dir, "f", "old")
}
