// Package libraries_test lists what this module calls in libraries that have surprised, and compares
// their functions with plain arithmetic.
package libraries_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// libraries are modules whose functions may surprise, so that each one that this module calls is
// covered by a test that docs/lab/libraries.md names.
var libraries = []string{
	"gorgonia.org/", "github.com/sugarme/gotch", "github.com/maruel/safetensors", "gonum.org/",
	"github.com/schollz/progressbar", "github.com/nats-io/",
}

// wrong are functions that may not be called, since their results are wrong for some valid input, and
// the scripts of folder findings that show it.
var wrong = map[string]string{
	"github.com/sugarme/gotch/nn.DefaultLinearConfig": "gotch-linear-weights.sh",
	"github.com/sugarme/gotch/ts.NoGrad":              "gotch-nested-no-grad.sh",
	"gorgonia.org/gorgonia.InverseSqrt":               "gorgonia-gradients.sh",
	"gorgonia.org/gorgonia.Log2":                      "gorgonia-gradients.sh",
	"gorgonia.org/tensor.MatMul":                      "tensor-column-views.sh",
	"gorgonia.org/tensor.MatVecMul":                   "tensor-column-views.sh",
	"gorgonia.org/tensor.Repeat":                      "tensor-column-views.sh",
	"gorgonia.org/tensor.SoftMax":                     "tensor-softmax-rows.sh",
	"gorgonia.org/tensor.Dense.MatMul":                "tensor-column-views.sh",
	"gorgonia.org/tensor.Dense.MatVecMul":             "tensor-column-views.sh",
	"gorgonia.org/tensor.Dense.ReadNpy":               "tensor-read-npy.sh",
	"gorgonia.org/tensor.Dense.Repeat":                "tensor-column-views.sh",
	"gorgonia.org/tensor.Dense.T":                     "tensor-second-transpose.sh",
	"gorgonia.org/tensor.Dense.WriteNpy":              "tensor-column-views.sh",
	"gorgonia.org/tensor.Dense.Zero":                  "tensor-column-views.sh",
	"gonum.org/v1/gonum/stat.Quantile":                "gonum-quantile.sh",
	"gonum.org/v1/gonum/stat.Kendall":                 "gonum-kendall.sh",
	"gonum.org/v1/gonum/stat/distuv.Binomial.Prob":    "gonum-binomial.sh",
	"gonum.org/v1/plot.LogTicks.Ticks":                "gonum-log-ticks.sh",
}

// calls returns the functions and methods of libraries that the files of packages call, such as
// "gorgonia.org/tensor.New" or "gorgonia.org/tensor.(*Dense).Float32s", each with its callers.
func calls(t *testing.T) map[string][]string {
	t.Helper()
	list := func(args ...string) []string {
		cmd := exec.Command("go", append([]string{"list"}, args...)...)
		cmd.Dir, cmd.Stderr = "../../..", os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	var packages []string
	for _, line := range list("-f", "{{.ImportPath}} {{.Imports}}", "./...") {
		pkg, imports, _ := strings.Cut(line, " ")
		if slices.ContainsFunc(libraries, func(l string) bool { return strings.Contains(imports, l) }) {
			packages = append(packages, pkg)
		}
	}
	exports := map[string]string{}
	for _, line := range list(append([]string{"-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}, packages...)...) {
		pkg, file, _ := strings.Cut(line, "\t")
		exports[pkg] = file
	}
	fset := token.NewFileSet()
	imp := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	found := map[string][]string{}
	for _, line := range list(append([]string{"-f", "{{.ImportPath}}\t{{.Dir}}\t{{join .GoFiles \"\t\"}}"}, packages...)...) {
		fields := strings.Split(line, "\t") // paths may have spaces
		var files []*ast.File
		for _, name := range fields[2:] {
			file, err := parser.ParseFile(fset, filepath.Join(fields[1], name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		if _, err := (&types.Config{Importer: imp}).Check(fields[0], fset, files, info); err != nil {
			t.Fatal(err)
		}
		for _, o := range info.Uses {
			f, ok := o.(*types.Func)
			if !ok || f.Pkg() == nil || !slices.ContainsFunc(libraries, func(l string) bool { return strings.HasPrefix(f.Pkg().Path(), l) }) {
				continue
			}
			name := strings.NewReplacer("(*", "", ")", "", "(", "").Replace(f.FullName())
			if user := strings.TrimPrefix(fields[0], "marsgym/"); !slices.Contains(found[name], user) {
				found[name] = append(found[name], user)
			}
		}
	}
	return found
}

// gotchCalls returns the functions of gotch's packages that models/gotch calls, which is compiled
// only where libtorch is. Tests of that package may call more.
func gotchCalls(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../../../models/gotch/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		paths := map[string]string{}
		for _, spec := range file.Imports {
			if p, err := strconv.Unquote(spec.Path.Value); err != nil {
				t.Fatal(err)
			} else if spec.Name != nil {
				paths[spec.Name.Name] = p
			} else {
				paths[path.Base(p)] = p
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if f, ok := call.Fun.(*ast.SelectorExpr); ok {
					if pkg, ok := f.X.(*ast.Ident); ok && strings.HasPrefix(paths[pkg.Name], "github.com/sugarme/gotch") {
						names = append(names, paths[pkg.Name]+"."+f.Sel.Name)
					}
				}
			}
			return true
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestCalls compares the calls with the table of docs/lab/libraries.md, whose tests must exist.
func TestCalls(t *testing.T) {
	text, err := os.ReadFile("../../../docs/lab/libraries.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	code := regexp.MustCompile("`([^`]+)`")
	for row := range strings.Lines(string(text)) {
		cells := strings.Split(row, " | ")
		if len(cells) != 3 || !strings.HasPrefix(row, "| `") {
			continue
		}
		names := func(cell string) (list []string) {
			for _, m := range code.FindAllStringSubmatch(cell, -1) {
				list = append(list, m[1])
			}
			return list
		}
		pkg := names(cells[0])[0]
		for _, f := range names(cells[1]) {
			listed[pkg+"."+f] = true
		}
		folder := names(cells[2])[0]
		tests := regexp.MustCompile(`\bTest\w+`).FindAllString(cells[2], -1)
		if len(tests) == 0 {
			t.Errorf("%s has no test", pkg)
		}
		for _, test := range tests {
			if !declares(t, folder, test) {
				t.Errorf("%s: %s has no %s", pkg, folder, test)
			}
		}
	}
	found := calls(t)
	for _, f := range gotchCalls(t) {
		found[f] = []string{"models/gotch"}
	}
	for f, users := range found {
		if finding, ok := wrong[f]; ok {
			t.Errorf("%v calls %s, which findings/%s shows to be wrong", users, f, finding)
		}
		if !listed[f] {
			t.Errorf("%v calls %s, which docs/lab/libraries.md does not list", users, f)
		}
	}
	for f, finding := range wrong {
		if text, err := os.ReadFile(filepath.Join("../../../findings", finding)); err != nil || !strings.Contains(string(text), f[strings.LastIndex(f, ".")+1:]) {
			t.Errorf("findings/%s does not show %s: %v", finding, f, err)
		}
	}
	for f := range listed {
		if found[f] == nil {
			t.Errorf("docs/lab/libraries.md lists %s, which nobody calls", f)
		}
	}
}

// declares reports whether a test of a folder has that name.
func declares(t *testing.T, folder, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../../..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(name string) bool {
		b, err := os.ReadFile(name)
		return err == nil && strings.Contains(string(b), "\nfunc "+test+"(t *testing.T)")
	})
}
