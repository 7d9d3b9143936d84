package clitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Copied returns the arguments of the commands cmd/name in the output of a command: those that
// the program gets if a person copies the rest of the line into a shell.
func Copied(t *testing.T, name, output string) (calls [][]string) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here:", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!"+sh+"\nprintf '%s\\0' \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	begin := "go run ./cmd/" + name + " "
	for line := range strings.Lines(output) {
		at := strings.Index(line, begin)
		if at < 0 {
			continue
		}
		c := exec.Command(sh, "-c", line[at:])
		c.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line[at:], err, out)
		}
		calls = append(calls, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")[2:])
	}
	return calls
}
