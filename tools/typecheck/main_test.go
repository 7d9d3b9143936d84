package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestCheck: faults of one platform are found there alone, in packages and in tests.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module m\n\ngo 1.26\n",
		"m.go":         "package m\n\nimport _ \"os\"\n",
		"m_windows.go": "package m\n\nvar number int = \"text\"\n",
		"m_test.go":    "package m\n\nimport \"syscall\"\n\nvar _ = syscall.SIGWINCH\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for platform, want := range map[string][]string{
		"linux":   nil,
		"windows": {`m_windows.go:3:18: cannot use "text"`, "m_test.go:5:17: undefined: syscall.SIGWINCH"},
	} {
		err := check(&packages.Config{Dir: dir, Env: append(os.Environ(), "GOOS="+platform, "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOWORK=off")}, "./...")
		if (err == nil) != (want == nil) {
			t.Errorf("%s: %v", platform, err)
		}
		for _, fault := range want {
			if err == nil || !strings.Contains(err.Error(), fault) {
				t.Errorf("%s: %v; want %s", platform, err, fault)
			}
		}
	}
}
