package cluster_test

import (
	"errors"
	"io/fs"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"

	"marsgym/internal/cluster"
	"marsgym/internal/jobs"
)

// build describes a program.
type build struct {
	main    debug.Module
	deps    []*debug.Module
	tags    string
	sources map[string]fs.FS
}

func (b build) identity() (string, error) {
	info := &debug.BuildInfo{Main: b.main, Deps: b.deps, Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "7e00382"}}}
	if b.tags != "" {
		info.Settings = append(info.Settings, debug.BuildSetting{Key: "-tags", Value: b.tags})
	}
	return cluster.Identity(info, b.sources, jobs.Digest{})
}

// example returns a program of a module, which uses another one.
func example() build {
	return build{
		main: debug.Module{Path: "a", Version: "(devel)"},
		deps: []*debug.Module{{Path: "b", Version: "v1.2.0", Sum: "h1:b"}},
		sources: map[string]fs.FS{"a": fstest.MapFS{
			"search/tree.go": {Data: []byte("const few = 4")},
			"go.sum":         {Data: []byte("b v1.2.0 h1:b\nb v1.2.0/go.mod h1:m\nserver v1.0.0 h1:s\n")},
		}},
	}
}

// file replaces a file of the sources of a module.
func (b build) file(module, name, text string) {
	files, ok := b.sources[module].(fstest.MapFS)
	if !ok {
		files = fstest.MapFS{}
		b.sources[module] = files
	}
	files[name] = &fstest.MapFile{Data: []byte(text)}
}

// TestIdentity compares the identities of two programs.
func TestIdentity(t *testing.T) {
	folder := func(b *build) {
		b.deps = append(b.deps, &debug.Module{Path: "game", Version: "v0.0.0", Replace: &debug.Module{Path: "../game", Version: "(devel)"}})
	}
	tests := []struct {
		name   string
		change func(*build)
		same   bool
	}{
		{"nothing", func(*build) {}, true},
		{"a tag that chooses kernels", func(b *build) { b.tags = "purego" }, true},
		{"a module that the other program does not link", func(b *build) {
			b.deps = append(b.deps, &debug.Module{Path: "server", Version: "v1.0.0", Sum: "h1:s"})
		}, true},
		{"tests and documents", func(b *build) {
			b.file("a", "search/tree_test.go", "x")
			b.file("a", "search/testdata/x.json", "x")
			b.file("a", "search/README.md", "x")
		}, true},
		{"the version of the module itself", func(b *build) { b.main.Version, b.main.Sum = "v0.2.0", "h1:a" }, true},

		{"a constant", func(b *build) { b.file("a", "search/tree.go", "const few = 5") }, false},
		{"the name of a file", func(b *build) {
			b.file("a", "search/tree.go", "")
			b.file("a", "search/trees.go", "const few = 4")
		}, false},
		{"another tag", func(b *build) { b.tags = "purego,fast" }, false},
		{"a version of a module that go.sum does not name", func(b *build) { b.deps[0] = &debug.Module{Path: "b", Version: "v1.3.0", Sum: "h1:3"} }, false},
		{"another module in its place", func(b *build) {
			b.deps[0].Replace = &debug.Module{Path: "fork", Version: "v1.0.0", Sum: "h1:f"}
		}, false},
		{"a version of a module of which go.sum has two", func(b *build) {
			b.file("a", "go.sum", "b v1.2.0 h1:b\nb v1.3.0 h1:3\n")
			b.deps[0] = &debug.Module{Path: "b", Version: "v1.3.0", Sum: "h1:3"}
		}, false},
		{"a game in a folder", func(b *build) {
			folder(b)
			b.file("game", "rules.go", "const points = 20")
		}, false},
	}
	want, err := example().identity()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		b := example()
		tt.change(&b)
		if got, err := b.identity(); err != nil || (got == want) != tt.same {
			t.Errorf("%s: %s, error %v; the other is %s", tt.name, got, err, want)
		}
	}

	game := func(rules string) (string, error) {
		b := example()
		folder(&b)
		b.file("game", "rules.go", rules)
		return b.identity()
	}
	a, err := game("const points = 20")
	b, err2 := game("const points = 21")
	if err := errors.Join(err, err2); err != nil || a == b {
		t.Errorf("a game in a folder: %s and, with another constant, %s, error %v", a, b, err)
	}
}

// TestUnnamed has programs with modules whose code nothing names.
func TestUnnamed(t *testing.T) {
	for want, change := range map[string]func(*build){
		"module game comes from ../game": func(b *build) {
			b.deps = append(b.deps, &debug.Module{Path: "game", Version: "v0.0.0", Replace: &debug.Module{Path: "../game"}})
		},
		"module b comes from a vendor folder": func(b *build) { b.deps[0].Sum = "" },
		"module a comes from":                 func(b *build) { delete(b.sources, "a") },
	} {
		b := example()
		change(&b)
		if id, err := b.identity(); !errors.Is(err, cluster.ErrUnnamed) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s, error %v; want %q", id, err, want)
		}
	}
}
