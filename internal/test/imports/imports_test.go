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

// layers are the packages of this module, from the bottom up. A package imports only packages of
// lower layers: those of one layer do not know each other, except that all packages of a pattern
// such as "train/..." may. Of several patterns that match a package the longest counts.
var layers = []struct{ name, packages string }{
	{"charts", "env/game/chart env/game/message docs/games ."},
	{"game", "env/game internal/..."}, // the contract; files, kernels and other means
	{"abilities of games", "internal/core"},
	{"solver", "env/tabular"},
	{"games", "env/* env/tablegame env/game/picture internal/plot internal/curve"},
	{"env", "env models"},
	{"lists and records of games", "env/catalog env/record"},
	{"search", "agents/search"},
	{"agents", "agents internal/jobs"},
	{"train, eval", "train/... eval/... models/* internal/cli internal/cluster internal/rulesbook"},
	{"programs in parts", "internal/web internal/broker internal/cluster/registry"},
	{"flags of a cluster", "internal/cluster/flags"},
	{"commands", "cmd/... python/native"},
	{"tests", "internal/test/..."}, // nobody but tests imports this layer and the next
	{"tests of one package", "env/game/gametest models/learnertest models/losstest internal/cli/clitest internal/jobs/jobstest"},
}

// only are the exceptions: packages that only some of the higher ones may import.
var only = map[string]string{
	"env/*":    "env/catalog agents/search train/expert internal/test/testgames", // games: whoever lists them
	"models/*": "internal/cluster/registry cmd/...",                              // backends
	".":        "internal/cluster/registry",                                      // the sources of this module
}

// check returns an error if a package, named without the module, may not have these
// imports.
func check(pkg string, imports []string) error {
	pattern, layer := find(pkg)
	if pattern == "" {
		return fmt.Errorf("no layer has %s", pkg)
	}
	for _, imp := range imports {
		to, ours := strings.CutPrefix(imp+"/", module+"/")
		if !ours {
			continue
		}
		p, l := find(path.Clean(to)) // "." is the root of the module
		together := p == pattern && strings.HasSuffix(p, "...")
		users, closed := only[p]
		user := slices.ContainsFunc(strings.Fields(users), func(u string) bool { return matches(u, pkg) })
		if p == "" || l >= layer && !together || closed && !user {
			return fmt.Errorf("%s may not import %s", pkg, imp)
		}
	}
	return nil
}

// find returns the longest pattern that matches pkg, or "", and its layer.
func find(pkg string) (pattern string, layer int) {
	for i, l := range layers {
		for _, p := range strings.Fields(l.packages) {
			if matches(p, pkg) && len(strings.TrimSuffix(p, "...")) > len(strings.TrimSuffix(pattern, "...")) {
				pattern, layer = p, i
			}
		}
	}
	return pattern, layer
}

func matches(pattern, pkg string) bool {
	if folder, ok := strings.CutSuffix(pattern, "..."); ok {
		return strings.HasPrefix(pkg+"/", folder)
	}
	ok, _ := path.Match(pattern, pkg)
	return ok
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		pkg     string
		imports string
		want    string
	}{
		{"env/game", "errors math/rand/v2 marsgym/env/game/chart", ""},
		{"env/game", "marsgym/internal/kernel/sgemm", "env/game may not import marsgym/internal/kernel/sgemm"},
		{"internal/kernel/sgemm", "marsgym/internal/kernel/simd", ""},
		{"internal/kernel/sgemm", "marsgym/env/game", "internal/kernel/sgemm may not import marsgym/env/game"},
		{"env/pig", "fmt marsgym/env/game marsgym/env/tabular marsgym/internal/kernel/elementary", ""},
		{"env/pig", "marsgym/env", "env/pig may not import marsgym/env"},
		{"env/pig", "marsgym/env/martiandice", "env/pig may not import marsgym/env/martiandice"},
		{"env/pig", "marsgym/train", "env/pig may not import marsgym/train"},
		{"env", "marsgym/internal/core marsgymnasium/env", ""},
		{"env", "marsgym/env/pig", "env may not import marsgym/env/pig"},
		{"env", "marsgym/models", "env may not import marsgym/models"},
		{"env", "marsgym/agents/search", "env may not import marsgym/agents/search"},
		{"env", "marsgym", "env may not import marsgym"},
		{"env/catalog", "marsgym/env marsgym/env/game marsgym/env/pig", ""},
		{"python/native", "marsgym/env/tablegame", ""},
		{"env/catalog", "marsgym/agents/search", "env/catalog may not import marsgym/agents/search"},
		{"env/catalog", "marsgym/train/expert", "env/catalog may not import marsgym/train/expert"},
		{"agents/search", "marsgym/env/pig marsgym/models", ""},
		{"train/expert", "marsgym/env/pig", ""},
		{"train/ppo", "marsgym/env/pig", "train/ppo may not import marsgym/env/pig"},
		{"agents", "marsgym/env/pig", "agents may not import marsgym/env/pig"},
		{"agents", "marsgym/train/expert", "agents may not import marsgym/train/expert"},
		{"models", "marsgym/models/gorgonia", "models may not import marsgym/models/gorgonia"},
		{"models/gorgonia", "marsgym/models gorgonia.org/gorgonia", ""},
		{"models/gorgonia", "marsgym/models/gotch", "models/gorgonia may not import marsgym/models/gotch"},
		{"train", "marsgym/train/expert marsgym/env/catalog", ""},
		{"train", "marsgym/eval", "train may not import marsgym/eval"},
		{"train", "marsgym/models/gorgonia", "train may not import marsgym/models/gorgonia"},
		{"eval", "marsgym/env marsgym/agents marsgym/train", "eval may not import marsgym/train"},
		{"internal/cli", "marsgym/env/catalog marsgym/internal/colour", ""},
		{"internal/cli", "marsgym/train", "internal/cli may not import marsgym/train"},
		{"internal/web", "marsgym", "internal/web may not import marsgym"},
		{"internal/cluster/registry", "marsgym marsgym/train marsgym/models/gorgonia", ""},
		{"cmd/train", "marsgym/train marsgym/eval marsgym/models/gotch marsgym/internal/cli", ""},
		{"cmd/train", "marsgym/internal/test/golden", "cmd/train may not import marsgym/internal/test/golden"},
		{"python/native", "marsgym/cmd/train", "python/native may not import marsgym/cmd/train"},
		{"python/native", "marsgym/env/pig", "python/native may not import marsgym/env/pig"},
		{"util", "", "no layer has util"},
		{"env/pig/dice", "", "no layer has env/pig/dice"},
		{"train", "marsgym/util", "train may not import marsgym/util"},
	} {
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
	imports := map[string][]string{} // by package
	walk(t, func(name, rel string) error {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg, list := path.Dir(rel), []string{}
		for _, spec := range file.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			list = append(list, imp)
		}
		if err := check(pkg, list); err != nil {
			t.Errorf("%s: %v", rel, err)
		}
		imports[pkg] = append(imports[pkg], list...)
		return nil
	})
	// What a program links: programs that play and solve train nothing.
	for pkg, not := range map[string]string{"cmd/play": "train", "cmd/solve": "train", "cmd/web": "train", "cmd/web/worker": "train", "env/catalog": "agents"} {
		deps := []string{pkg}
		for i := 0; i < len(deps); i++ {
			for _, imp := range imports[deps[i]] {
				if to, ours := strings.CutPrefix(imp, module+"/"); ours && !slices.Contains(deps, to) {
					deps = append(deps, to)
				}
				if strings.HasPrefix(imp+"/", module+"/"+not+"/") {
					t.Errorf("%s depends on %s by %s", pkg, imp, deps[i])
				}
			}
		}
		if !slices.Contains(deps, "env/game") {
			t.Errorf("%s depends on %q; want env/game among them", pkg, deps)
		}
	}
}

// openers are the packages that may call os.Open and os.ReadFile, which wait for ever for
// the other end of a pipe: the one that checks files first, and one for golden files of
// tests.
var openers = []string{"internal/atomicfile", "internal/test/golden"}

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
