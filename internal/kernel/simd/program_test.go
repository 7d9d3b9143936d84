package simd_test

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// function is a function of a built program.
type function struct {
	name string
	code []byte
}

// build builds a program for Linux on an architecture, by a command of go and its package, and returns
// the functions of the program.
func build(t *testing.T, arch string, command ...string) []function {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command("go", slices.Insert(command, len(command)-1, "-o", file)...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	found, err := functions(file)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func functions(file string) ([]function, error) {
	f, err := elf.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	section := f.Section(".text")
	text, err := section.Data()
	if err != nil {
		return nil, err
	}
	var found []function
	for _, s := range symbols {
		if from := s.Value - section.Addr; elf.ST_TYPE(s.Info) == elf.STT_FUNC && from+s.Size <= uint64(len(text)) {
			found = append(found, function{s.Name, text[from:][:s.Size]})
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%s has no functions", file)
	}
	return found, nil
}

// kernels returns the functions of a program whose assembly stands in these files.
func kernels(t *testing.T, program []function, files ...string) (found []function) {
	t.Helper()
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			name, _, ok := strings.Cut(strings.TrimPrefix(string(line), "TEXT ·"), "(SB)")
			if !ok || !bytes.HasPrefix(line, []byte("TEXT ·")) {
				continue
			}
			symbol := "marsgym/internal/kernel/" + filepath.Dir(file) + "." + name
			n := len(found)
			for _, f := range program {
				if strings.TrimSuffix(f.name, ".abi0") == symbol && (n == len(found) || strings.HasSuffix(f.name, ".abi0")) {
					found = append(found[:n], function{name, f.code})
				}
			}
			if n == len(found) {
				t.Errorf("the program lacks %s", symbol)
			}
		}
	}
	return found
}
