package record_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAppendWithoutRoom appends more games than the system allows the process, as on a full
// disk. The limit is for a whole process, so a child process does it.
func TestAppendWithoutRoom(t *testing.T) {
	const key = "RECORD_TEST_PATH"
	text := sample(t)
	if path := os.Getenv(key); path != "" {
		signal.Ignore(syscall.SIGXFSZ)
		limit := uint64(len(text) + len(text)/2)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			t.Fatal(err)
		}
		games, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		if err := games[0].Append(f); err != nil {
			t.Fatal(err)
		}
		if err := games[0].Append(f); !errors.Is(err, syscall.EFBIG) {
			t.Errorf("error %v: want EFBIG", err)
		}
		return
	}
	path := filepath.Join(t.TempDir(), "a.games")
	child := exec.Command(os.Args[0], "-test.run=^TestAppendWithoutRoom$")
	child.Env = append(os.Environ(), key+"="+path)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Errorf("the file holds %q, %v; want the first game alone", got, err)
	}
}
