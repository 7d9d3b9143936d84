package imports_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "marsgym"
	root   = "../../.."
)

// table lists which packages of this module each package may import. The row of a
// package is the first one that matches it: by name, by a pattern of [path.Match], or by
// the suffix "/..." for all packages below. imports also names rows, so "env/*" are the
// games without env/catalog. All packages except env/game may also import internal/kernel/simd,
// internal/input and internal/... .
var table = []struct {
	pkg     string
	imports []string
}{
	{".", nil}, // the sources of the module
	{"docs/games", nil},
	{"env/game/chart", nil},
	{"env/game/message", nil},
	{"env/game", []string{"env/game/chart", "env/game/message"}},
	{"env/game/picture", []string{"env/game", "env/game/message"}},
	{"env/game/gametest", []string{"env/game", "env/game/message", "env/game/picture", "internal/core"}},
	{"env/tabular", []string{"env/game", "env/game/chart"}},
	{"internal/core", []string{"env/game"}},
	{"internal/test/testgames", []string{"env", "env/game", "env/catalog", "env/*"}},       // only tests import it
	{"env/catalog", []string{"env", "env/game", "env/*", "agents/search", "train/expert"}}, // makes the handles
	{"env/record", []string{"env", "env/game", "env/game/message"}},
	{"env/*", []string{"env/game", "env/game/chart", "env/game/message", "env/tabular", "internal/firstplayer"}}, // each game
	{"env", []string{"env/game", "env/game/message", "env/game/picture", "env/game/chart", "internal/core"}},
	{"models", []string{"env/game"}},
	{"models/*", []string{"models"}},
	{"agents/search", []string{"env", "env/game", "internal/core", "models"}},
	{"agents", []string{"env", "env/game", "env/game/message", "agents/search", "models"}},
	{"eval/analysis", []string{"env", "env/game", "agents/search", "env/record", "eval"}},
	{"eval", []string{"env", "env/game", "env/game/chart", "agents", "env/record", "internal/jobs"}},
	{"train/method", []string{"models", "agents/search", "internal/core"}},
	{"train/expert", []string{"env", "env/game", "internal/core", "agents/search", "models", "train/method"}},
	{"train/ppo", []string{"env", "env/game", "agents", "agents/search", "models", "train/method"}},
	{"train", []string{"env", "env/game", "train/expert", "train/method", "train/ppo", "agents", "agents/search", "models", "internal/jobs", "internal/machine"}},
	{"train/sweep", []string{"env", "models", "train", "internal/curve", "internal/jobs"}},
	{"cmd/worker", []string{"internal/cli", "internal/cluster/registry", "internal/cluster", "internal/broker"}},
	{"cmd/...", []string{"env", "env/game", "env/game/chart", "env/game/message", "env/game/gametest", "env/tabular", "env/catalog", "env/*",
		"models", "models/*", "agents", "env/record", "eval/analysis", "eval", "train", "train/sweep", "internal/cli", "internal/curve", "internal/plot", "internal/web", "internal/rulesbook",
		"internal/jobs", "internal/cluster", "internal/cluster/flags", "internal/cluster/registry"}},
	{"python/native", []string{"env", "env/game", "env/game/message", "env/catalog", "models", "agents", "eval"}},
	{"internal/plot", []string{"env/game/chart"}},                             // draws what games describe
	{"internal/cli", []string{"env", "agents", "models", "internal/machine"}}, // opens agents and solves games
	{"internal/cli/clitest", []string{"internal/cli"}},
	{"internal/rulesbook", []string{"docs/games", "env/game", "env/game/message", "env/catalog"}}, // compares settings with the defaults
	{"internal/curve", []string{"env/game", "env/game/chart"}},                                    // draws the charts of a run
	{"internal/web", []string{"env", "env/game", "env/game/chart", "env/game/message", "env/catalog", "agents", "models", "env/record", "eval/analysis", "internal/rulesbook", "internal/curve"}}, // the logic of cmd/web
	{"internal/tool/benchmarks", []string{"env/catalog"}},        // builds and runs the commands
	{"internal/tool/release", []string{"agents", "env/catalog"}}, // opens the model of a run
	{"internal/jobs", nil}, // runs tasks in parallel
	{"internal/jobs/jobstest", []string{"internal/jobs"}},
	{"internal/cluster", []string{"internal/jobs"}}, // runs jobs in other processes
	{"internal/cluster/flags", []string{"internal/cli", "internal/jobs", "internal/cluster", "internal/cluster/registry"}},
	{"internal/cluster/registry", []string{".", "env", "env/game", "env/catalog", "agents", "models", "models/*", "eval", "train", "internal/jobs", "internal/cluster"}},
	{"internal/broker", []string{"internal/cluster"}}, // serves package cluster
	{"internal/firstplayer", []string{"env/game/message"}},
	{"internal/input", nil},                                                // reads the files that internal/atomicfile opens
	{"internal/machine", nil},                                              // reads the files of the system
	{"internal/kernel/simd", nil},                                          // chooses the kernels
	{"internal/kernel/simd/neon", nil},                                     // writes assembly
	{"internal/kernel/simd/neon/*", []string{"internal/kernel/simd/neon"}}, // generators
	{"internal/...", []string{"internal/kernel/simd"}},
}

// check returns an error if a package, named without the module, may not have these
// imports.
func check(pkg string, imports []string) error {
	i := row(pkg)
	if i < 0 {
		return fmt.Errorf("no row of the table names %s", pkg)
	}
	allowed := table[i].imports
	if pkg != "env/game" && table[i].pkg != "internal/..." {
		allowed = append(slices.Clip(allowed), "internal/kernel/simd", "internal/input", "internal/...")
	}
	for _, imp := range imports {
		to, ours := strings.CutPrefix(imp+"/", module+"/")
		if !ours {
			continue
		}
		to = path.Clean(to) // "." is the root of the module
		if j := row(to); j < 0 || !slices.Contains(allowed, table[j].pkg) {
			return fmt.Errorf("%s may not import %s", pkg, imp)
		}
	}
	return nil
}

// row returns the index of the row of pkg, or -1.
func row(pkg string) int {
	for i, r := range table {
		if below, ok := strings.CutSuffix(r.pkg, "..."); ok && strings.HasPrefix(pkg, below) {
			return i
		}
		if ok, _ := path.Match(r.pkg, pkg); ok {
			return i
		}
	}
	return -1
}

func TestCheck(t *testing.T) {
	tests := []struct {
		pkg     string
		imports string
		want    string
	}{
		{"env/pig", "fmt marsgym/env/game marsgym/env/tabular", ""},
		{"env/pig", "marsgym/env", "env/pig may not import marsgym/env"},
		{"env/pig", "marsgym/env/martiandice", "env/pig may not import marsgym/env/martiandice"},
		{"env/pig", "marsgym/train", "env/pig may not import marsgym/train"},
		{"env/pig", "marsgym/internal/kernel/sgemm", ""},
		{"env/game", "marsgym/internal/kernel/sgemm", "env/game may not import marsgym/internal/kernel/sgemm"},
		{"env/game", "errors math/rand/v2", ""},
		{"env", "marsgym/agents/search", "env may not import marsgym/agents/search"},
		{"env", "marsgym/train/expert", "env may not import marsgym/train/expert"},
		{"agents", "marsgym/train/expert", "agents may not import marsgym/train/expert"},
		{"eval", "marsgym/train/expert", "eval may not import marsgym/train/expert"},
		{"train/expert", "marsgym/agents/search", ""},
		{"env/catalog", "marsgym/env marsgym/env/game marsgym/env/pig", ""},
		{"env/catalog", "marsgym/env/tabular", "env/catalog may not import marsgym/env/tabular"},
		{"models", "marsgym/models/gorgonia", "models may not import marsgym/models/gorgonia"},
		{"models/gorgonia", "marsgym/models gorgonia.org/gorgonia", ""},
		{"models/gorgonia", "marsgym/models/gotch", "models/gorgonia may not import marsgym/models/gotch"},
		{"eval", "marsgym/env marsgym/agents marsgym/train", "eval may not import marsgym/train"},
		{"internal/web", "marsgym", "internal/web may not import marsgym"},
		{"train", "marsgym/eval", "train may not import marsgym/eval"},
		{"cmd/train", "marsgym/train marsgym/eval marsgym/models/gotch marsgym/internal/cli", ""},
		{"internal/cli", "marsgym/env/game", "internal/cli may not import marsgym/env/game"},
		{"internal/cli", "marsgym/internal/colour", ""},
		{"internal/test/golden", "marsgym/internal/kernel/sgemm", "internal/test/golden may not import marsgym/internal/kernel/sgemm"},
		{"internal/kernel/sgemm/gen", "fmt", ""},
		{"internal/plot", "marsgym/env/game/chart marsgym/internal/atomicfile", ""},
		{"cmd/solve", "marsgym/internal/plot", ""},
		{"cmd/train", "marsgym/internal/curve marsgym/internal/tensorboard", ""},
		{"internal/curve", "marsgym/internal/plot", "internal/curve may not import marsgym/internal/plot"},
		{"train", "marsgym/internal/tensorboard", ""},
		{"train", "marsgym/train/sweep", "train may not import marsgym/train/sweep"},
		{"train/sweep", "marsgym/train marsgym/internal/curve", ""},
		{"python/native", "marsgym/env/catalog marsgym/agents marsgym/eval", ""},
		{"python/native", "marsgym/env/pig", "python/native may not import marsgym/env/pig"},
		{"env/pig", "marsgym/internal/plot", "env/pig may not import marsgym/internal/plot"},
		{"env", "marsgymnasium/env", ""},
		{"env", "marsgym", "env may not import marsgym"},
		{"util", "", "no row of the table names util"},
		{"env/pig/dice", "", "no row of the table names env/pig/dice"},
	}
	for _, tt := range tests {
		got := ""
		if err := check(tt.pkg, strings.Fields(tt.imports)); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("check(%s, %s): %q, want %q", tt.pkg, tt.imports, got, tt.want)
		}
	}
}

// TestImports reads files, not packages, so that it also finds files with build tags.
func TestImports(t *testing.T) {
	seen := map[string]bool{}
	walk(t, func(name, rel string) error {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var imports []string
		for _, spec := range file.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, imp)
		}
		seen[path.Dir(rel)] = true
		if err := check(path.Dir(rel), imports); err != nil {
			t.Errorf("%s: %v", rel, err)
		}
		return nil
	})
	for _, pkg := range []string{"env/game", "internal/test/imports"} {
		if !seen[pkg] {
			t.Errorf("the walk from %s did not find %s", root, pkg)
		}
	}
}

// openers are the packages that may call os.Open and os.ReadFile, which wait for ever for
// the other end of a pipe: the one that checks files first, and tools for this module's own
// files.
var openers = []string{"internal/atomicfile", "internal/test/golden", "internal/tool/release", "internal/tool/benchmarks", "internal/tool/mutate"}

// TestOpen checks that all files are opened by internal/atomicfile.
func TestOpen(t *testing.T) {
	found := 0
	walk(t, func(name, rel string) error {
		text, err := os.ReadFile(name)
		for _, call := range []string{"os.Open(", "os.ReadFile("} {
			switch {
			case !strings.Contains(string(text), call):
			case slices.Contains(openers, path.Dir(rel)):
				found++
			default:
				t.Errorf("%s calls %s...); call atomicfile.Open, atomicfile.ReadFile or input.ReadFile", rel, call)
			}
		}
		return err
	})
	if found == 0 {
		t.Errorf("the walk from %s did not find %s", root, openers[0])
	}
}

// walk calls f for each Go file of this module that is no test.
func walk(t *testing.T, f func(name, rel string) error) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != root && skip(name, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		return f(name, filepath.ToSlash(rel))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// skip reports whether the go command ignores the directory too.
func skip(name, base string) bool {
	if base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(name, "go.mod")) // a module of its own
	return err == nil
}
