// In package registry, whose list of sources is not exported.
package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"marsgym/internal/cluster"
	"marsgym/internal/jobs"
)

// TestSources: every file that jobs are built from is among the sources, and decides the
// identity.
func TestSources(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Module,GoFiles,CgoFiles,SFiles,HFiles,CFiles,EmbedFiles", ".")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	identity := func(module, file string, text []byte) string {
		t.Helper()
		id, err := cluster.Identity(&debug.BuildInfo{Main: debug.Module{Path: module}}, map[string]fs.FS{module: fstest.MapFS{file: {Data: text}}}, jobs.Digest{})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	count := 0
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath                                            string
			Module                                                *struct{ Path string }
			GoFiles, CgoFiles, SFiles, HFiles, CFiles, EmbedFiles []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		// The package of the sources computes nothing, and cannot hold itself.
		if p.Module == nil || sources[p.Module.Path] == nil || p.ImportPath == p.Module.Path {
			continue
		}
		dir := strings.TrimPrefix(p.ImportPath, p.Module.Path+"/")
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.SFiles, p.HFiles, p.CFiles, p.EmbedFiles) {
			file := path.Join(dir, name)
			text, err := fs.ReadFile(sources[p.Module.Path], file)
			if err != nil {
				t.Errorf("%v: jobs use the file, so sources.go names its folder", err)
				continue
			}
			if own, err := os.ReadFile(filepath.Join("../../..", file)); err != nil || !bytes.Equal(own, text) {
				t.Errorf("%s is another file, error %v", file, err)
			}
			if identity(p.Module.Path, file, nil) == identity(p.Module.Path, file, []byte("x")) {
				t.Errorf("jobs use %s, which does not change the identity", file)
			}
			count++
		}
	}
	if count < 100 {
		t.Errorf("jobs use %d files; want more", count)
	}
}

// TestIdentity: this program has an identity.
func TestIdentity(t *testing.T) {
	for mixed, want := range map[bool]string{false: "code ", true: cluster.Mixed} {
		if id, err := Identity(mixed); err != nil || !strings.HasPrefix(id, want) {
			t.Errorf("%q, error %v; want %q", id, err, want)
		}
	}
}

// BenchmarkIdentity computes the identity, as a process does once.
func BenchmarkIdentity(b *testing.B) {
	for b.Loop() {
		if _, err := Identity(false); err != nil {
			b.Fatal(err)
		}
	}
}
